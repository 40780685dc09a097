#!/usr/bin/env python3
"""How long `analyze` needs for long logs, and how much memory.

usage: scripts/log_speed.py TRUEWATT [--windows N] [--runs N] [--beside OTHER] [ROWS...]

    scripts/log_speed.py build/release/bin/truewatt 1000000 10000000
    scripts/log_speed.py build/release/bin/truewatt --windows 1000 --runs 5 --beside ../old/truewatt

Each log is of nvidia-smi (timestamp, index, power.draw), a row every 20 ms and a new value every 100 ms: a GPU that
works at 300 W for 10 s and rests at 60 W for 10 s, with 0.5 W of scatter. It is read and its whole energy estimated,
and compared with the sum of the rows; with --windows that of N windows of 0.5 to 60 s anywhere, and nothing is compared.
--runs: medians of N runs. --beside: another program in turns, on a machine that other work shares. Prints rows, seconds
of the clock and of the CPU, the largest memory in MB and how far the energy is off."""

import argparse
import json
import os
import pathlib
import random
import statistics
import sys
import tempfile
import time

STEP_S = 0.02
FIRST_S = 1735689600


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
            stamp = time.strftime("%Y/%m/%d %H:%M:%S", time.gmtime(FIRST_S + row // 50))
            log.write(f"{stamp}.{row % 50 * 20:03}, 0, {power:.2f} W\n")
    return joules


def write_windows(path, windows, rows):
    draw = random.Random(windows)
    lines = ["begin_s,end_s,label"]
    for window in range(windows):
        begin = draw.uniform(0, max(0.0, rows * STEP_S - 61))
        lines.append(f"{begin:.3f},{begin + draw.uniform(0.5, 60):.3f},w{window}")
    path.write_text("\n".join(lines) + "\n", encoding="utf-8")


def measured(program, log, more):
    """(seconds, CPU seconds, MB, joules of the first window) of one analysis."""
    out = log.with_suffix(".json")
    begin = time.monotonic()
    child = os.spawnl(os.P_NOWAIT, program, program, "analyze", str(log), *more, "-q", "--json", str(out))
    _, status, usage = os.wait4(child, 0)
    seconds = time.monotonic() - begin
    if status != 0:
        sys.exit(f"analyze ended with {os.waitstatus_to_exitcode(status)}")
    joules = json.loads(out.read_text())["windows"][0]["energy_j"]["value"]
    return seconds, usage.ru_utime + usage.ru_stime, usage.ru_maxrss / 1024, joules


def main():
    parser = argparse.ArgumentParser(usage=__doc__.split("\n\n", 1)[1], add_help=False)
    parser.add_argument("program")
    parser.add_argument("rows", nargs="*", type=int)
    parser.add_argument("--windows", type=int, default=0)
    parser.add_argument("--runs", type=int, default=1)
    parser.add_argument("--beside")
    if len(sys.argv) < 2 or sys.argv[1] in ("-h", "--help"):
        print(__doc__)
        sys.exit(0 if len(sys.argv) > 1 else 2)
    asked = parser.parse_intermixed_args()
    programs = [asked.program] + ([asked.beside] if asked.beside else [])
    print(f"{'rows':>9} {'s':>7} {'CPU s':>7} {'MB':>6} {'off %':>7}")
    with tempfile.TemporaryDirectory() as folder:
        for rows in asked.rows or [1000000]:
            log = pathlib.Path(folder) / "log.csv"
            truth = write_log(log, rows)
            more = []
            if asked.windows:
                more = ["--windows", str(log.with_name("windows.csv"))]
                write_windows(log.with_name("windows.csv"), asked.windows, rows)
            runs = {program: [] for program in programs}
            for run in range(asked.runs):
                # The second in a row finds memory that the first one left warm.
                for program in programs if run % 2 == 0 else programs[::-1]:
                    runs[program].append(measured(program, log, more))
            for of_one in runs.values():
                seconds, cpu, megabytes, joules = map(statistics.median, zip(*of_one))
                off = "" if asked.windows else f"{100 * (joules / truth - 1):+7.3f}"
                print(f"{rows:9} {seconds:7.2f} {cpu:7.2f} {megabytes:6.0f} {off:>7}", flush=True)


if __name__ == "__main__":
    main()
