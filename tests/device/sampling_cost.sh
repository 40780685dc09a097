#!/usr/bin/env bash
# What sampling costs on a real GPU, and what a long run still knows when expensive sources rest:
# run on a machine with one, from the repository's root, with the release folder built elsewhere.
# The table comes last; run files stay in $OUT (or ./out).
set -u
out=${OUT:-./out}
mkdir -p "$out"
tw=${TRUEWATT:-build/release/bin/truewatt}

"$tw" doctor --seconds 60 | tee "$out/doctor-ticks.txt"
"$tw" doctor --seconds 10 --poll every | tee "$out/doctor-every.txt"
"$tw" measure --load step:on=3s -v --json "$out/step.json" --out "$out/step.db" --report "$out/step.html"
"$tw" run --json "$out/torch.json" --out "$out/torch.db" --report "$out/torch.html" -- python3 -c '
import time, torch
a = torch.randn(8192, 8192, device="cuda", dtype=torch.bfloat16)
end = time.time() + 25
while time.time() < end:
    for _ in range(50):
        a = (a @ a).clamp_(-1, 1)
    torch.cuda.synchronize()
    time.sleep(0.3)'
for name in step torch; do "$tw" analyze "$out/$name.db" --json "$out/$name-analysis.json" >"$out/$name-analysis.txt"; done
time "$tw" run -q -- true

python3 - "$out" <<'PY'
import json, os, sqlite3, statistics, sys
out = sys.argv[1]
for name in ("step", "torch"):
    with open(os.path.join(out, name + ".json")) as f:
        d = json.load(f)["devices"][0]
    print(name, "window %.3f s" % d["window_s"], d["energy_j"], "valid", d["valid"], "resolved", d["resolved"], d["source"], d["reasons"])
    print("  naive", {k: round(v, 1) for k, v in d["naive_j"].items()})
    print("  budget", [(b["term"], round(b["standard_uncertainty_j"], 3)) for b in d["budget"]])
    with open(os.path.join(out, name + "-analysis.json")) as f:
        for s in json.load(f)["sources"]:
            w = s["windows"][0]
            p = s["update_period_s"]
            print("  %-22s %5d readings, period %s, energy %s %s" % (s["source"], s["samples"], p and "%.3f ms" % (1e3 * p["value"]), w["energy_j"] and round(w["energy_j"]["value"], 2), w.get("reasons", "")))
    db = sqlite3.connect(os.path.join(out, name + ".db"))
    for source, in db.execute("select source from sources"):
        rows = [(b - a) / 1e6 for a, b in db.execute("select t_before_ns, t_ns from samples where source = ? order by t_ns", (source,))][1:]
        if rows and source != "power.samples":
            print("  %-22s bracket ms: median %.2f, 90 %% %.2f, last ten %s" % (source, statistics.median(rows), sorted(rows)[int(0.9 * len(rows))], [round(x, 1) for x in rows[-10:]]))
PY
