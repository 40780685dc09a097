"""Every fault of the tests' faulty NVML at every second of a `run`: the command's exit code is kept,
no wrong number is resolved, and all has ended 10 s after the command. One line a fault.

  python3 scripts/driver_faults.py build/dev/bin/truewatt build/dev/faulty_nvml/libnvidia-ml.so.1
"""

import json
import os
import pathlib
import subprocess
import sys
import tempfile
import time

FAULTS = ("hangs", "slow", "lost", "denied", "times_out", "unknown", "unloaded", "nothing",
          "all_ones", "stuck", "not_a_number", "counter_leaps", "counter_doubles",
          "counter_starts_again", "counter_stops", "init_hangs", "init_fails", "shutdown_hangs",
          "escapes")
ALL_AT_ONCE = ("init_hangs", "init_fails", "shutdown_hangs", "escapes")  # their second does not matter
COMMAND_S = 3.0
IDLE_W, WORK_J = 100.0, 200.0 * 1.5  # of the faulty NVML, within the command
MOST_AFTER_S = 10.0


def run_with(fault, program, library, folder):
    """What went wrong with a run under a fault, in words, and how long after its command it ended."""
    code, result, ended = 7, folder / "run.json", folder / "ended"
    for file in (result, ended):
        file.unlink(missing_ok=True)
    environment = os.environ | {"TRUEWATT_NVML_LIBRARY": str(library), "TRUEWATT_FAULT": fault,
                                "XDG_DATA_HOME": str(folder), "XDG_CONFIG_HOME": str(folder)}
    script = f"sleep {COMMAND_S}; touch ended; exit {code}"
    call = subprocess.run([program, "run", "-d", "0", "--json", "run.json", "--out", "run.db", "--", "sh", "-c", script],
                          cwd=folder, env=environment, capture_output=True, timeout=120, check=False)
    after = time.time() - ended.stat().st_mtime if ended.exists() else float("inf")
    wrong = []
    if call.returncode != code:
        wrong.append(f"exit code {call.returncode}: {call.stderr[-200:]}")
    if after > MOST_AFTER_S:
        wrong.append(f"ended {after:.1f} s after the command")
    if b"\033" in call.stderr:
        wrong.append("an escape reached the terminal")
    if not result.exists():
        return wrong, after, "not measured"
    estimate = json.loads(result.read_text())["devices"][0]
    energy = estimate["energy_j"]
    truth = IDLE_W * estimate["window_s"] + WORK_J
    holds = energy is not None and energy["lower"] <= truth <= energy["upper"]
    if estimate["resolved"] and not holds:
        wrong.append(f"a wrong number is resolved: {energy}")
    number = "no number" if energy is None else f"{energy['value']:.0f} J{'' if holds else ' (true: %.0f J)' % truth}"
    return wrong, after, f"{number}, {'valid' if estimate['valid'] else 'not valid'}, {'resolved' if estimate['resolved'] else 'not resolved'}"


def main():
    if len(sys.argv) < 3:
        print(__doc__)
        return 0 if sys.argv[1:] in (["-h"], ["--help"]) else 2
    program, library = (pathlib.Path(argument).resolve() for argument in sys.argv[1:3])
    failures = 0
    with tempfile.TemporaryDirectory() as name:
        for kind in FAULTS:
            for second in (0,) if kind in ALL_AT_ONCE else range(int(COMMAND_S) + 1):
                wrong, after, found = run_with(f"{kind}@{second}", program, library, pathlib.Path(name))
                failures += bool(wrong)
                print(f"{kind}@{second}: {found}; ended {after:.1f} s after the command{''.join('; WRONG: ' + one for one in wrong)}", flush=True)
    print(f"{failures} failures")
    return int(failures > 0)


if __name__ == "__main__":
    sys.exit(main())
