#!/usr/bin/env python3
"""`measure --target` on random simulated devices: is the target reached, and does the interval hold?

usage: scripts/target_survey.py [--devices N] [--first SEED] [--jobs N] [--target SHARE] [--verbose] TRUEWATT

Devices, characterizations and calibrations are those of energy_survey.py. The loads are the ones of Yang et
al. (SC'24, section V): half work, half idle, a quarter of the sensor's update period long, as long, and eight
times as long; and a pulse of 5 to 100 ms, and of 0.3 to 2 s of random work."""

import argparse
import concurrent.futures
import pathlib
import random
import statistics
import sys
import tempfile

from energy_survey import call, knowledge, log_uniform, random_device


def loads(seed, period, folder):
    rng = random.Random(seed + 3_000_000)
    specs = {}
    for name, share in (("25 %", 0.25), ("100 %", 1.0), ("800 %", 8.0)):
        length = share * period
        specs[name] = f"square:period={length:.9f},duty=0.5,duration={length:.9f}"
    specs["pulse"] = f"step:on={log_uniform(rng, 0.005, 0.1):.6f},level={rng.uniform(0.5, 1.0):.3f}"
    rows, t, end = [], 0.0, rng.uniform(0.3, 2.0)
    while t < end:
        rows.append((t, rng.choice([0.0, 0.3, 0.6, 1.0])))
        t += log_uniform(rng, 0.005, 0.3)
    path = pathlib.Path(folder) / "random.csv"
    path.write_text("t_s,level\n" + "".join(f"{a:.6f},{level}\n" for a, level in [*rows, (t, 0.0)]))
    specs["random"] = f"trace:{path}"
    return specs


def survey_device(truewatt, seed, target):
    rows = []
    with tempfile.TemporaryDirectory() as folder:
        selector, period, truth = random_device(seed, folder)
        common = ["-d", selector, "-q"]
        _, known = knowledge(truewatt, common, seed, truth, folder)
        for number, (name, spec) in enumerate(loads(seed, period, folder).items()):
            run = call([truewatt, "measure", *common, "--seed", str(1000 * seed + number), *known, "--load", spec,
                        "--target", target, "--json", "-"])
            rows.append((seed, name, run["devices"][0], run["repetition"], run["notes"]))
    return rows


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("truewatt")
    parser.add_argument("--devices", type=int, default=100)
    parser.add_argument("--first", type=int, default=1)
    parser.add_argument("--jobs", type=int, default=2)
    parser.add_argument("--target", default="1%")
    parser.add_argument("--verbose", action="store_true")
    arguments = parser.parse_args()
    truewatt = str(pathlib.Path(arguments.truewatt).resolve())
    rows = []
    with concurrent.futures.ThreadPoolExecutor(arguments.jobs) as pool:
        futures = [pool.submit(survey_device, truewatt, seed, arguments.target)
                   for seed in range(arguments.first, arguments.first + arguments.devices)]
        for future in futures:
            try:
                rows += future.result()
            except (RuntimeError, KeyError) as error:
                print(f"failed: {error}", file=sys.stderr)
    covered = lambda one: one["energy_j"]["lower"] <= one["truth_j"] <= one["energy_j"]["upper"]
    error = lambda one: abs(one["energy_j"]["value"] / one["truth_j"] - 1)
    print(f"{'load':8} {'devices':>8} {'reached %':>9} {'median off %':>12} {'most %':>7} {'cover %':>8} {'executions':>11} {'trials':>7}")
    for name in (None, *dict.fromkeys(row[1] for row in rows)):
        chosen = [row for row in rows if name in (None, row[1])]
        reached = [row for row in chosen if row[3]["reached"]]
        errors = [error(row[2]) for row in reached] or [float("nan")]
        print(f"{name or 'all':8} {len(chosen):8} {100 * len(reached) / len(chosen):9.1f} {100 * statistics.median(errors):12.3f} "
              f"{100 * max(errors):7.2f} {100 * sum(covered(row[2]) for row in reached) / max(1, len(reached)):8.1f} "
              f"{statistics.median(row[3]['executions'] for row in chosen):11.0f} {max(row[3]['trials'] for row in chosen):7}", flush=True)
    for seed, name, one, repetition, notes in rows:
        missed = not repetition["reached"]
        if arguments.verbose and (missed or not covered(one)):
            print(seed, name, "not reached" if missed else "not covered", repetition, one["reasons"], one["energy_j"],
                  one["truth_j"], [t for t in one["budget"] if t["term"] != "gain"], notes[-1:])


main()
