#!/usr/bin/env python3
"""clang-tidy over every source of a build folder's compile_commands.json, several at a time. A
source that passed before is skipped while its preprocessed text (comments included), its compile
command, .clang-tidy and the tool are the same."""

import argparse
import concurrent.futures
import hashlib
import json
import pathlib
import shlex
import subprocess
import sys
import time

# The path analysis takes most of the time, and the sanitizers see what it can only suppose: it runs
# where it is asked for. Of tests, which the sanitizers run whole, the names are checked.
WITHOUT_PATHS = "-clang-analyzer-*"
OF_UNITS = "-bugprone-suspicious-include"  # that is what a unit is made of
NAMES_ALONE = "-*,readability-identifier-naming"
IN_SOURCES = "--header-filter=/truewatt/[a-z_/]+\\.(hpp|cpp)$"
IN_TESTS = "--header-filter=/truewatt/.*_test\\.cpp$"

ROOT = pathlib.Path(__file__).resolve().parent.parent


def compiler_arguments(entry):
    """The compile command without its launcher, its output and the wish to compile."""
    words = shlex.split(entry["command"])
    if pathlib.Path(words[0]).name == "ccache":
        words = words[1:]
    kept, skip = [], False
    for word in words:
        if not skip and word not in ("-o", "-c"):
            kept.append(word)
        skip = not skip and word == "-o"
    return kept


def preprocessed(entry):
    run = subprocess.run([*compiler_arguments(entry), "-E", "-C", "-P"], cwd=entry["directory"],
                         capture_output=True, check=False)
    return run.stdout if run.returncode == 0 else None


def key_of(entry, common):
    """Names what decides the outcome, or None when the source does not even preprocess."""
    text = preprocessed(entry)
    if text is None:
        return None
    key = hashlib.sha256(common)
    key.update("\0".join(compiler_arguments(entry)).encode())
    key.update(text)
    return key.hexdigest()


def is_unit(file):
    """CMake's unity source, which includes a dozen of ours."""
    return file.parent.name == "Unity"


def checks_of(file, arguments):
    """The options that say what is checked, and in which of the included files."""
    if file.endswith("_test.cpp"):
        return [f"--checks={NAMES_ALONE}"]
    if "_test.dir/" in file:
        return [f"--checks={NAMES_ALONE}", IN_TESTS]
    left_out = [] if arguments.paths else [WITHOUT_PATHS]
    if not is_unit(pathlib.Path(file)):
        return [f"--checks={','.join(left_out)}"] if left_out else []
    return [f"--checks={','.join([*left_out, OF_UNITS])}", IN_SOURCES]


def check(entry, arguments, common):
    """(source, findings or None when it passed before, seconds)"""
    begin = time.monotonic()
    cache = arguments.build / "tidy-passed"
    checks = checks_of(entry["file"], arguments)
    key = key_of(entry, common + "\0".join(checks).encode())
    if key and (cache / key).exists():
        return entry["file"], None, time.monotonic() - begin
    run = subprocess.run([arguments.tidy, "-p", arguments.build, "--quiet", *checks, entry["file"]],
                         text=True, capture_output=True, check=False)
    findings = run.stdout.strip()
    if run.returncode != 0:
        findings = findings or run.stderr.strip() or f"clang-tidy ended with {run.returncode}"
    elif key:
        (cache / key).touch()
    return entry["file"], findings, time.monotonic() - begin


def sources(build):
    """The entries of our own sources; generated ones, in the build folder, are not ours, but for
    those that include them."""
    seen = {}
    for entry in json.loads((build / "compile_commands.json").read_text()):
        file = pathlib.Path(entry["directory"], entry["file"]).resolve()
        if is_unit(file):
            seen.setdefault(file, entry)
        elif file.is_relative_to(ROOT) and not file.is_relative_to(ROOT / "build") \
                and not file.is_relative_to(build.resolve()):
            seen.setdefault(file, entry)
    return list(seen.values())


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--build", type=pathlib.Path, default=ROOT / "build/tidy")
    parser.add_argument("--tidy", default="clang-tidy-14")
    parser.add_argument("--jobs", type=int, default=1)
    parser.add_argument("--paths", action="store_true", help="analyse paths as well")
    parser.add_argument("only", nargs="*", help="parts of names: check just these sources")
    arguments = parser.parse_args()

    tool = subprocess.run([arguments.tidy, "--version"], capture_output=True, check=True).stdout
    common = tool + (ROOT / ".clang-tidy").read_bytes()
    (arguments.build / "tidy-passed").mkdir(exist_ok=True)
    entries = [entry for entry in sources(arguments.build)
               if not arguments.only or any(part in entry["file"] for part in arguments.only)]
    unchanged, failed, slowest = 0, [], (0.0, "")
    with concurrent.futures.ThreadPoolExecutor(arguments.jobs) as pool:
        running = [pool.submit(check, entry, arguments, common) for entry in entries]
        for done in concurrent.futures.as_completed(running):
            file, findings, seconds = done.result()
            slowest = max(slowest, (seconds, file))
            unchanged += findings is None
            if findings:
                failed.append(file)
                print(findings, flush=True)
    print(f"tidy: {len(entries)} sources, {unchanged} unchanged since they passed, "
          f"{len(failed)} with findings; slowest {slowest[0]:.1f} s: {slowest[1]}")
    for file in sorted(failed):
        print(f"  {file}")
    return 1 if failed or not entries else 0


if __name__ == "__main__":
    sys.exit(main())
