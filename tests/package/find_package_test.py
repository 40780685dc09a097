#!/usr/bin/env python3
"""Installs the library into an empty folder, builds the example against it as a stranger would, and
runs it. Ends with 1 and says why when anything of that fails."""

import argparse
import os
import pathlib
import re
import subprocess
import sys
import tempfile


def run(*command, **options):
    done = subprocess.run([str(word) for word in command], text=True, capture_output=True,
                          check=False, **options)
    if done.returncode != 0:
        sys.exit(f"{command[0]} ended with {done.returncode}\n{done.stdout}{done.stderr}")
    return done.stdout


def foreign_names(objdump, library):
    """Names that the library shows and that are not of its header."""
    names = re.findall(r" g +D[FO] \S+\t\S+ +(?:\S+ +)?(\S+)$", run(objdump, "-T", library), re.M)
    return [name for name in names if "EnergyMeter" not in name], names


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    for name in ("cmake", "compiler", "build", "example", "objdump"):
        parser.add_argument(f"--{name}", required=True)
    arguments = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        prefix, built = pathlib.Path(folder, "installed"), pathlib.Path(folder, "built")
        run(arguments.cmake, "--install", arguments.build, "--prefix", prefix, "--component",
            "library")
        library = next(prefix.glob("lib*/**/libtruewatt.so"))
        foreign, all_names = foreign_names(arguments.objdump, library)
        if foreign or not all_names:
            sys.exit(f"the library shows {foreign or 'nothing'}")
        run(arguments.cmake, "-S", arguments.example, "-B", built,
            f"-DCMAKE_PREFIX_PATH={prefix}", f"-DCMAKE_CXX_COMPILER={arguments.compiler}",
            "-DCMAKE_CXX_FLAGS=-Wall -Wextra -Werror")
        run(arguments.cmake, "--build", built)
        environment = {name: value for name, value in os.environ.items()
                       if not name.startswith("TRUEWATT_")}
        environment["XDG_DATA_HOME"] = folder
        lines = run(built / "energy_scope", env=environment).splitlines()
        print("\n".join(lines))
        if [line.split()[0] for line in lines] != ["all", "first", "second"]:
            sys.exit("not the three windows")
        for line in lines:
            found = re.search(r"s +([\d.]+) J +\[([\d.]+), ([\d.]+)\]  \(true: ([\d.]+) J\)", line)
            if not found:
                sys.exit(f"no energy in: {line}")
            _, lower, upper, true = map(float, found.groups())
            if not lower <= true <= upper:
                sys.exit(f"the interval misses the truth: {line}")


if __name__ == "__main__":
    main()
