#!/usr/bin/env python3
"""Are readings that a driver computes from the load's activity told from measured ones?

usage: scripts/computed_readings_survey.py [--devices N] [--first SEED] [--jobs N] [--verbose] TRUEWATT

Characterizes three kinds of random simulated devices, N of each (100), drawn from their seeds, none left out,
and prints how many have the response "estimated":

computed    update period 8-250 ms, activity counted over 0.3-1 of it in 4 to 64 steps up to full, delay to
            50 ms, weights 30 % off, ticks that jitter by up to 5 %; the board behind is slow, overshoots,
            drifts and fluctuates, which none of its readings shows
measured    the devices of characterization_survey.py
converter   those with a coarse converter instead: 20 to 400 steps from idle to full
"""

import argparse
import concurrent.futures
import json
import pathlib
import random
import subprocess
import sys
import tempfile

from characterization_survey import draw, log_uniform, toml_of


def computed_toml(seed):
    rng = random.Random(f"computed {seed}")
    period = log_uniform(rng, 0.008, 0.25)
    idle = rng.uniform(20.0, 120.0)
    return f"""name = "computed {seed}"
[power]
sleep_w = {0.6 * idle}
idle_w = {idle}
max_w = {idle + rng.uniform(80.0, 500.0)}
rise_time_constant_s = {log_uniform(rng, 0.005, 0.3)}
rise_fraction = {rng.uniform(0.2, 1.0)}
overshoot = {rng.uniform(0.0, 0.15)}
drift_w = {rng.uniform(0.0, 10.0)}
noise_w = {rng.uniform(0.3, 2.0)}
[[sensor]]
source = "power.usage"
activity_steps = {round(log_uniform(rng, 4.0, 64.0))}
update_period_s = {period}
averaging_window_s = {rng.uniform(0.3, 1.0) * period}
delay_s = {rng.uniform(0.0, 0.05)}
gain = {rng.uniform(0.7, 1.3)}
jitter_s = {rng.uniform(0.0, 0.05) * period}
quantum = {rng.choice([0.001, 0.1, 1.0])}
"""


def converter_toml(seed):
    rng = random.Random(f"converter {seed}")
    device = draw(seed)
    device["quantum"] = device["step"] * device["gain"] / log_uniform(rng, 20.0, 400.0)
    return toml_of(seed, device)


KINDS = {"computed": computed_toml, "measured": lambda seed: toml_of(seed, draw(seed)),
         "converter": converter_toml}


def characterize(truewatt, kind, seed, folder):
    path = pathlib.Path(folder) / f"{kind}{seed}.toml"
    path.write_text(KINDS[kind](seed))
    run = subprocess.run([truewatt, "characterize", "-d", f"sim:{path}", "--seed", str(seed), "-q",
                          "--json", "-"], capture_output=True, text=True, check=False)
    return seed, json.loads(run.stdout)["sources"][0] if run.returncode == 0 else None, run.stderr


def main():
    parser = argparse.ArgumentParser(description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("truewatt")
    parser.add_argument("--devices", type=int, default=100)
    parser.add_argument("--first", type=int, default=1)
    parser.add_argument("--jobs", type=int, default=2)
    parser.add_argument("--kinds", nargs="+", default=list(KINDS), choices=list(KINDS))
    parser.add_argument("--verbose", action="store_true", help="say which devices were taken wrong")
    arguments = parser.parse_args()
    failed = 0
    with tempfile.TemporaryDirectory() as folder, \
            concurrent.futures.ThreadPoolExecutor(arguments.jobs) as pool:
        seeds = range(arguments.first, arguments.first + arguments.devices)
        for kind in arguments.kinds:
            called = 0
            for seed, source, error in pool.map(
                    lambda s, k=kind: characterize(arguments.truewatt, k, s, folder), seeds):
                if source is None:
                    failed += 1
                    print(f"{kind} {seed}: {error.strip()}")
                    continue
                is_estimated = source["response"] == "estimated"
                called += is_estimated
                if arguments.verbose and is_estimated != (kind == "computed"):
                    print(f"{kind} {seed}: {source['response']}, {source['reasons']}")
            print(f"{kind:10} {called:5d} of {arguments.devices:5d} have the response \"estimated\"")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
