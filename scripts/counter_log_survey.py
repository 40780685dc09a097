#!/usr/bin/env python3
"""Logs of an energy counter, alone and beside power, whose rows or work are awkward: how often the interval
of a window cut anywhere holds the truth.

usage: scripts/counter_log_survey.py [--logs N] TRUEWATT [FAMILY...]

The counter ticks every 0.1 s and leaves nothing out; power is the mean of the last 0.1 s. Families, all of them
unless named:

beats    rows 100 to 103 ms apart, which move slowly past the ticks; work of seconds to tens of seconds
seconds  stamps of whole seconds, rows 0.1 to 2 s apart; the same work
levels   work that rises and falls in 4 to 16 levels of 2 to 5 s, rows 0.5 and 1 s apart
ramps    work that rises for 30 s, stays and falls, rows 0.1 to 1 s apart
in_step  square waves whose period is one row's distance or a half, rows 0.2 to 1 s apart

Prints for each: windows, how many are resolved, how many of those miss the truth, by more than one and a half
half-widths too, and the median half-width of all windows. Windows without a number are not counted."""

import argparse
import datetime
import json
import math
import pathlib
import random
import statistics
import subprocess
import tempfile

START = datetime.datetime(2025, 3, 4, 9, 30, tzinfo=datetime.timezone.utc)
TICK = 0.1
COLUMNS = ("counter", "power+counter")


class Course:
    """Power that stays for a while at a time: [(begin, watts)], the first at 0."""

    def __init__(self, steps):
        self.begins = [begin for begin, _ in steps]
        self.watts = [watts for _, watts in steps]
        self.until = [0.0]
        for i in range(1, len(steps)):
            self.until.append(self.until[-1] + self.watts[i - 1] * (self.begins[i] - self.begins[i - 1]))

    def energy(self, time):
        low, high = 0, len(self.begins)
        while high - low > 1:
            middle = (low + high) // 2
            low, high = (middle, high) if self.begins[middle] <= time else (low, middle)
        return self.until[low] + self.watts[low] * (time - self.begins[low])


def blocks(chance, length):
    idle, most = chance.uniform(30, 80), chance.uniform(200, 500)
    steps, now = [(0.0, idle)], 5.0
    while now < length - 10:
        work = math.exp(chance.uniform(0, math.log(20)))
        steps += [(now, most * chance.uniform(0.7, 1)), (now + work, idle)]
        now += work + math.exp(chance.uniform(0, math.log(12)))
    return Course(steps)


def stairs(chance, count, each):
    idle, step = chance.uniform(40, 70), chance.uniform(150, 300) / count
    levels = [*range(1, count + 1), *range(count - 1, 0, -1)]
    steps = [(0.0, idle)] + [(8 + each * k, idle + step * level) for k, level in enumerate(levels)]
    return Course([*steps, (8 + each * len(levels), idle)])


def ramp(chance):
    idle, rise = chance.uniform(40, 70), chance.uniform(150, 300)
    up = [(8 + 0.05 * k, idle + rise * k / 600) for k in range(601)]
    down = [(48 + 0.05 * k, idle + rise * (1 - k / 600)) for k in range(601)]
    return Course([(0.0, idle), *up, *down])


def square(chance, period):
    idle, most, now = 60.0, chance.uniform(200, 400), 8 + chance.uniform(0, period)
    steps = [(0.0, idle)]
    while now < 50:
        steps += [(now, most), (now + period / 2, idle)]
        now += period
    return Course(steps)


def logs_of(family, chance):
    """(name, course, length, seconds between rows, whether stamps are cut off), a few of a kind."""
    if family == "beats":
        for excess in (0.0, 0.0005, 0.001, 0.003):
            yield f"rows {1000 * (TICK + excess):g} ms", blocks(chance, 100), 100, TICK + excess, False
    elif family == "seconds":
        for every in (0.1, 0.5, 1.0, 1.03, 2.0):
            yield f"rows {every:g} s", blocks(chance, 120), 120, every, True
    elif family == "levels":
        for count, each in ((4, 5), (8, 4), (16, 2)):
            for every in (0.5, 1.0):
                yield f"{count} of {each} s, rows {every:g} s", stairs(chance, count, each), 2 * count * each + 20, every, False
    elif family == "ramps":
        for every in (0.1, 0.5, 1.0):
            yield f"rows {every:g} s", ramp(chance), 90, every, False
    else:
        for every, period in ((1.0, 1.0), (1.0, 0.5), (0.5, 0.5), (0.2, 0.2)):
            yield f"rows {every:g} s, period {period:g} s", square(chance, period), 60, every, False


def stamp(seconds, cut):
    when = START + datetime.timedelta(seconds=seconds)
    return when.strftime("%Y/%m/%d %H:%M:%S") + ("" if cut else f".{when.microsecond // 1000:03}")


def write(folder, course, length, every, cut, columns, chance):
    """Writes log and windows; what each window took."""
    offset = chance.uniform(0, 1)
    power = "power" in columns
    rows = ["timestamp, index" + (", power.draw [W]" if power else "") + ", total_energy_consumption [mJ]"]
    now = 0.2
    while now < length:
        tick = math.floor(now / TICK) * TICK
        watts = (course.energy(tick) - course.energy(tick - TICK)) / TICK
        rows.append(stamp(now + offset, cut) + ", 0" + (f", {watts + chance.gauss(0, 0.1):.2f} W" if power else "")
                    + f", {1000 * course.energy(tick):.0f} mJ")
        now += every + abs(chance.gauss(0, 0.0001))
    (folder / "log.csv").write_text("\n".join([*rows, ""]))
    windows = []
    for _ in range(15):
        size = math.exp(chance.uniform(math.log(2), math.log(length / 2)))
        begin = chance.uniform(2, length - 3 - size)
        windows.append((begin, begin + size))
    (folder / "windows.csv").write_text("\n".join(["begin,end", *(
        ",".join((START + datetime.timedelta(seconds=t + offset)).isoformat() for t in window) for window in windows), ""]))
    return [course.energy(end) - course.energy(begin) for begin, end in windows]


def errors_of(program, folder, truths):
    """(error over half-width, resolved, half-width over truth) of each window with a number."""
    call = subprocess.run([program, "analyze", folder / "log.csv", "--windows", folder / "windows.csv", "--utc-offset",
                           "+00:00", "-q", "--json", folder / "out.json"], capture_output=True, text=True)
    if call.returncode not in (0, 4):
        raise SystemExit(call.stderr)
    for window, truth in zip(json.loads((folder / "out.json").read_text())["windows"], truths):
        energy = window["on_sensor_scale_j"]
        if energy:
            half = (energy["upper"] - energy["lower"]) / 2
            yield (energy["value"] - truth) / half, window["resolved"], half / truth


def main():
    families = ("beats", "seconds", "levels", "ramps", "in_step")
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--logs", type=int, default=8, help="of each kind")
    parser.add_argument("program", metavar="TRUEWATT")
    parser.add_argument("families", metavar="FAMILY", nargs="*", choices=[*families, []])
    arguments = parser.parse_args()
    print(f"{'family':10}{'columns':15}{'kind':26}windows resolved   miss  > 1.5  half-width")
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        for family in arguments.families or families:
            for columns in COLUMNS:
                found = {}
                for seed in range(1, arguments.logs + 1):
                    chance = random.Random(f"{family} {seed}")
                    for kind, course, length, every, cut in logs_of(family, chance):
                        truths = write(folder, course, length, every, cut, columns, chance)
                        found.setdefault(kind, []).extend(errors_of(arguments.program, folder, truths))
                for kind, errors in found.items():
                    resolved = [abs(error) for error, is_resolved, _ in errors if is_resolved]
                    median = 100 * statistics.median(half for _, _, half in errors) if errors else math.nan
                    print(f"{family:10}{columns:15}{kind:26}{len(errors):7} {len(resolved):8} "
                          f"{sum(error > 1 for error in resolved):6} {sum(error > 1.5 for error in resolved):6} "
                          f"{median:9.2f} %", flush=True)


if __name__ == "__main__":
    main()
