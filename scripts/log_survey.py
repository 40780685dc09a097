#!/usr/bin/env python3
"""Logs that random programs leave behind: rows 0.1 to 5 s apart, of an instantaneous power or a mean
over a second, of the driver's counter, of both, and of power with rows that have no value. Prints how
wide the intervals of the whole log and of a window cut anywhere are, and how many hold the truth."""

import argparse
import json
import math
import pathlib
import random
import statistics
import subprocess
import tempfile

TICK = 0.1  # s, of power and counter


class Program:
    """Plateaus of 0.3 to 20 s, half of them idle."""

    def __init__(self, chance):
        low, high = chance.uniform(50, 120), chance.uniform(250, 650)
        self.length = chance.uniform(120, 400)
        self.begins, self.powers, self.until = [], [], [0.0]
        time = 0.0
        while time < self.length + 5:
            self.begins.append(time)
            self.powers.append(chance.choice([low, low, high, chance.uniform(low, high)]))
            lasts = math.exp(chance.uniform(math.log(0.3), math.log(20)))
            time += lasts
            self.until.append(self.until[-1] + self.powers[-1] * lasts)

    def at(self, time):
        return max(i for i, begin in enumerate(self.begins) if begin <= max(time, 0.0))

    def power(self, time):
        return self.powers[self.at(time)]

    def energy(self, time):
        """Joules since 0; before, the program drew what it drew at first."""
        i = self.at(time)
        return self.until[i] + self.powers[i] * (time - self.begins[i])


def rows_of(program, chance, mean, every):
    phase = chance.uniform(0, TICK)
    for i in range(int(program.length / every)):
        time = i * every + (chance.uniform(0, 0.005) if i else 0.0)
        tick = math.floor((time - phase) / TICK) * TICK + phase
        power = program.power(tick)
        if mean:
            power = (program.energy(tick) - program.energy(tick - mean)) / mean
        yield time, power + chance.gauss(0, 0.3), 5e8 + 1000 * program.energy(tick)


def analyzed(truewatt, folder, rows, columns, windows):
    titles = {"power": "power.draw [W]", "counter": "total_energy_consumption [mJ]"}
    log, named = folder / "log.csv", folder / "windows.csv"
    with open(log, "w") as file:
        print("time_s", *(titles[column] for column in columns), sep=",", file=file)
        for time, power, count in rows:
            cells = {"power": f"{power:.2f}" if power is not None else "[N/A]", "counter": f"{count:.0f}"}
            print(f"{time:.3f}", *(cells[column] for column in columns), sep=",", file=file)
    with open(named, "w") as file:
        print("begin_s,end_s", *(f"{begin:.6f},{end:.6f}" for begin, end in windows), sep="\n", file=file)
    call = subprocess.run([truewatt, "analyze", log, "--windows", named, "-q", "--json", "-"],
                          capture_output=True, text=True)
    return json.loads(call.stdout)["windows"]


def survey(truewatt, folder, logs, columns, mean, every, missing):
    widths, errors, resolved = [], [], 0
    for seed in range(logs):
        chance = random.Random(seed)
        program = Program(chance)
        rows = list(rows_of(program, chance, mean, every))
        answered = [i for i in range(len(rows)) if chance.random() >= missing]
        if missing:
            kept = set(answered)
            rows = [(t, p if i in kept else None, c) for i, (t, p, c) in enumerate(rows)]
        first, last = rows[answered[0]][0], rows[answered[-1]][0]
        begin, end = sorted(chance.uniform(first + 5, last - 5) for _ in range(2))
        windows = [(first, last), (begin, max(end, begin + 5))]
        found = analyzed(truewatt, folder, rows, columns, windows)
        for (begin, end), window in zip(windows, found):
            interval = window["on_sensor_scale_j"]
            if interval is None:
                continue
            truth = program.energy(end) - program.energy(begin)
            half = (interval["upper"] - interval["lower"]) / 2
            widths.append(half / truth)
            errors.append(abs(interval["value"] - truth) / half)
            resolved += window["resolved"]
    held = sum(error <= 1 for error in errors)
    print(f"{'+'.join(columns):14} {'mean' if mean else 'instant':8} {every:4g} s  {100 * missing:3.0f} %  "
          f"{len(errors):3} of {2 * logs}  held {held:3}  worst {max(errors):4.1f}  "
          f"± {100 * statistics.median(widths):6.2f} %  resolved {resolved:3}", flush=True)
    return held, len(errors)


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("truewatt", type=pathlib.Path)
    parser.add_argument("--logs", type=int, default=20, help="of each kind (20)")
    arguments = parser.parse_args()
    truewatt, logs = arguments.truewatt.resolve(), arguments.logs
    print("columns        power     rows   none  numbers            half-widths  median")
    held = numbers = 0
    with tempfile.TemporaryDirectory() as folder:
        for columns, missing in ((("power",), 0.0), (("counter",), 0.0), (("power", "counter"), 0.0),
                                 (("power",), 0.1), (("power",), 0.3)):
            for mean in (0.0, 1.0) if "power" in columns else (0.0,):
                for every in (0.1, 0.5, 1.0, 5.0):
                    one = survey(truewatt, pathlib.Path(folder), logs, columns, mean, every, missing)
                    held, numbers = held + one[0], numbers + one[1]
    print(f"{held} of {numbers} held, {100 * held / numbers:.1f} %")


if __name__ == "__main__":
    main()
