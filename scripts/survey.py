#!/usr/bin/env python3
"""How often the intervals hold the truth: every built-in simulated device (or those named on the
command line, also as sim:FILE.toml) under eleven loads and several seeds. Prints a table: windows
with a number, those whose 95 % interval holds the true joules, the same for results marked
`resolved`, and windows without a number. Fails when a resolved result misses more often than 5 %
plus three binomial standard deviations allow.

usage: scripts/survey.py [--program PATH] [--seeds N] [DEVICE...]
"""

import argparse
import collections
import concurrent.futures
import json
import math
import os
import pathlib
import subprocess
import sys

import energy_survey

ROOT = pathlib.Path(__file__).resolve().parent.parent
DEVICES = tuple(energy_survey.BUILTIN)
LOADS = ("step:on=3s", "step:on=1s", "step:on=300ms", "step:on=50ms", "step:on=10ms",
         "square:period=100ms,duty=0.25,duration=4s", "square:period=100ms,duty=0.1,duration=3s",
         "square:period=73ms,duty=0.3,duration=3s", "square:period=20ms,duration=3s",
         "burst:on=5ms", "burst:on=40ms")


def estimate(program, device, load, seed):
    selector = device if device.startswith("sim:") else "sim:" + device
    run = subprocess.run([program, "measure", "-d", selector, "--load", load, "--seed", str(seed),
                          "-q", "--json", "-"], capture_output=True, text=True, check=False)
    return device, json.loads(run.stdout)["devices"][0]


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n\n")[0])
    parser.add_argument("--program", default=ROOT / "build/release/bin/truewatt")
    parser.add_argument("--seeds", type=int, default=4)
    parser.add_argument("devices", nargs="*", default=DEVICES)
    arguments = parser.parse_args()

    cases = [(arguments.program, device, load, seed) for device in arguments.devices
             for load in LOADS for seed in range(1, arguments.seeds + 1)]
    counts = collections.defaultdict(collections.Counter)
    with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        for device, found in pool.map(lambda case: estimate(*case), cases):
            for name in (device, "all"):
                count, energy = counts[name], found["energy_j"]
                if energy is None:
                    count["none"] += 1
                    continue
                covered = energy["lower"] <= found["truth_j"] <= energy["upper"]
                count["number"] += 1
                count["covered"] += covered
                count["resolved"] += found["resolved"]
                count["resolved and covered"] += found["resolved"] and covered

    print(f"{'device':<12} {'number':>7} {'covered':>8} {'resolved':>9} {'covered':>8} {'none':>5}")
    for name in [*arguments.devices, "all"]:
        count = counts[name]
        print(f"{name:<12} {count['number']:>7} {count['covered']:>8} {count['resolved']:>9} "
              f"{count['resolved and covered']:>8} {count['none']:>5}")
    resolved = counts["all"]["resolved"]
    missed = resolved - counts["all"]["resolved and covered"]
    allowed = 0.05 * resolved + 3 * math.sqrt(0.05 * 0.95 * resolved)
    return 1 if missed > allowed else 0


if __name__ == "__main__":
    sys.exit(main())
