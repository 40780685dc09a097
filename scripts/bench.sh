#!/usr/bin/env bash
# Prints the figures of docs/validation.md, section 14, measured on this machine.
#
# usage: scripts/bench.sh
#
# The simulator's speed, the run file's and the estimator's, the spread of window fits, and what
# `truewatt run` adds to a command. On a machine with a GPU also the CPU time of sampling it for 60 s.

set -euo pipefail
# shellcheck source=common.sh
source "$(dirname "${BASH_SOURCE[0]}")/common.sh"

if [[ ${1:-} == -h || ${1:-} == --help ]]; then
  show_help
  exit
fi
configure_and_build release
bench=$root/build/release/bench
truewatt=$root/build/release/bin/truewatt

say "simulator: ten minutes of experiment, polled at 1 kHz"
"$bench/truewatt_simgpu_bench" --benchmark_min_time=2

say "run file: samples written and read"
"$bench/truewatt_store_bench" --benchmark_min_time=2

say "window fits: Yang 2024's procedure and the joint fit on the same readings, and published"
"$bench/truewatt_replication_yang_bench"

say "truewatt run -d sim:h100 true, median of 50, in ms (true alone beside it)"
python3 - "$truewatt" <<'PY'
import statistics, subprocess, sys, time

def median_ms(command):
    times = []
    for _ in range(50):
        start = time.perf_counter()
        subprocess.run(command, check=True, stderr=subprocess.DEVNULL)
        times.append(1e3 * (time.perf_counter() - start))
    return statistics.median(times)

print(f"with {median_ms([sys.argv[1], 'run', '-d', 'sim:h100', '--', 'true']):.1f}"
      f"  alone {median_ms(['true']):.1f}")
PY

if "$truewatt" devices -q >/dev/null 2>&1; then
  say "sampling every source of every GPU for 60 s"
  "$truewatt" doctor --seconds 60
fi
