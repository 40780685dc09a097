#!/usr/bin/env python3
"""Table of what street.sh recorded.

usage: street_table.py FOLDER
"""
import json
import pathlib
import sqlite3
import sys

folder = pathlib.Path(sys.argv[1])


def shown(interval):
    if interval is None:
        return "none"
    half = (interval["upper"] - interval["lower"]) / 2
    return f"{interval['value']:.1f} +- {half:.1f} ({100 * half / interval['value']:.2f} %)"


def polled(path, begin_s, end_s):
    """J: what a poller makes of the average that `nvidia-smi` shows, each value until the next."""
    rows = sqlite3.connect(path)
    offset, = rows.execute("SELECT realtime_ns - monotonic_ns FROM clock_pairs").fetchone()
    seen = rows.execute("SELECT t_ns, value FROM sample_rows JOIN sources ON sources.id = sample_rows.source"
                        " WHERE sources.source = 'power.average' AND value IS NOT NULL ORDER BY t_ns").fetchall()
    times = [(t + offset) / 1e9 for t, _ in seen] + [float("inf")]
    return sum(watts * max(0.0, min(end_s, times[i + 1]) - max(begin_s, times[i]))
               for i, (_, watts) in enumerate(seen))


for path in sorted(folder.glob("*.db")):
    for source, changes, length in sqlite3.connect(path).execute(
            "SELECT sources.source, COUNT(value), (end_ns - begin_ns) / 1e9 FROM sources"
            " JOIN sample_rows ON sample_rows.source = sources.id GROUP BY sources.id"):
        if "counter" in source:
            print(f"{path.name} {source}: {changes} counts in {length:.1f} s")

for path in sorted(folder.glob("loop-*.json")):
    if path.name.endswith("-run.json"):
        run = json.loads(path.read_text())
        for device in run["devices"]:
            print(path.name, "whole run:", shown(device["energy_j"]), device["resolved"], device["reasons"])
        continue
    found = json.loads(path.read_text())
    loop = found["windows"][0]
    counter = path.with_name(path.name.split(".")[0].removesuffix("-plain") + ".csv.counter")
    naive = float(counter.read_text()) if counter.exists() else float("nan")
    run = path.with_name(path.name.split(".")[0].removesuffix("-plain") + ".db")
    begin_s, end_s = map(float, run.with_suffix(".csv").read_text().splitlines()[1].split(",")[:2])
    steps = [w["energy_j"]["value"] for w in found["windows"][1:] if w["energy_j"]]
    print(path.name, "loop:", shown(loop["on_sensor_scale_j"]), "resolved", loop["resolved"],
          "| counter's difference", naive, "| polled", round(polled(run, begin_s, end_s), 1), "| sum of", len(steps), "steps", round(sum(steps), 1),
          "| by source", {k: round(v["value"], 1) for k, v in loop["per_source"].items()})
    for label in found["labels"]:
        print("   ", label["label"], label["count"], shown(label["mean_j"]), "scatter", label["scatter_j"])
for path in sorted(folder.glob("ddp-*.json")):
    run = json.loads(path.read_text())
    for device in run["devices"]:
        print(path.name, shown(device["energy_j"]), device["resolved"], device["reasons"])
    if run.get("total"):
        print(path.name, "total", shown(run["total"]["energy_j"]))
