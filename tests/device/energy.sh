#!/usr/bin/env bash
# Energies of single runs on a real GPU against the same work's steady state: run on a machine with
# one, from the repository's root, with the release folder built elsewhere. Characterizes it first.
# The table comes last; the profile and an archive of the run files stay in $OUT (or ./out).
set -u
out=${OUT:-./out}
mkdir -p "$out/runs"
tw=${TRUEWATT:-build/release/bin/truewatt}
export XDG_DATA_HOME=$out/data

"$tw" characterize --json "$out/profile.json" 2>&1 | tee "$out/profile.txt"

# Name, load. The first of each kind is the reference: long, and in step with nothing.
run() {
  for blind in "" --blind; do
    "$tw" measure --profile "$out/profile.json" --load "$2" $blind -q \
      --json "$out/runs/$1$blind.json" --out "$out/runs/$1$blind.db" || true
  done
}
run step-6 step:on=6s
run step-0.3 step:on=0.3s
run step-1 step:on=1s
run step-3 step:on=3s
run burst10-ref burst:on=10ms,gap=60ms,jitter=100ms,count=160
run burst10-short burst:on=10ms,gap=60ms,jitter=100ms,count=20
run free10 square:period=137ms,duty=0.073,duration=4.11s
run locked10-a square:period=100ms,duty=0.1,duration=3s
run locked10-b square:period=100ms,duty=0.1,duration=3s
run locked10-c square:period=100ms,duty=0.1,duration=3s
run burst40-ref burst:on=40ms,gap=60ms,jitter=100ms,count=85
run locked40 square:period=100ms,duty=0.4,duration=3s
run half100 square:period=100ms,duty=0.5,duration=3s
run half137 square:period=137ms,duty=0.5,duration=4.11s
tar -C "$out" -czf "$out/runs.tar.gz" runs

python3 - "$out" <<'PY'
import glob, json, os, sqlite3, sys
out = sys.argv[1]
print("%-22s %10s %8s %7s %8s %10s %s" % ("run", "gross J", "+- J", "+- %", "busy s", "net W", "resolved, reasons; naive"))
for path in sorted(glob.glob(os.path.join(out, "runs", "*.json"))):
    run = json.load(open(path))["devices"][0]
    db = sqlite3.connect(path[:-5] + ".db")
    busy = db.execute("select sum(end_ns - begin_ns) / 1e9 from activity").fetchone()[0]
    count = db.execute("select count(*) from activity").fetchone()[0]
    name = os.path.basename(path)[:-5]
    e, net = run["energy_j"], run["net_energy_j"]
    if not e:
        print(name, "no number", run["reasons"])
        continue
    plain = sum(t["standard_uncertainty_j"] ** 2 for t in run["budget"] if t["term"] != "gain") ** 0.5 * 1.96
    naive = {k: round(100 * (v / e["value"] - 1), 1) for k, v in run["naive_j"].items()}
    print("%-22s %10.2f %8.2f %7.2f %8.3f %10.2f %s %s %s %.3f J/stint %s %s" % (
        name, e["value"], plain, 100 * plain / e["value"], busy, net["value"] / busy, run["method"], run["resolved"],
        run["reasons"], net["value"] / count, run["sources"], naive))
PY
