#!/usr/bin/env python3
"""Characterizes random simulated devices and compares with what they are.

usage: scripts/characterization_survey.py [--devices N] [--first SEED] [--jobs N] [--yang N]
       [--verbose] TRUEWATT

Every device is drawn from its seed and none is left out: update period 8-250 ms, averaging window
from 5 % of it to 1.2 s, time constant 0-1 s, delay 0-50 ms, gain 0.9-1.1, jitter to 5 % of the
period, noise to 2 W, a board that rises in up to 300 ms and overshoots by up to 15 %, client
caches with double values, stalls of the driver.

--yang N plays ours and the whole protocol of Yang, Adamek, Armour (SC'24), 47 minutes of virtual time, on
the first N devices instead, and prints both tables. A window is compared with the equivalent W + 2C."""

import argparse
import concurrent.futures
import json
import math
import os
import pathlib
import random
import subprocess
import sys
import tempfile


def log_uniform(rng, low, high):
    return math.exp(rng.uniform(math.log(low), math.log(high)))


def draw(seed):
    rng = random.Random(seed)
    period = log_uniform(rng, 0.008, 0.25)
    device = {
        "period": period,
        "window": log_uniform(rng, 0.05 * period, 1.2),
        "lag": 0.0 if rng.random() < 0.4 else log_uniform(rng, 0.002, 1.0),
        "delay": rng.uniform(0.0, 0.05),
        "gain": rng.uniform(0.9, 1.1),
        "jitter": rng.uniform(0.0, 0.05) * period,
        "noise": rng.uniform(0.0, 2.0),
        "quantum": rng.choice([0.001, 0.1, 1.0]),
        "idle": rng.uniform(20.0, 120.0),
        "step": rng.uniform(80.0, 500.0),
        "rise": 0.0 if rng.random() < 0.4 else log_uniform(rng, 0.005, 0.3),
        "rise_fraction": rng.choice([1.0, rng.uniform(0.2, 1.0)]),
        "overshoot": 0.0 if rng.random() < 0.5 else rng.uniform(0.0, 0.15),
        "overshoot_time": log_uniform(rng, 0.03, 0.3),
        "double": rng.random() < 0.2,
        "stalls": [[rng.uniform(2.0, 45.0), rng.uniform(0.005, 0.05)] for _ in range(rng.choice([0, 0, 4, 10]))],
    }
    device["stalls"].sort()
    return device


def toml_of(seed, d):
    # As on an H200: the driver's client refreshes what it shows, from a source that updates every ms.
    cache = f"client_cache_s = {d['period']}\nclient_double = true\n" if d["double"] else ""
    inner = 0.001 if d["double"] else d["period"]
    jitter = 0.0 if d["double"] else d["jitter"]
    return f"""name = "random {seed}"
[power]
sleep_w = {0.6 * d['idle']}
idle_w = {d['idle']}
max_w = {d['idle'] + d['step']}
rise_time_constant_s = {d['rise']}
rise_fraction = {d['rise_fraction']}
overshoot = {d['overshoot']}
overshoot_time_constant_s = {d['overshoot_time']}
[[sensor]]
source = "power.instant"
update_period_s = {inner}
averaging_window_s = {d['window']}
time_constant_s = {d['lag']}
delay_s = {d['delay']}
gain = {d['gain']}
jitter_s = {jitter}
quantum = {d['quantum']}
noise_w = {d['noise']}
{cache}[faults]
stalls = {json.dumps(d['stalls'])}
"""


def characterize(truewatt, seed, folder):
    device = draw(seed)
    path = pathlib.Path(folder) / f"{seed}.toml"
    path.write_text(toml_of(seed, device))
    status, output, errors, spent = timed([truewatt, "characterize", "-d", f"sim:{path}", "--seed", str(seed),
                                           "-q", "--json", "-"])
    if status != 0:
        return seed, device, None, errors, spent
    return seed, device, json.loads(output), "", spent


def timed(command):
    """What a command wrote, and its own CPU seconds, whatever runs beside it."""
    with tempfile.TemporaryFile("w+") as output, tempfile.TemporaryFile("w+") as errors:
        process = subprocess.Popen(command, stdout=output, stderr=errors)
        _, status, usage = os.wait4(process.pid, 0)
        process.returncode = os.waitstatus_to_exitcode(status)
        output.seek(0)
        errors.seek(0)
        return process.returncode, output.read(), errors.read(), usage.ru_utime + usage.ru_stime


def equivalent_window(source):
    window, lag = source["averaging_window_s"], source["time_constant_s"]
    if source.get("protocol_values"):
        return window["value"] if window else None
    return window["value"] + 2 * lag["value"] if window and lag else None


def both_procedures(truewatt, seed, folder):
    """One device by the joint fit and by the paper's procedure: what is true of each."""
    device = draw(seed)
    path = pathlib.Path(folder) / f"{seed}.toml"
    path.write_text(toml_of(seed, device))
    truth = device["window"] + 2 * device["lag"]
    found = []
    for words in ([], ["--protocol", "yang"]):
        status, output, errors, cpu_s = timed([truewatt, "characterize", "-d", f"sim:{path}", "--seed", str(seed),
                                               "-q", "--json", "-", *words])
        if status != 0:
            found.append(({}, 0.0, cpu_s, f"device {seed}: {errors.strip()}"))
            continue
        profile = json.loads(output)
        source = profile["sources"][0]
        period = source["update_period_s"]
        off = abs(period["value"] / device["period"] - 1) if period else math.inf
        tolerance = max(0.005, 2.5 * device["jitter"] / device["period"]
                        * math.sqrt(device["period"] / profile["duration_s"]))
        window = equivalent_window(source)
        error = math.inf if window is None else abs(window - truth)
        found.append(({"T in tolerance": off <= tolerance, "T in 0.5 %": off <= 0.005,
                       "W + 2C given": window is not None,
                       "of all: W + 2C in max(1 ms, 3 %)": error <= max(0.001, 0.03 * truth),
                       "of all: W + 2C in max(1 ms, 10 %)": error <= max(0.001, 0.1 * truth)},
                      profile["duration_s"], cpu_s, ""))
    return found


def beside_the_paper(truewatt, devices, first, jobs, folder):
    """Both procedures on the same devices. What failed counts as wrong."""
    names = ["T in tolerance", "T in 0.5 %", "W + 2C given", "of all: W + 2C in max(1 ms, 3 %)",
             "of all: W + 2C in max(1 ms, 10 %)"]
    rows = {name: [Tally(), Tally()] for name in names}
    device_s, cpu_s = [0.0, 0.0], [0.0, 0.0]
    with concurrent.futures.ThreadPoolExecutor(jobs) as pool:
        answers = pool.map(lambda s: both_procedures(truewatt, s, folder), range(first, first + devices))
        for done, found in enumerate(answers, 1):
            for i, (holds, virtual_s, spent_s, error) in enumerate(found):
                if error:
                    print(error)
                device_s[i] += virtual_s
                cpu_s[i] += spent_s
                for name in names:
                    rows[name][i].add(holds.get(name, False))
            if done % 50 == 0:
                print(f"{done} of {devices} devices", file=sys.stderr, flush=True)
    print(f"{devices} devices: the joint fit | the paper's procedure")
    for name, (ours, theirs) in rows.items():
        print(f"{name:34} {ours} | {theirs}")
    print(f"{'device time a device':34} {device_s[0] / devices:.0f} s | {device_s[1] / devices:.0f} s")
    print(f"{'CPU a device, simulation included':34} {cpu_s[0] / devices:.2f} s | {cpu_s[1] / devices:.2f} s")


class Tally:
    def __init__(self):
        self.held, self.total = 0, 0

    def add(self, holds):
        self.held += bool(holds)
        self.total += 1

    def __str__(self):
        share = 100.0 * self.held / self.total if self.total else float("nan")
        return f"{self.held:5d} of {self.total:5d}  {share:6.1f} %"


def covers(interval, truth):
    lower = -math.inf if interval["lower"] is None else interval["lower"]
    upper = math.inf if interval["upper"] is None else interval["upper"]
    return lower <= truth <= upper


def judge(device, profile, tallies, remarks):
    source = profile["sources"][0]
    period = source["update_period_s"]
    tolerance = max(0.005, 2.5 * device["jitter"] / device["period"]
                    * math.sqrt(device["period"] / profile["duration_s"]))
    good = period is not None and abs(period["value"] / device["period"] - 1) <= tolerance
    tallies["T in tolerance"].add(good)
    if not good:
        remarks.append("T")
    if period is None:
        return
    tallies["T covered"].add(covers(period, device["period"]))
    if not covers(period, device["period"]):
        remarks.append("Tcov")
    window = source["averaging_window_s"]
    is_resolved = window is not None
    tallies["W resolved"].add(is_resolved)
    if device["window"] >= 0.15 * device["lag"]:
        tallies["W resolved where W >= 0.15 C"].add(is_resolved)
    if is_resolved:
        good = abs(window["value"] - device["window"]) <= max(0.001, 0.03 * device["window"])
        tallies["W in tolerance where resolved"].add(good)
        if not good:
            remarks.append("W")
    elif device["window"] >= 0.15 * device["lag"]:
        remarks.append("unresolved")
    if window:
        tallies["W covered"].add(covers(window, device["window"]))
        if not covers(window, device["window"]):
            remarks.append("Wcov")
    delay = source["delay_s"]
    if delay:
        tallies["d covered"].add(covers(delay, device["delay"]))
    lag = source["time_constant_s"]
    late = source["total_lag_s"]
    total = (device["delay"] + device["window"] / 2 + device["lag"]
             + device["rise_fraction"] * device["rise"]
             - device["overshoot"] * device["overshoot_time"])
    tallies["total lag covered"].add(late and covers(late, total))
    if lag is None:
        good = late is not None and abs(late["value"] / total - 1) <= 0.05
        tallies["total lag in 5 % where C is open"].add(good)
        if not good:
            remarks.append("total")
    if lag is not None or window is not None:
        is_filter = 2 * device["lag"] > device["window"]
        right = (2 * (lag["value"] if lag else 0.0) > (window["value"] if window else 0.0)) == is_filter
        tallies["boxcar or filter right"].add(right)
        if not right:
            remarks.append("structure")
    if lag is None:
        tallies["lag left open"].add(True)
    else:
        tallies["lag left open"].add(False)
        if lag["value"] == 0 or device["lag"] == 0:
            tallies["C covered"].add(covers(lag, device["lag"]))
        else:
            good = abs(lag["value"] / device["lag"] - 1) <= 0.05
            tallies["C in 5 %"].add(good)
            tallies["C covered"].add(covers(lag, device["lag"]))
            if not good:
                remarks.append("C")
    tallies["duration <= 60 s"].add(profile["duration_s"] <= 60.0)


NAMES = ["T in tolerance", "T covered", "W resolved", "W resolved where W >= 0.15 C",
         "W in tolerance where resolved", "W covered", "d covered", "boxcar or filter right", "C in 5 %",
         "C covered", "lag left open", "total lag covered", "total lag in 5 % where C is open", "duration <= 60 s"]


def main():
    parser = argparse.ArgumentParser(description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("truewatt")
    parser.add_argument("--devices", type=int, default=1000)
    parser.add_argument("--first", type=int, default=1)
    parser.add_argument("--jobs", type=int, default=2)
    parser.add_argument("--verbose", action="store_true", help="say which devices missed, and how")
    parser.add_argument("--yang", type=int, default=0, metavar="N",
                        help="only compare with the paper's procedure, on so many devices")
    arguments = parser.parse_args()
    if arguments.yang > 0:
        with tempfile.TemporaryDirectory() as folder:
            beside_the_paper(arguments.truewatt, arguments.yang, arguments.first, arguments.jobs, folder)
        return 0
    tallies = {name: Tally() for name in NAMES}
    failed = 0
    times = []
    with tempfile.TemporaryDirectory() as folder, \
            concurrent.futures.ThreadPoolExecutor(arguments.jobs) as pool:
        seeds = range(arguments.first, arguments.first + arguments.devices)
        for seed, device, profile, error, spent in pool.map(
                lambda s: characterize(arguments.truewatt, s, folder), seeds):
            times.append(spent)
            if profile is None:
                failed += 1
                print(f"device {seed}: {error.strip()}")
                continue
            remarks = []
            judge(device, profile, tallies, remarks)
            if remarks and arguments.verbose:
                source = profile["sources"][0]
                text = " ".join(f"{k}={v:.4g}" for k, v in device.items() if isinstance(v, float))
                print(f"device {seed}: {' '.join(remarks)}\n   {text} double={device['double']}")
                for key in ("update_period_s", "averaging_window_s", "time_constant_s", "delay_s"):
                    if source[key]:
                        print(f"   {key} {source[key]['value']:.5g} "
                              f"[{source[key]['lower']}, {source[key]['upper']}]")
    for name, tally in tallies.items():
        print(f"{name:32} {tally}")
    times.sort()
    print(f"{failed} failed; CPU {sum(times) / max(1, len(times)):.2f} s a device, simulation included, "
          f"median {times[len(times) // 2]:.2f} s, longest {times[-1]:.2f} s, {sum(t > 2.0 for t in times)} over 2 s")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
