#!/usr/bin/env python3
"""Energies of single runs on simulated devices, against the true joules.

usage: scripts/energy_survey.py [--devices N] [--first SEED] [--jobs N] [--builtin] [--shape NAME]
       [--recipe] [--verbose] TRUEWATT

Every random device is drawn from its seed (characterization_survey.py; half of them with an energy
counter, a third with a trailing average beside the power source) and characterized and calibrated
first; --builtin takes the built-in ones instead, each ten times: the error of a calibration is drawn
once for all loads of a device. On each, 15 loads of 1 to 4.5 s run once: steps,
pulses in step with the sensor, nearly so, and not,
bursts of 2 to 400 ms, random work, and nine made after the phases of common workloads. Each run is
estimated twice, with and without knowing when what ran (`--blind`); a device's source is complete if
it is an energy counter or its alias gain is below 0.02. Beside that stand the readings
as a poller holds them, Burtscher 2014's formula (`--protocol k20power`), and with --recipe Yang 2024's
good practice (its section V): the load 32 times, with a pause of a window after every fourth where
the sensor looks part of the time, what runs within the sensor's rise left out, the readings moved
by half a window, and their mean. All of them get the same gain and offset."""

import argparse
import concurrent.futures
import json
import math
import pathlib
import random
import sqlite3
import subprocess
import sys
import tempfile

from characterization_survey import draw, log_uniform, toml_of

# Gain and offset (W) of the built-in devices' sources (model/builtin_devices.cpp).
BUILTIN = {"k20": (1, 0), "k40": (1.0192, 0.9), "p100": (0.9928, 0.88), "v100": (1, 0), "turing": (0.9666, -5.8),
           "rtx3090": (0.951, 0), "rtx4090": (1.0445, -12.35), "a100": (0.9585, -2.2), "h100": (1, 0), "h200": (1, 0),
           "gh200": (1, 0)}


def more_sources(rng, device):
    """An energy counter and a trailing average behind the same filter, gain and offset."""
    text = ""
    same = f"gain = {device['gain']}\ntime_constant_s = {device['lag']}\n"
    if rng.random() < 0.5:
        text += f"""[[sensor]]
source = "energy.counter"
update_period_s = {log_uniform(rng, 0.02, 0.1)}
delay_s = {rng.uniform(0.0, 0.005)}
inner_period_s = {rng.choice([0.0, 0.001])}
quantum = 0.001
jitter_s = 0.0005
{same}"""
    if rng.random() < 0.33:
        text += f"""[[sensor]]
source = "power.average"
update_period_s = {device['period']}
averaging_window_s = 1.0
quantum = 0.001
noise_w = 0.1
{same}"""
    return text


def random_device(seed, folder):
    device = draw(seed)
    text = toml_of(seed, device)
    sensors, faults = text.split("[faults]")
    path = pathlib.Path(folder) / f"{seed}.toml"
    extra = more_sources(random.Random(seed + 1_000_000), device)
    path.write_text(sensors + extra + "[faults]" + faults)
    return f"sim:{path}", device["period"], (device["gain"], 0.0)


def pulses(period, duty, duration):
    return f"square:period={period:.9f},duty={duty:.4f},duration={duration:.6f}"


def piecewise(rng, phases, duration, jitter=0.0):
    """Rows of a trace that repeats (seconds, level) phases for `duration`."""
    rows, t = [], 0.0
    while t < duration:
        for length, level in phases:
            rows.append((t, level))
            t += length * (1 + rng.uniform(-jitter, jitter))
    rows.append((t, 0.0))
    return rows


# After the phases of the nine workloads of Yang et al. (SC'24), Table II: lengths in seconds and
# levels are ours.
WORKLOADS = {
    "cublas": lambda rng: [(rng.uniform(0.15, 0.4), 1.0), (0.004, 0.0)],
    "cufft": lambda rng: [(0.006, 0.7), (0.002, 0.2)],
    "nvjpeg": lambda rng: [(0.03, 0.45), (0.05, 0.05)],
    "stereo": lambda rng: [(0.020, 0.6), (0.012, 0.0)],
    "blackscholes": lambda rng: [(0.0016, 0.8), (0.0004, 0.0)],
    "quasirandom": lambda rng: [(0.010, 0.5), (0.001, 0.0)],
    "resnet50": lambda rng: [(0.025, 0.8), (0.055, 0.95), (0.012, 0.4), (0.015, 0.0)],
    "retinanet": lambda rng: [(0.12, 0.85), (0.21, 0.7), (0.03, 0.3), (0.07, 0.0)],
    "bert": lambda rng: [(0.09, 0.9), (0.17, 1.0), (0.02, 0.5)],
}


def loads(seed, period, folder):
    rng = random.Random(seed + 2_000_000)
    long = lambda: rng.uniform(1.5, 4.5)
    cycles = lambda p: p * math.ceil(long() / p)
    specs = {}

    def trace(name, rows):
        path = pathlib.Path(folder) / f"{seed}-{name}.csv"
        path.write_text("t_s,level\n" + "".join(f"{t:.6f},{level:.4f}\n" for t, level in rows))
        specs[name] = f"trace:{path}"

    specs["step"] = f"step:on={rng.uniform(1.0, 3.0):.6f},level={rng.uniform(0.3, 1.0):.3f}"
    locked = period if period > 0.02 else 4 * period
    specs["locked"] = pulses(locked, rng.uniform(0.2, 0.8), cycles(locked))
    near = 1.02 * locked
    specs["near"] = pulses(near, rng.uniform(0.2, 0.8), cycles(near))
    free = locked * rng.uniform(1.2, 1.8)
    specs["free"] = pulses(free, rng.uniform(0.2, 0.8), cycles(free))
    on = log_uniform(rng, 0.002, 0.4)
    specs["bursts"] = f"burst:on={on:.6f},gap={max(0.05, 2 * on):.6f},jitter={max(0.05, on):.6f},count={math.ceil(3 / max(0.1, 3.5 * on))}"
    rows, t = [], 0.0
    while t < 3.0:
        rows.append((t, rng.choice([0.0, 0.3, 0.6, 1.0])))
        t += log_uniform(rng, 0.005, 0.3)
    trace("random", rows + [(t, 0.0)])
    for name, phases in WORKLOADS.items():
        trace(name, piecewise(rng, phases(rng), long(), jitter=0.03))
    return specs


def call(command):
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    if not done.stdout:
        raise RuntimeError(f"{' '.join(command)}: {done.stderr.strip()}")
    return json.loads(done.stdout)


def calibration(seed, device, source, truth):
    """Gain and offset as a good meter leaves them: off by 0.05 % and 0.05 W, standard deviation."""
    rng = random.Random(f"{seed} {source['source']}")
    interval = lambda x, sd: {"value": x, "lower": x - 1.96 * sd, "upper": x + 1.96 * sd, "level": 0.95}
    gain, offset = truth
    return {"schema": "truewatt.calibration/1", "device": device, "source": source["source"], "scope": source["scope"],
            "created": "2000-01-01T00:00:00Z", "gain": interval(gain * (1 + rng.gauss(0, 0.0005)), 0.0005 * gain),
            "offset_w": interval(offset + rng.gauss(0, 0.05), 0.05), "r_squared": 1.0, "meter": "survey", "levels": [],
            "terms": [], "reasons": []}


def knowledge(truewatt, common, seed, truth, folder):
    """A characterization of the device and its calibrations, as a document and as options that name their files."""
    profile = pathlib.Path(folder) / "profile.json"
    described = call([truewatt, "characterize", *common, "--seed", str(seed), "--json", "-"])
    profile.write_text(json.dumps(described))
    options = ["--profile", str(profile)]
    for source in described["sources"]:
        path = pathlib.Path(folder) / f"{source['source']}@{source['scope']}.json"
        path.write_text(json.dumps(calibration(seed, described["device"], source, truth)))
        options += ["--calibration", str(path)]
    return described, options


def by_recipe(call_measure, folder, run, source, truth):
    """Share by which Yang 2024's recipe is off on the load of a run file, from 32 repetitions."""
    name, scope = source["source"], source["scope"]
    window = (source["averaging_window_s"] or source["fitted"]["averaging_window_s"])["value"]
    lag = source["fitted"]["time_constant_s"]["value"]
    looks = window + 2 * lag
    period = source["update_period_s"]["value"]
    with sqlite3.connect(run) as file:
        begin, end = file.execute("select begin_ns, end_ns from windows").fetchone()
        rows = file.execute("select begin_ns, end_ns, level from activity order by begin_ns").fetchall()
    once = (end - begin) / 1e9
    steps, starts, t = [], [], 0.0  # steps in microseconds
    for repeat in range(32):
        if repeat and repeat % 4 == 0 and looks < period:
            t += looks
        starts.append(t)
        for a, b, level in rows:
            a, b = round(1e6 * t + (a - begin) / 1e3), round(1e6 * t + (b - begin) / 1e3)
            if steps and a <= steps[-1][0] + 1:
                a = steps.pop()[0]
            steps += [(a, float(level.removeprefix("level="))), (max(b, a + 1), 0.0)]
        t += once
    path = pathlib.Path(folder) / "recipe.csv"
    path.write_text("t_s,level\n" + "".join(f"{a / 1e6:.6f},{level}\n" for a, level in steps) + f"{max(t, steps[-1][0] / 1e6 + 1e-6):.6f},0\n")
    out = pathlib.Path(folder) / "recipe.db"
    out.unlink(missing_ok=True)
    repeated = call_measure(["--load", f"trace:{path}", "--out", str(out)])
    with sqlite3.connect(out) as file:
        zero = file.execute("select begin_ns from windows").fetchone()[0]
        named = name + ("" if scope == "gpu" else "@" + scope)
        samples = file.execute("select (t_before_ns + t_ns) / 2, value from samples where source = ? order by t_ns", (named,)).fetchall()
    gain, offset = truth
    late = window / 2 + lag
    readings = [((t_ns - zero) / 1e9 - late, (value - offset) / gain) for t_ns, value in samples if value is not None]
    kept = next((s for s in starts if s >= 0.25 + window + 3 * lag), starts[-1])
    inside = [(a, w) for a, w in readings if kept <= a <= t]
    if len(inside) < 2:
        return None
    joules = sum((b[0] - a[0]) * (a[1] + b[1]) / 2 for a, b in zip(inside, inside[1:]))
    joules += (inside[0][0] - kept) * inside[0][1] + (t - inside[-1][0]) * inside[-1][1]
    # What the repetitions before cost is that of as much of the whole.
    return joules / (repeated["truth_j"] * (t - kept) / t) - 1


def alias_gain(source):
    """What a source makes of a load in step with it, at most (docs/method.md, section 6)."""
    fitted, period = source["fitted"], source["update_period_s"]["value"]
    window, lag = (fitted[k]["value"] for k in ("averaging_window_s", "time_constant_s"))

    def gain(harmonic):
        x = math.pi * harmonic * window / period
        return (abs(math.sin(x) / x) if x > 1e-9 else 1.0) / math.hypot(1, 2 * math.pi * harmonic * lag / period)

    return max(map(gain, range(1, 6)))


def looks_all_the_time(source):
    usable = source["verdict"] != "unusable" and source["scope"] == "gpu"
    return usable and (source["source"] == "energy.counter" or bool(source["fitted"]) and alias_gain(source) < 0.02)


def survey_device(truewatt, seed, builtin, only, recipe):
    rows = []
    with tempfile.TemporaryDirectory() as folder:
        if builtin:
            selector, period, truth = f"sim:{builtin}", 0.1, BUILTIN[builtin]
        else:
            selector, period, truth = random_device(seed, folder)
        common = ["-d", selector, "-q"]
        described, known = knowledge(truewatt, common, seed, truth, folder)
        for number, (name, spec) in enumerate(loads(seed, period, folder).items()):
            if only and name not in only:
                continue
            # The seed draws noise and phases: each run has its own.
            common[3:] = ["--seed", str(100 * seed + number)]
            measure = lambda options: call([truewatt, "measure", *common, *known, "--protocol", "k20power", "--json", "-", *options])["devices"][0]
            file = pathlib.Path(folder) / "run.db"
            for blind in (False, True):
                file.unlink(missing_ok=True)
                run = measure(["--load", spec, "--out", str(file), *(["--blind"] if blind else [])])
                if recipe and not blind:
                    read = next(s for s in described["sources"] if s["source"] == list(run["naive_j"])[-1])
                    run["recipe"] = by_recipe(measure, folder, file, read, truth)
                run["gain"], run["offset"] = truth
                run["complete"] = any(map(looks_all_the_time, described["sources"]))
                rows.append((seed, builtin, name, blind, run))
    return rows


def quantile(values, q):
    values = sorted(values)
    return values[min(len(values) - 1, int(q * len(values)))] if values else math.nan


def line(name, rows):
    given = [r for r in rows if r["energy_j"]]
    resolved = [r for r in given if r["resolved"]]
    error = lambda r: abs(r["energy_j"]["value"] / r["truth_j"] - 1)
    covered = lambda r: r["energy_j"]["lower"] <= r["truth_j"] <= r["energy_j"]["upper"]
    off = [r for r in resolved if error(r) > 0.03 and not covered(r)]
    off_by = lambda r, joules, seconds: abs((joules - r["offset"] * seconds) / r["gain"] / r["truth_j"] - 1)
    power = lambda r: [v for k, v in r["naive_j"].items() if k != "energy.counter" and v is not None]
    naive = [off_by(r, power(r)[-1], r["window_s"]) for r in rows if power(r)]
    read = [(r, r["readers"]["k20power"]) for r in rows if r["readers"].get("k20power")]
    formula = [off_by(r, by["energy_j"], by["over_s"]) for r, by in read if by["energy_j"] and by["over_s"]]
    recipe = [abs(r["recipe"]) for r in rows if r.get("recipe") is not None]
    errors = [error(r) for r in resolved]
    share = lambda n, of: 100 * n / of if of else math.nan
    print(f"{name:24} {len(rows):6} {share(len(resolved), len(rows)):7.1f} {100 * quantile(errors, 0.5):8.3f} "
          f"{100 * quantile(errors, 0.99):8.2f} {100 * max(errors, default=math.nan):8.2f} "
          f"{share(sum(map(covered, resolved)), len(resolved)):8.1f} {len(off):5} "
          + " ".join(f"{100 * quantile(x, 0.5):6.2f} {100 * quantile(x, 0.95):6.1f}" for x in (naive, formula, recipe)), flush=True)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("truewatt")
    parser.add_argument("--devices", type=int, help="200; with --builtin so many of each, 10")
    parser.add_argument("--first", type=int, default=1)
    parser.add_argument("--jobs", type=int, default=2)
    parser.add_argument("--builtin", action="store_true")
    parser.add_argument("--shape", action="append")
    parser.add_argument("--recipe", action="store_true")
    parser.add_argument("--verbose", action="store_true")
    arguments = parser.parse_args()
    truewatt = str(pathlib.Path(arguments.truewatt).resolve())
    count = arguments.devices or (10 if arguments.builtin else 200)
    seeds = range(arguments.first, arguments.first + count)
    jobs = [(seed, name) for seed in seeds for name in (BUILTIN if arguments.builtin else [None])]
    rows = []
    with concurrent.futures.ThreadPoolExecutor(arguments.jobs) as pool:
        futures = [pool.submit(survey_device, truewatt, seed, name, arguments.shape, arguments.recipe) for seed, name in jobs]
        for future in futures:
            try:
                rows += future.result()
            except (RuntimeError, KeyError) as error:
                print(f"failed: {error}", file=sys.stderr)
    print(f"{'load':24} {'runs':>6} {'resolved':>7} {'median %':>8} {'p99 %':>8} {'max %':>8} {'cover %':>8} {'> 3 %':>5} "
          f"{'naive: median, p95 %':>13} {'001':>13} {'000':>13}")
    for blind in (False, True):
        chosen = [r for r in rows if r[3] == blind]
        line("blind: all" if blind else "known: all", [r[4] for r in chosen])
        if blind:
            line("blind: complete source", [r[4] for r in chosen if r[4]["complete"]])
            line("blind: part-time alone", [r[4] for r in chosen if not r[4]["complete"]])
        for name in sorted({r[2] for r in chosen}):
            line(("blind: " if blind else "known: ") + name, [r[4] for r in chosen if r[2] == name])
    if not arguments.verbose:
        return
    for seed, builtin, name, blind, run in rows:
        if not run["energy_j"]:
            print(f"{builtin or seed} {name} {'blind' if blind else 'known'}: no number, {run['reasons']}")
            continue
        e, truth = run["energy_j"], run["truth_j"]
        half = (e["upper"] - e["lower"]) / 2
        print(f"{builtin or seed} {name} {'blind' if blind else 'known'} {run['method']} {run['source']}: "
              f"error {100 * (e['value'] / truth - 1):+.3f} %, half {100 * half / truth:.3f} %, "
              f"z {(e['value'] - truth) / (half / 1.96):+.2f}, resolved {run['resolved']} {run['reasons']}")


if __name__ == "__main__":
    main()
