"""Idle power with a context before and after a load: seconds, watts, SM clock, as CSV."""
import subprocess
import sys
import time

import torch

log = subprocess.Popen(
    ["nvidia-smi", "--query-gpu=timestamp,power.draw.instant,clocks.sm,pstate", "--format=csv,noheader,nounits",
     "-lms", "100"], stdout=open(sys.argv[1], "w"))
time.sleep(2)
a = torch.randn(8192, 8192, device="cuda")
torch.cuda.synchronize()
time.sleep(8)
for _ in range(2):
    end = time.time() + 4
    while time.time() < end:
        a @ a
        torch.cuda.synchronize()
    time.sleep(10)
log.terminate()
