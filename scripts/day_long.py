#!/usr/bin/env python3
"""How long `analyze` needs for long run files of all sources of a board, and how much memory.

usage: scripts/day_long.py TRUEWATT [--hours H...] [--windows N...] [--lengths S S]

    scripts/day_long.py build/release/bin/truewatt --hours 6 12 24
    scripts/day_long.py build/release/bin/truewatt --hours 1 --windows 1000 10000 100000 --lengths 0.01 0.06

Each run file is as `truewatt run` leaves one of an H200: power.samples every 20 ms, energy.counter every second,
power.instant and power.average every 2 s. The GPU works at 300 W for 10 s and rests at 60 W for 10 s, with 0.5 W of scatter. Its whole
energy is estimated, and of N windows of 0.5 to 60 s (or other lengths) anywhere. Prints hours, windows, rows, seconds of the clock and of
the CPU, the largest memory in MB and how far the whole energy is off."""

import argparse
import pathlib
import random
import shutil
import sqlite3
import tempfile

from log_speed import measured

ROOT = pathlib.Path(__file__).resolve().parent.parent
PATTERN = ROOT / "tests/data/programs/h200/mixed-11.db"
CYCLE_S, WORK_S, WORK_W, REST_W = 20.0, 10.0, 300.0, 60.0


def joules_until(t):
    cycles, rest = divmod(t, CYCLE_S)
    busy = cycles * WORK_S + max(0.0, rest - (CYCLE_S - WORK_S))
    return t * REST_W + busy * (WORK_W - REST_W)


def watts(t, seconds):
    """Mean over so many seconds before t."""
    return (joules_until(t) - joules_until(max(0.0, t - seconds))) / min(seconds, t)


def write_run_file(path, seconds):
    """Rows of it."""
    shutil.copy(PATTERN, path)
    file = sqlite3.connect(path)
    file.execute("pragma synchronous = off")
    tables = [name for name, in file.execute("select name from sqlite_master where type = 'table'")]
    for table in tables:
        if table not in ("metadata", "devices", "run", "sources"):
            file.execute(f"delete from {table}")
    file.execute("delete from sources")
    scatter = [random.Random(seed).gauss(0, 0.5) for seed in range(997)]
    begin = 10**11
    rows = 0
    for number, (source, every, looks) in enumerate([("power.instant", 2.0, 0.02), ("power.average", 2.0, 1.0),
                                                     ("energy.counter", 1.0, 0.0), ("power.samples", 0.02, 0.001)], 1):
        count = int(seconds / every)
        file.execute("insert into sources values (?, 0, ?, ?, ?, ?)",
                     (number, source, begin, begin + int(seconds * 1e9), count))

        def row(i):
            t = (i + 1) * every
            at = begin + int(t * 1e9)
            if looks == 0:
                return number, at - int(every * 1e9), at, None, round(joules_until(t), 3), 100_000
            power = round(watts(t, looks) + scatter[i % 997], 3)
            if source == "power.samples":
                return number, at, at, 1_700_000_000_000_000_000 + at, power, None
            return number, at - int(every * 1e9), at, None, power, 100_000
        file.executemany("insert into sample_rows values (?, ?, ?, ?, ?, ?)", (row(i) for i in range(count)))
        if source != "power.samples":  # which rest in between
            file.executemany("insert into gaps values (?, ?, ?, 'not_asked')",
                             ((number, begin + int(i * every * 1e9) + 1_000_000,
                               begin + int((i + 1) * every * 1e9) - 1_000_000) for i in range(count)))
        rows += count
    file.commit()
    file.close()
    return rows


def write_windows(path, windows, seconds, lengths):
    draw = random.Random(windows)
    lines = ["begin_s,end_s,label", f"0.1,{seconds - 1:.3f},whole"]
    for window in range(windows):
        begin = draw.uniform(0.1, seconds - lengths[1] - 2)
        lines.append(f"{begin:.3f},{begin + draw.uniform(*lengths):.3f},w{window}")
    path.write_text("\n".join(lines) + "\n", encoding="utf-8")
    return joules_until(seconds - 1) - joules_until(0.1)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("truewatt")
    parser.add_argument("--hours", type=float, nargs="+", default=[24.0])
    parser.add_argument("--windows", type=int, nargs="+", default=[0])
    parser.add_argument("--lengths", type=float, nargs=2, default=[0.5, 60.0])
    options = parser.parse_args()
    print(f"{'hours':>6} {'windows':>8} {'rows':>9} {'s':>7} {'CPU s':>7} {'MB':>6} {'off %':>7}")
    with tempfile.TemporaryDirectory(prefix="day") as folder:
        for hours in options.hours:
            run_file = pathlib.Path(folder) / "day.db"
            rows = write_run_file(run_file, 3600 * hours)
            for windows in options.windows:
                asked = pathlib.Path(folder) / "windows.csv"
                truth = write_windows(asked, windows, 3600 * hours, options.lengths)
                seconds, cpu, megabytes, joules = measured(options.truewatt, run_file, ["--windows", str(asked)])
                print(f"{hours:6g} {windows:8} {rows:9} {seconds:7.1f} {cpu:7.1f} {megabytes:6.0f}"
                      f" {100 * (joules / truth - 1):7.3f}", flush=True)


if __name__ == "__main__":
    main()
