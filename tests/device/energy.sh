#!/usr/bin/env bash
# Energies of single runs on a real GPU against the same work's steady state: run on a machine with
# one, from the repository's root, with the release folder built elsewhere. Characterizes it first.
# The table comes last; the profile and an archive of the run files stay in $OUT (or ./out).
#
# usage: energy.sh [kernels] [programs] [brief]   kernels: our own load, its trains, readers beside;
#        programs: kernels of PyTorch's in a foreign process; brief: single runs of our load alone.
#        9, 8 and 3 minutes; without a name the first two.
#
# A reference is a long train whose stints are in step with nothing; it counts when the energy
# counter alone and the sample ring alone agree within 0.5 % on it. Beside it stands how far single
# stints of it are from their mean, by either source alone.
set -u
parts=${*:-kernels programs}
out=${OUT:-./out}
mkdir -p "$out/runs"
tw=${TRUEWATT:-build/release/bin/truewatt}
here=$(dirname "$0")
export XDG_DATA_HOME=$out/data

"$tw" characterize --json "$out/profile.json" 2>&1 | tee "$out/profile.txt" | tail -n 3

# run NAME LOAD [--blind]
run() {
  local name=$1 load=$2
  shift 2
  "$tw" measure --profile "$out/profile.json" --load "$load" "$@" -q --protocol all \
    --json "$out/runs/$name.json" --out "$out/runs/$name.db" 2>>"$out/errors.txt" || true
  "$tw" analyze "$out/runs/$name.db" --profile "$out/profile.json" -q \
    --json "$out/runs/$name.analysis.json" 2>>"$out/errors.txt" || true
}

# stints NAME: how much the work itself differs from one stint of a reference to the next, by every
# source: what no estimate of a single one can be nearer than
stints() {
  python3 - "$out/runs/$1.db" >"$out/runs/$1.csv" <<'PYTHON'
import sqlite3, sys
rows = sqlite3.connect(sys.argv[1])
first = rows.execute("select min(begin_ns) from sources").fetchone()[0]
print("begin_s,end_s")
for begin, end in rows.execute("select begin_ns, end_ns from activity order by begin_ns"):
    print(f"{(begin - first) / 1e9:.9f},{(end - first) / 1e9:.9f}")
PYTHON
  "$tw" analyze "$out/runs/$1.db" --windows "$out/runs/$1.csv" --profile "$out/profile.json" -q \
    --json "$out/runs/$1.analysis.json" 2>>"$out/errors.txt" || true
}

# program NAME KERNEL SECONDS COUNT: of a foreign program, by the begins and ends that it says
program() {
  "$tw" run -q --poll every --out "$out/runs/$1.db" -- python3 "$here/work.py" "$2" "$3" "$4" \
    "$out/$2-$3.stint" "$out/runs/$1.csv" 2>>"$out/errors.txt" || true
  "$tw" analyze "$out/runs/$1.db" --windows "$out/runs/$1.csv" --profile "$out/profile.json" -q \
    --json "$out/runs/$1.analysis.json" 2>>"$out/errors.txt" || true
}

# singles LEVEL SECONDS GAPS: the reference stands between them, for a warm board draws more
singles() {
  local name=fma$1-$2
  run "$name.a" "step:on=$2s,level=$1"
  run "$name.b" "step:on=$2s,level=$1"
  run "$name.ref" "burst:on=$2s,$3,level=$1"
  stints "$name.ref"
  run "$name.c" "step:on=$2s,level=$1"
  run "$name.blind" "step:on=$2s,level=$1" --blind
}

brief() {
  singles 1 0.3 gap=0.6s,jitter=0.2s,count=12
  singles 1 1 gap=0.8s,jitter=0.3s,count=8
  singles 1 3 gap=1s,jitter=0.3s,count=4
}

kernels() {
  for level in 1 0.25; do
    singles "$level" 0.3 gap=0.6s,jitter=0.2s,count=12
    singles "$level" 1 gap=0.8s,jitter=0.3s,count=8
    singles "$level" 3 gap=3s,jitter=0.3s,count=4
  done
  run train10.ref burst:on=10ms,gap=60ms,jitter=100ms,count=160
  run train10.short burst:on=10ms,gap=60ms,jitter=100ms,count=20
  run train10.free square:period=137ms,duty=0.0729927,duration=4.11s
  for name in a b c d; do
    run "train10.locked-$name" square:period=100ms,duty=0.1,duration=3s
  done
  run train40.ref burst:on=40ms,gap=60ms,jitter=100ms,count=85
  run train40.free square:period=137ms,duty=0.2919708,duration=4.11s
  for name in a b c; do
    run "train40.locked-$name" square:period=100ms,duty=0.4,duration=3s
  done
  run train40.locked-blind square:period=100ms,duty=0.4,duration=3s --blind
}

programs() {
  for kernel in gemm copy; do
    for on in 0.3:10 1:8 3:4; do
      program "$kernel-${on%:*}.a" "$kernel" "${on%:*}" 1
      program "$kernel-${on%:*}.ref" "$kernel" "${on%:*}" "${on#*:}"
      program "$kernel-${on%:*}.b" "$kernel" "${on%:*}" 1
    done
  done
}

for part in $parts; do "$part"; done
tar -C "$out" -czf "$out/runs.tar.gz" runs
python3 "$here/energy_table.py" "$out/runs"
