#!/usr/bin/env bash
# Characterizes a real GPU three times, once with CPU work too, once by Burtscher 2014's procedures, once while something else runs on it
# and once until it is interrupted: run on a machine with one, from the repository's root, with
# the release folder built elsewhere. The table comes last; profiles and run files stay in $OUT (or
# ./out).
set -u
out=${OUT:-./out}
mkdir -p "$out"
tw=${TRUEWATT:-build/release/bin/truewatt}
export XDG_DATA_HOME=$out/data

"$tw" devices
for i in 1 2 3; do
  "$tw" characterize --seed "$i" --json "$out/profile-$i.json" --out "$out/characterize-$i.db" 2>&1 | tee "$out/profile-$i.txt"
done
"$tw" report "$out/characterize-1.db" -o "$out/characterize-1.html"
"$tw" characterize --scopes --budget 45 --json "$out/profile-scopes.json" 2>&1 | tee "$out/profile-scopes.txt"
"$tw" characterize --protocol burtscher --json "$out/profile-burtscher.json" --report "$out/burtscher.html" 2>&1 | tee "$out/profile-burtscher.txt"
kept=$(find "$XDG_DATA_HOME" -name '*.json' -newer "$out/profile-3.json" | wc -l)
"$tw" measure --load step:on=25s -q & sleep 3
"$tw" characterize --budget 15 -q --json "$out/profile-busy.json"
echo "busy: exit $?"
wait
timeout --foreground --preserve-status -s INT 9 "$tw" characterize -q
echo "interrupted: exit $? (4: nothing kept)"
echo "profiles written by the scopes run, and after it: $kept, $(find "$XDG_DATA_HOME" -name '*.json' -newer "$out/profile-scopes.json" | wc -l)"
"$tw" catalogue "$(nvidia-smi --query-gpu=name --format=csv,noheader | head -1)" --profile "$out/profile-1.json"
"$tw" measure --load step:on=3s --json "$out/step.json" --out "$out/step.db"

python3 - "$out" <<'PY'
import json, os, sys
out = sys.argv[1]
profiles = [json.load(open(os.path.join(out, f"profile-{i}.json"))) for i in (1, 2, 3)]
keys = ("update_period_s", "averaging_window_s", "time_constant_s", "delay_s")
for k, source in enumerate(profiles[0]["sources"]):
    print(source["source"], source["scope"], source["response"], source["verdict"], [p["sources"][k]["reasons"] for p in profiles])
    for key in keys:
        found = [p["sources"][k][key] for p in profiles]
        print("   %-20s" % key, "  ".join("%.3f [%.3f, %.3f] ms" % (1e3 * x["value"], 1e3 * x["lower"], 1e3 * x["upper"]) if x and x["lower"] is not None else str(x) for x in found))
        if all(x and x["lower"] is not None for x in found):
            print("   %-20s %s" % ("", "overlap" if max(x["lower"] for x in found) <= min(x["upper"] for x in found) else "DO NOT OVERLAP"))
    for p in profiles:
        if p["sources"][k]["counter"]:
            print("   ", json.dumps(p["sources"][k]["counter"]), p["sources"][k]["duty"])
busy = os.path.join(out, "profile-busy.json")
if os.path.exists(busy):
    print("busy:", [s["reasons"] for s in json.load(open(busy))["sources"]])
print("device seconds", [round(p["duration_s"], 1) for p in profiles])
PY
