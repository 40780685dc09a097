#!/usr/bin/env python3
"""ResNet-50 training on random images for N steps; writes the loop and every step to the file that
STREET_WINDOWS names, in seconds since the epoch, and the energy counter's own difference over the
loop. Under torchrun with all-reduce.

usage: street_loop.py STEPS
"""
import os
import sys
import time

import torch
import torchvision

rank = int(os.environ.get("LOCAL_RANK", 0))
torch.cuda.set_device(rank)
parallel = "WORLD_SIZE" in os.environ
if parallel:
    torch.distributed.init_process_group("nccl")
model = torchvision.models.resnet50().cuda()
if parallel:
    model = torch.nn.parallel.DistributedDataParallel(model, device_ids=[rank])
optimizer = torch.optim.SGD(model.parameters(), lr=0.01)
loss = torch.nn.CrossEntropyLoss()
images = torch.randn(64, 3, 224, 224, device="cuda")
labels = torch.randint(0, 1000, (64,), device="cuda")


def step():
    optimizer.zero_grad(set_to_none=True)
    loss(model(images), labels).backward()
    optimizer.step()
    torch.cuda.synchronize()


def counted():
    try:
        import pynvml
        pynvml.nvmlInit()
        handle = pynvml.nvmlDeviceGetHandleByIndex(rank)
        return pynvml.nvmlDeviceGetTotalEnergyConsumption(handle) / 1000
    except Exception:
        return float("nan")


for _ in range(10):
    step()
time.sleep(1.5)
before = counted()
rows = []
begin = time.time()
for _ in range(int(sys.argv[1])):
    t = time.time()
    step()
    rows.append((t, time.time(), "step"))
end = time.time()
after = counted()
time.sleep(1.5)
path = os.environ.get("STREET_WINDOWS")
if path and rank == 0:
    with open(path, "w", encoding="utf-8") as out:
        out.write("begin_s,end_s,label\n")
        for t0, t1, label in [(begin, end, "all"), *rows]:
            out.write(f"{t0:.6f},{t1:.6f},{label}\n")
    with open(path + ".counter", "w", encoding="utf-8") as out:
        out.write(f"{after - before}\n")
if parallel:
    torch.distributed.destroy_process_group()
