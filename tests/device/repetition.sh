#!/usr/bin/env bash
# Repeated measurements and comparisons on a real GPU: run on a machine with one, from the
# repository's root, with the release folder built elsewhere. Characterizes it first where no
# profile is in $OUT yet. About seven minutes; the table comes last, the documents stay in $OUT (or
# ./out).
#
# Trains locked to 100.0 ms and short loads with --target 1%, against a long train whose bursts are
# in step with nothing; then loads that differ by 0, 1 and 3 % in length, in turns.
#
# usage: repetition.sh [trains]     trains: the locked trains alone, a minute and a half
set -u
out=${OUT:-./out}
mkdir -p "$out"
tw=${TRUEWATT:-build/release/bin/truewatt}
export XDG_DATA_HOME=$out/data

[[ -e $out/profile.json ]] ||
  "$tw" characterize --json "$out/profile.json" 2>&1 | tee "$out/profile.txt" | tail -n 3

# one NAME LOAD [OPTION...]
one() {
  local name=$1 load=$2
  shift 2
  "$tw" measure --profile "$out/profile.json" --load "$load" "$@" -q --json "$out/$name.json" \
    2>>"$out/errors.txt" || true
}

# pair NAME SECONDS
pair() {
  "$tw" compare --profile "$out/profile.json" --load step:on=1s --vs-load "step:on=$2s" -q \
    --json "$out/$1.json" 2>>"$out/errors.txt" || true
}

one bursts10.ref burst:on=10ms,gap=60ms,jitter=100ms,count=100
one bursts10.locked-a square:period=100ms,duty=0.1,duration=1s --target 1%
one bursts40.ref burst:on=40ms,gap=60ms,jitter=100ms,count=56
one bursts40.locked square:period=100ms,duty=0.4,duration=1s --target 1%
if [[ ${1:-all} != trains ]]; then
  one bursts10.locked-b square:period=100ms,duty=0.1,duration=1s --target 1%
  one bursts10.single step:on=10ms --target 1%
  one bursts40.single step:on=40ms --target 1%
  pair differ0 1
  pair differ1 1.01
  pair differ3 1.03
fi

python3 - "$out" <<'PYTHON'
import glob, json, os, sys

bursts = {"bursts10.ref": 100, "bursts40.ref": 56, "bursts10.locked-a": 10, "bursts10.locked-b": 10, "bursts40.locked": 10}
found = {}
for path in sorted(glob.glob(os.path.join(sys.argv[1], "bursts*.json"))):
    with open(path) as file:
        run = json.load(file)
    found[os.path.basename(path)[:-5]] = (run["devices"][0], run["repetition"], run["notes"])
print(f"{'load':20} {'J net a burst':>14} {'of gross off %':>14} {'half %':>7} {'reached':>8} {'trials':>7} {'executions':>10}")
for name, (one, repetition, notes) in sorted(found.items()):
    if not one["net_energy_j"]:
        print(name, "no number", one["reasons"])
        continue
    count = bursts.get(name, 1)
    net = one["net_energy_j"]["value"] / count
    reference = found[name.split(".")[0] + ".ref"][0]["net_energy_j"]["value"] / bursts[name.split(".")[0] + ".ref"]
    off = 100 * (net - reference) * count / one["energy_j"]["value"]
    repeated = repetition or {"half_width": float("nan"), "reached": None, "trials": 1, "executions": 1}
    print(f"{name:20} {net:14.4f} {off:14.2f} {100 * repeated['half_width']:7.2f} {str(repeated['reached']):>8} {repeated['trials']:7} "
          f"{repeated['executions']:10}", [r for r in one["reasons"] if r != "uncalibrated_gain"], notes[-1:] if repetition else "")
for path in sorted(glob.glob(os.path.join(sys.argv[1], "differ*.json"))):
    with open(path) as file:
        compared = json.load(file)
    terms = {t["term"]: round(100 * t["relative_standard_uncertainty"], 3) for t in compared["budget"]}
    print(os.path.basename(path)[:-5], compared["ratio"] and [round(compared["ratio"][k], 5) for k in ("value", "lower", "upper")],
          compared["net_ratio"] and [round(compared["net_ratio"][k], 5) for k in ("value", "lower", "upper")],
          compared["verdict"], compared["rounds"], "rounds", terms, compared["reasons"], compared["notes"][-1:])
PYTHON
