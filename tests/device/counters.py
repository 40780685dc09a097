#!/usr/bin/env python3
"""Counters of a real GPU against kernels whose counts are known, through CUPTI and, where ncu is in PATH
(or in $NCU), through its CSV. Run from the repository's root with the test program built elsewhere:

    tests/device/counters.py [build/dev/bin/truewatt_known_work_realtime_test]

Says first what decides over permission. The table that ncu wrote is left in $OUT (or ./out). Exit code
1 where a count is wrong; a refusal is printed and is none."""
import os
import pathlib
import re
import shutil
import subprocess
import sys

PERMISSION = pathlib.Path("/proc/driver/nvidia/params")


def run(command, **more):
    print("==", " ".join(command), flush=True)
    done = subprocess.run(command, capture_output=True, text=True, **more)
    print(done.stdout + done.stderr, "-- rc", done.returncode, flush=True)
    return done


def say_permission():
    if shutil.which("nvidia-smi"):
        run(["nvidia-smi", "--query-gpu=name,driver_version,mig.mode.current", "--format=csv,noheader"])
    lines = PERMISSION.read_text().splitlines() if PERMISSION.exists() else []
    print([line for line in lines if "ProfilingAdminOnly" in line] or f"{PERMISSION} does not say",
          "uid", os.getuid())
    status = pathlib.Path("/proc/self/status").read_text()
    print(re.search(r"CapEff:\s*\w+", status).group())


def count_under_ncu(ncu, program, out):
    """The CSV of ncu, or nothing where it was refused."""
    only = [program, "--gtest_filter=KnownWork.RunsUncounted"]
    listed = run(only)
    metrics = re.search(r"^metrics: (\S+)$", listed.stdout, re.MULTILINE)
    if listed.returncode != 0 or metrics is None:
        return None
    run([ncu, "--version"])
    table = out / "ncu.csv"
    done = run([ncu, "--csv", "--page", "raw", "--print-units", "base", "--clock-control", "none",
                "--cache-control", "none", "--target-processes", "all", "--metrics", metrics.group(1), *only])
    table.write_text(done.stdout + done.stderr)
    return table


def main():
    program = sys.argv[1] if len(sys.argv) > 1 else "build/dev/bin/truewatt_known_work_realtime_test"
    out = pathlib.Path(os.environ.get("OUT", "out"))
    out.mkdir(parents=True, exist_ok=True)
    say_permission()
    ok = run([program, "--gtest_filter=KnownWork.*-KnownWork.Ncu*"]).returncode == 0
    ncu = os.environ.get("NCU") or shutil.which("ncu")
    if ncu is None:
        print("ncu is not in PATH: its CSV not read")
    elif (table := count_under_ncu(ncu, program, out)) is not None:
        read = run([program, "--gtest_filter=KnownWork.NcuCountsTheSame"],
                   env={**os.environ, "TRUEWATT_NCU_CSV": str(table)})
        ok = ok and (read.returncode == 0 or "ERR_NVGPUCTRPERM" in table.read_text())
    return 0 if ok else 1


if __name__ == "__main__":
    sys.exit(main())
