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
    steps = [w["energy_j"]["value"] for w in found["windows"][1:] if w["energy_j"]]
    print(path.name, "loop:", shown(loop["on_sensor_scale_j"]), "resolved", loop["resolved"],
          "| counter's difference", naive, "| sum of", len(steps), "steps", round(sum(steps), 1),
          "| by source", {k: round(v["value"], 1) for k, v in loop["per_source"].items()})
    for label in found["labels"]:
        print("   ", label["label"], label["count"], shown(label["mean_j"]), "scatter", label["scatter_j"])
for path in sorted(folder.glob("ddp-*.json")):
    run = json.loads(path.read_text())
    for device in run["devices"]:
        print(path.name, shown(device["energy_j"]), device["resolved"], device["reasons"])
    if run.get("total"):
        print(path.name, "total", shown(run["total"]["energy_j"]))
