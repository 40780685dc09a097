#!/usr/bin/env python3
"""Compiles a file twice: as it stands it must compile, with MUST_NOT_COMPILE defined it must not,
and the compiler's message must contain a text that an `// error:` line of the file names."""

import argparse
import os
import pathlib
import re
import subprocess
import sys


def compile_file(arguments, defines):
    command = [arguments.compiler, "-std=c++20", "-fsyntax-only", "-Wall", "-Wextra",
               "-Werror=unused-result", "-Werror=switch", *defines, "-I", arguments.include,
               arguments.file]
    environment = dict(os.environ, LC_ALL="C")
    return subprocess.run(command, text=True, capture_output=True, check=False, env=environment)


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--compiler", required=True)
    parser.add_argument("--include", required=True, help="the root of the #includes")
    parser.add_argument("file")
    arguments = parser.parse_args()

    text = pathlib.Path(arguments.file).read_text()
    expected = re.findall(r"^// error: (.+)$", text, re.M)
    if not expected:
        print(f"{arguments.file} names no `// error:` text")
        return 1
    control = compile_file(arguments, [])
    if control.returncode != 0:
        print(f"without the mistake {arguments.file} must compile:\n{control.stderr}")
        return 1
    mistake = compile_file(arguments, ["-DMUST_NOT_COMPILE"])
    if mistake.returncode == 0:
        print(f"the mistake in {arguments.file} compiles")
        return 1
    if not any(error in mistake.stderr for error in expected):
        print(f"it fails for another reason; none of {expected} is in:\n{mistake.stderr}")
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
