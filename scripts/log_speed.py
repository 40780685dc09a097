#!/usr/bin/env python3
"""How long `analyze` needs for long logs, and how much memory.

usage: scripts/log_speed.py TRUEWATT [ROWS...]

    scripts/log_speed.py build/release/bin/truewatt 1000000 10000000

Each log is of nvidia-smi (timestamp, index, power.draw), a row every 20 ms and a new value every 100 ms: a GPU that
works at 300 W for 10 s and rests at 60 W for 10 s, with 0.5 W of scatter. It is read and its whole energy estimated, and compared with the sum of
the rows. Prints rows, seconds of the clock and of the CPU, the largest memory in MB and how far the energy is off."""

import json
import os
import pathlib
import random
import sys
import tempfile
import time

STEP_S = 0.02


def watts(row):
    return 300 if row * STEP_S % 20 >= 10 else 60


def write_log(path, rows):
    """Joules of the log, each row for the 20 ms after it but the last."""
    scatter = [random.Random(seed).gauss(0, 0.5) for seed in range(997)]
    joules = 0.0
    with open(path, "w", encoding="utf-8") as log:
        log.write("timestamp, index, power.draw [W]\n")
        for row in range(rows):
            power = round(watts(row) + scatter[row // 5 % 997], 2)
            joules += power * STEP_S if row + 1 < rows else 0
            stamp = time.strftime("%Y/%m/%d %H:%M:%S", time.gmtime(1735689600 + row // 50))
            log.write(f"{stamp}.{row % 50 * 20:03}, 0, {power:.2f} W\n")
    return joules


def measured(program, log):
    """(seconds, CPU seconds, MB, joules) of one analysis."""
    out = log.with_suffix(".json")
    begin = time.monotonic()
    child = os.spawnl(os.P_NOWAIT, program, program, "analyze", str(log), "-q", "--json", str(out))
    _, status, usage = os.wait4(child, 0)
    seconds = time.monotonic() - begin
    if status != 0:
        sys.exit(f"analyze ended with {os.waitstatus_to_exitcode(status)}")
    joules = json.loads(out.read_text())["windows"][0]["energy_j"]["value"]
    return seconds, usage.ru_utime + usage.ru_stime, usage.ru_maxrss / 1024, joules


def main():
    if len(sys.argv) < 2 or sys.argv[1] in ("-h", "--help"):
        print(__doc__)
        sys.exit(0 if len(sys.argv) > 1 else 2)
    print(f"{'rows':>9} {'s':>7} {'CPU s':>7} {'MB':>6} {'off %':>7}")
    with tempfile.TemporaryDirectory() as folder:
        for rows in map(int, sys.argv[2:] or ("1000000",)):
            log = pathlib.Path(folder) / "log.csv"
            truth = write_log(log, rows)
            seconds, cpu, megabytes, joules = measured(sys.argv[1], log)
            print(f"{rows:9} {seconds:7.2f} {cpu:7.2f} {megabytes:6.0f} {100 * (joules / truth - 1):+7.3f}", flush=True)


if __name__ == "__main__":
    main()
