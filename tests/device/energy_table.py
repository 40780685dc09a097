#!/usr/bin/env python3
"""The table of energy.sh from its folder of runs: net joules a stint, against the reference."""

import collections
import glob
import json
import os
import sqlite3
import sys


def read(path):
    with open(path) as file:
        return json.load(file)


def stints(base):
    if os.path.exists(base + ".csv"):
        with open(base + ".csv") as file:
            spans = [tuple(map(float, line.split(","))) for line in file.read().split()[1:]]
        return len(spans), sum(end - begin for begin, end in spans)
    rows = sqlite3.connect(base + ".db").execute("select begin_ns, end_ns from activity").fetchall()
    # A blind run tells nothing of when what ran: one stint.
    return max(1, len(rows)), sum(end - begin for begin, end in rows) / 1e9


def alone(analysis, count, gross):
    """Net joules a stint by each of the complete sources alone, above the common baseline."""
    found = {}
    for source in analysis["sources"]:
        if source["source"] not in ("energy.counter", "power.samples"):
            continue
        windows = [w["energy_j"] for w in source["windows"]]
        if windows and all(windows):
            spans = sum(w["end_s"] - w["begin_s"] for w in source["windows"])
            joules = sum(w["value"] for w in windows)
            found[source["source"]] = (joules - gross["baseline_w"] * spans) / count
    return found


def strays(analysis):
    """Farthest of a reference's stints from their mean, of gross power, %, by either source alone."""
    found = {}
    for source in analysis["sources"]:
        windows = [w for w in source["windows"] if w["energy_j"]]
        if source["source"] not in ("energy.counter", "power.samples") or len(windows) < 3:
            continue
        powers = [w["energy_j"]["value"] / (w["end_s"] - w["begin_s"]) for w in windows]
        mean = sum(powers) / len(powers)
        found[source["source"]] = round(100 * max(abs(p / mean - 1) for p in powers), 2)
    return found


def one(base):
    analysis = read(base + ".analysis.json")
    count, busy = stints(base)
    result = read(base + ".json")["devices"][0] if os.path.exists(base + ".json") else analysis["combined"]
    if not result["energy_j"] or not result["net_energy_j"]:
        return {"none": result["reasons"]}
    plain = None
    if "budget" in result:
        squares = (t["standard_uncertainty_j"] ** 2 for t in result["budget"] if t["term"] != "gain")
        plain = 1.96 * sum(squares) ** 0.5
    naive = {}
    for name, reader in (result.get("readers") or {}).items():
        if reader and reader["deviation"] is not None:
            naive[name] = round(100 * reader["deviation"], 1)
    return {
        "count": count,
        "busy": busy,
        "gross": result["energy_j"]["value"],
        "plain": plain,
        "net": result["net_energy_j"]["value"] / count,
        "baseline": result["baseline_w"],
        "window": result["window_s"],
        "resolved": result["resolved"],
        "valid": result["valid"],
        "reasons": [r for r in result["reasons"] if r != "uncalibrated_gain"],
        "readers": naive,
        "alone": alone(analysis, count, result),
        "strays": strays(analysis),
    }


def main():
    folder = sys.argv[1]
    groups = collections.defaultdict(dict)
    for path in sorted(glob.glob(os.path.join(folder, "*.analysis.json"))):
        base = path[: -len(".analysis.json")]
        work, _, name = os.path.basename(base).rpartition(".")
        try:
            groups[work][name] = one(base)
        except (OSError, KeyError, TypeError, IndexError) as error:
            print(os.path.basename(base), "cannot be read:", repr(error))
    print("%-24s %8s %10s %7s %9s %9s %9s  %s" % (
        "run", "J net", "from ref %", "of gross", "+- gross%", "counter", "ring", "resolved, reasons; readers, % of ours"))
    for work, runs in groups.items():
        reference = runs.get("ref", {})
        for name, run in sorted(runs.items(), key=lambda item: (item[0] != "ref", item[0])):
            label = work + "." + name
            if "none" in run:
                print("%-24s no number %s" % (label, run["none"]))
                continue
            off = 100 * (run["net"] / reference["net"] - 1) if "net" in reference else float("nan")
            of_gross = (run["net"] - reference["net"]) * run["count"] / run["gross"] * 100 if "net" in reference else 0
            half = "%9.2f" % (100 * run["plain"] / run["gross"]) if run["plain"] else "        -"
            ring, counter = (run["alone"].get(s) for s in ("power.samples", "energy.counter"))
            stray = "; stints stray by %s %%" % run["strays"] if run["strays"] else ""
            print("%-24s %8.3f %10.2f %7.2f %s %9s %9s  %s %s %s%s" % (
                label, run["net"], off, of_gross, half,
                "%.3f" % counter if counter else "-", "%.3f" % ring if ring else "-",
                "resolved" if run["resolved"] else "not resolved", run["reasons"], run["readers"] or "", stray))


main()
