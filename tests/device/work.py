#!/usr/bin/env python3
"""Stints of one kernel of PyTorch's, with known begins and ends, for energy.sh.

usage: work.py KERNEL SECONDS COUNT STINT_FILE WINDOWS_FILE

KERNEL   gemm (FP32 matrix product) or copy (device to device)
SECONDS  how long one stint takes; how many kernels that is, is kept in STINT_FILE,
         so that every later stint is the same work
COUNT    stints, with gaps of about twice SECONDS, at least about 1 s, in step with
         nothing: a board that has not cooled down takes a percent more for the same work
"""

import os
import random
import sys
import time

import torch


def main():
    kernel, seconds, count, stint_file, windows_file = sys.argv[1:]
    a = torch.randn(4096, 4096, device="cuda")
    b = torch.randn(4096, 4096, device="cuda")
    c = torch.empty(4096, 4096, device="cuda")
    big = torch.empty(1 << 29, device="cuda").normal_()
    to = torch.empty_like(big)
    once = {"gemm": lambda: torch.mm(a, b, out=c), "copy": lambda: to.copy_(big)}[kernel]

    def stint(kernels):
        begin = time.clock_gettime_ns(time.CLOCK_REALTIME)
        for _ in range(kernels):
            once()
        torch.cuda.synchronize()
        return begin, time.clock_gettime_ns(time.CLOCK_REALTIME)

    stint(20)
    if not os.path.exists(stint_file):
        time.sleep(0.3)
        begin, end = stint(100)
        with open(stint_file, "w") as file:
            print(max(1, round(float(seconds) * 100e9 / (end - begin))), file=file)
    with open(stint_file) as file:
        kernels = int(file.read())
    time.sleep(3.5)
    with open(windows_file, "w") as file:
        print("begin_s,end_s", file=file)
        for _ in range(int(count)):
            begin, end = stint(kernels)
            print(f"{begin // 10**9}.{begin % 10**9:09d},{end // 10**9}.{end % 10**9:09d}", file=file)
            time.sleep(random.uniform(0.7, 1.3) * max(1.0, 2 * float(seconds)))
    time.sleep(0.8)


main()
