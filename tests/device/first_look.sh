#!/usr/bin/env bash
# What a real GPU says: run on a machine with one, from the repository's root, with the release
# folder built elsewhere (build/release/bin). Leaves JSON, run files and reports in $OUT (or ./out).
set -u
out=${OUT:-./out}
mkdir -p "$out"
tw=${TRUEWATT:-build/release/bin/truewatt}
run() { echo "== $*"; "$@"; echo "-- rc $?"; }

nvidia-smi --query-gpu=name,driver_version,power.draw,power.draw.instant,power.draw.average --format=csv
run "$tw" devices
run "$tw" devices --json "$out/devices.json"
run "$tw" doctor --seconds 10
run "$tw" measure --load step:on=3s -v --json "$out/step.json" --out "$out/step.db" --report "$out/step.html"
run "$tw" analyze "$out/step.db" --json "$out/step-analysis.json"
run "$tw" measure --load square:period=30ms,duration=2s -q --json "$out/square.json"
run "$tw" run --json "$out/torch.json" --out "$out/run.db" --report "$out/run.html" -- python3 -c '
import torch
a = torch.randn(8192, 8192, device="cuda", dtype=torch.bfloat16)
for _ in range(400):
    a = (a @ a).clamp_(-1, 1)
torch.cuda.synchronize()
print("matmul done")'
run "$tw" run -q -- sh -c 'exit 7'
time "$tw" run -q -- true

python3 - "$out" <<'PY'
import json, sys, os
out = sys.argv[1]
def load(name):
    with open(os.path.join(out, name)) as f:
        return json.load(f)
print("\n%-10s %10s %22s %8s %8s %s" % ("file", "window_s", "energy_j (95 %)", "valid", "resolved", "source"))
for name in ("step.json", "square.json", "torch.json"):
    try:
        d = load(name)["devices"][0]
    except Exception as error:
        print(name, error)
        continue
    e = d["energy_j"]
    text = "null" if e is None else "%.2f [%.2f, %.2f]" % (e["value"], e["lower"], e["upper"])
    print("%-10s %10.3f %22s %8s %8s %s %s" % (name, d["window_s"], text, d["valid"], d["resolved"], d["source"], d["reasons"]))
    print("           naive", {k: round(v, 2) for k, v in d["naive_j"].items()})
    print("           budget", [(b["term"], round(b["standard_uncertainty_j"], 3)) for b in d["budget"]])
a = load("step-analysis.json")
by = {s["source"]: s for s in a["sources"]}
c, s = by.get("energy.counter"), by.get("power.samples")
if c and s and c["windows"][0]["energy_j"] and s["windows"][0]["energy_j"]:
    ce, se = c["windows"][0]["energy_j"]["value"], s["windows"][0]["energy_j"]["value"]
    print("3 s step: counter %.2f J, buffer %.2f J, ratio %.4f" % (ce, se, ce / se))
for x in a["sources"]:
    p = x["update_period_s"]
    print(x["source"], x["samples"], "readings, period", p and "%.3f ms [%.3f, %.3f]" % tuple(1e3 * p[k] for k in ("value", "lower", "upper")))
PY
ls -la "$out"
