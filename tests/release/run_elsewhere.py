#!/usr/bin/env python3
"""Copies the release folder to a fresh place and runs the command line there with an empty
environment (or with PATH alone): nothing of the build tree or the user's settings is needed. Exits
with 77 (skipped) when the folder was not built."""

import argparse
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile

SKIPPED = 77


def run(folder, environment, *arguments):
    return subprocess.run([folder / "bin/truewatt", *arguments], cwd=folder, env=environment,
                          text=True, capture_output=True, check=False, timeout=300)


def problems(folder, environment):
    shown = run(folder, environment, "--version")
    if shown.returncode != 0 or "0." not in shown.stdout:
        yield f"--version: exit {shown.returncode}, `{shown.stdout}{shown.stderr}`"
    # A wrong option travels as an exception: unwinding works in the static runtime.
    wrong = run(folder, environment, "--no-such-option")
    if wrong.returncode != 2 or "no-such-option" not in wrong.stderr:
        yield f"--no-such-option: exit {wrong.returncode} (want 2), `{wrong.stderr}`"
    demo = run(folder, environment, "demo")
    report = folder / "truewatt-demo.html"
    if demo.returncode != 0:
        yield f"demo: exit {demo.returncode}, `{demo.stdout}{demo.stderr}`"
    elif not report.exists() or "</html>" not in report.read_text(encoding="utf-8"):
        yield "demo: truewatt-demo.html is missing or cut short"


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--path", action="store_true", help="keep PATH")
    parser.add_argument("folder", type=pathlib.Path, help="the folder that people copy")
    arguments = parser.parse_args()

    if not (arguments.folder / "truewatt").exists():
        print(f"skipped: {arguments.folder}/truewatt is not built (scripts/check.sh release builds it)")
        return SKIPPED
    environment = {"PATH": os.environ["PATH"]} if arguments.path else {}
    with tempfile.TemporaryDirectory() as elsewhere:
        shutil.copytree(arguments.folder, pathlib.Path(elsewhere) / "bin")
        found = list(problems(pathlib.Path(elsewhere), environment))
    for problem in found:
        print(problem)
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
