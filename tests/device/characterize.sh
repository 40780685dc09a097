#!/usr/bin/env bash
# Characterizes a real GPU three times: run on a machine with one, from the repository's root, with
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
print("device seconds", [round(p["duration_s"], 1) for p in profiles])
PY
