#!/usr/bin/env python3
"""What a released binary asks of the machine that it is copied to: no glibc newer than 2.34, no
libraries but glibc's own, and for a shared library no names of its own but the wanted ones. Exits
with 77 (skipped) when the binary was not built or was built where this cannot hold."""

import argparse
import os
import pathlib
import re
import subprocess
import sys

NEWEST_GLIBC = (2, 34)
# From 2.38 on glibc's headers bind strtol and others to new versions: what is built there runs
# only on machines as new. Debian 12, where releases are built, has 2.36.
NEWEST_BUILD_GLIBC = (2, 37)
LIBRARIES = {"linux-vdso", "libc", "libm", "libdl", "libpthread", "librt", "ld-linux-x86-64",
             "ld-linux-aarch64"}
SKIPPED = 77


def output_of(*command):
    return subprocess.run(command, check=True, text=True, capture_output=True,
                          env=dict(os.environ, LC_ALL="C")).stdout


def version(text):
    return tuple(int(part) for part in text.split("."))


def newer_symbols(objdump, binary):
    for line in output_of(objdump, "-T", binary).splitlines():
        for found in re.findall(r"GLIBC_([0-9.]+)", line):
            if version(found) > NEWEST_GLIBC:
                yield f"asks for {line.split()[-1]} of glibc {found}"


def other_libraries(binary):
    for line in output_of("ldd", binary).splitlines():
        name = line.split()[0].rsplit("/", 1)[-1]
        if name.split(".so")[0] not in LIBRARIES:
            yield f"needs the shared library {name}"


def other_exports(objdump, binary, wanted):
    for line in output_of(objdump, "-T", binary).splitlines():
        fields = line.split()
        if len(fields) > 4 and "*UND*" not in fields and re.match(r"[0-9a-f]+$", fields[0]):
            if not re.match(wanted, fields[-1]):
                yield f"exports {fields[-1]}"


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--objdump", default="objdump")
    parser.add_argument("--exports", metavar="REGEX",
                        help="the only names that the binary may define for others")
    parser.add_argument("binary")
    arguments = parser.parse_args()

    if not pathlib.Path(arguments.binary).exists():
        print(f"skipped: {arguments.binary} is not built (scripts/check.sh release builds it)")
        return SKIPPED
    here = os.confstr("CS_GNU_LIBC_VERSION").split()[-1]
    if version(here) > NEWEST_BUILD_GLIBC:
        print(f"skipped: built on glibc {here}; releases for other machines are built on Debian 12")
        return SKIPPED
    found = [*newer_symbols(arguments.objdump, arguments.binary), *other_libraries(arguments.binary)]
    if arguments.exports:
        found += other_exports(arguments.objdump, arguments.binary, arguments.exports)
    for problem in found:
        print(f"{arguments.binary} {problem}")
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
