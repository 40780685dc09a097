#!/usr/bin/env python3
"""Runs every fuzz target (bin/truewatt_fuzz_NAME of the preset `fuzz`) for a fixed number of
executions, several targets at a time. Seeds come from tests/corpus/NAME and a dictionary from
tests/corpus/NAME.dict when they exist; what the fuzzer finds on its way stays in the build folder.
A target that time stops first has failed, unless --seconds asked for that limit."""

import argparse
import concurrent.futures
import pathlib
import re
import subprocess
import sys

# Per target; far beyond what the executions take, so that only a target that hangs meets it.
GENEROUS_SECONDS = 600
# Targets that do much more per execution than a parser get so much fewer of them.
SLOWER = {"estimate_energy": 10}

ROOT = pathlib.Path(__file__).resolve().parent.parent
PREFIX = "truewatt_fuzz_"


def runs_of(name, arguments):
    return arguments.runs // SLOWER.get(name, 1)


def command_of(binary, arguments):
    name = binary.name[len(PREFIX):]
    found = arguments.build / "corpus" / name
    found.mkdir(parents=True, exist_ok=True)
    command = [binary, found]
    if (arguments.corpus / name).is_dir():
        command.append(arguments.corpus / name)
    if (arguments.corpus / f"{name}.dict").exists():
        command.append(f"-dict={arguments.corpus / name}.dict")
    seconds = GENEROUS_SECONDS if arguments.seconds is None else arguments.seconds
    return command + [
        f"-runs={runs_of(name, arguments)}", f"-max_total_time={seconds}", "-seed=1", "-max_len=4096",
        "-timeout=10", "-rss_limit_mb=2048", "-print_final_stats=1",
        f"-artifact_prefix={arguments.build}/crash-{name}-"]


def fuzz(binary, arguments):
    """(name, passed, what to say)"""
    name = binary.name[len(PREFIX):]
    run = subprocess.run(command_of(binary, arguments), text=True, errors="replace",
                         stdout=subprocess.PIPE, stderr=subprocess.STDOUT, check=False)
    executed = re.search(r"stat::number_of_executed_units:\s*(\d+)", run.stdout)
    count = int(executed.group(1)) if executed else 0
    if run.returncode != 0:
        return name, False, f"failed after {count} executions\n{run.stdout[-8000:]}"
    if count < runs_of(name, arguments):
        return (name, arguments.seconds is not None,
                f"only {count} of {runs_of(name, arguments)} executions")
    return name, True, f"{count} executions"


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--build", type=pathlib.Path, default=ROOT / "build/fuzz")
    parser.add_argument("--corpus", type=pathlib.Path, default=ROOT / "tests/corpus")
    parser.add_argument("--runs", type=int, default=1000000)
    parser.add_argument("--seconds", type=int,
                        help="stop each target after this time and let that pass")
    parser.add_argument("--jobs", type=int, default=1)
    arguments = parser.parse_args()

    binaries = sorted(arguments.build.glob(f"bin/{PREFIX}*"))
    if not binaries:
        print(f"no fuzz targets in {arguments.build}/bin")
        return 1
    failed = 0
    with concurrent.futures.ThreadPoolExecutor(arguments.jobs) as pool:
        running = [pool.submit(fuzz, binary, arguments) for binary in binaries]
        for done in concurrent.futures.as_completed(running):
            name, passed, text = done.result()
            failed += not passed
            print(f"fuzz {name}: {text}", flush=True)
    print(f"fuzz: {len(binaries)} targets, {failed} failed")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
