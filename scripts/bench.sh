#!/usr/bin/env bash
# Prints the figures of docs/validation.md, section 14, measured on this machine.
#
# usage: scripts/bench.sh
#
# The simulator's speed, the run file's and the estimator's, also on long recordings, the spread of window fits, and what
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

say "estimator: 10, 30 and 60 minutes of all sources, a window every 3.6 s"
"$bench/truewatt_measure_bench" --benchmark_filter=Windows

say "memory of 1, 6 and 24 hours that run records, MB, the simulated GPU included"
"$bench/truewatt_measure_bench" --benchmark_filter=Recorded

say "memory of a day that run recorded, MB"
for device in h200 a100; do
  "$bench/truewatt_measure_bench" --benchmark_filter="Day/$device"
done

say "analyze: 1000 windows on a log of a million rows, in s"
python3 - "$truewatt" <<'PY'
import random, resource, subprocess, sys, tempfile, time
from datetime import datetime, timedelta

ROWS, EVERY = 1_000_000, 0.02  # a row every 20 ms, a new value every 100 ms
random.seed(3)
with tempfile.TemporaryDirectory() as folder:
    begin, level, until = datetime(2025, 3, 4), 80.0, 0.0
    with open(f"{folder}/log.csv", "w") as log, open(f"{folder}/windows.csv", "w") as windows:
        log.write("timestamp, power.draw [W]\n")
        for row in range(ROWS):
            t = EVERY * row
            if t >= until:
                level = 80.0 if random.random() < 0.4 else random.uniform(120, 650)
                until = t + random.choice([0.05, 0.2, 1, 3, 10]) * random.uniform(0.5, 1.5)
            if row % 5 == 0:
                shown = level + random.gauss(0, 0.5)
            stamp = (begin + timedelta(seconds=t)).strftime("%Y/%m/%d %H:%M:%S.%f")[:-3]
            log.write(f"{stamp}, {shown:.2f} W\n")
        windows.write("begin_s,end_s,label\n")
        for number in range(1000):
            t = random.uniform(5, EVERY * ROWS - 60)
            windows.write(f"{t:.3f},{t + random.choice([0.3, 1, 5, 20]):.3f},w{number}\n")
    start = time.perf_counter()
    subprocess.run([sys.argv[1], "analyze", f"{folder}/log.csv", "--windows", f"{folder}/windows.csv",
                    "--json", f"{folder}/out.json", "-q"], check=True, stdout=subprocess.DEVNULL,
                   stderr=subprocess.DEVNULL)
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    print(f"wall {time.perf_counter() - start:.2f}  CPU {used.ru_utime + used.ru_stime:.2f}"
          f"  peak {used.ru_maxrss / 1024:.0f} MB")
PY

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
