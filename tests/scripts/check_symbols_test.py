"""tests/release/check_symbols.py finds what a release must not ask for, in a stand-in's listing."""

import os
import pathlib
import subprocess
import sys
import tempfile
import unittest

SCRIPT = pathlib.Path(__file__).resolve().parents[1] / "release/check_symbols.py"
HEADER = "x: file format elf64-x86-64\nDYNAMIC SYMBOL TABLE:\n"
OLD = "0000000000000000  DF *UND*  0000000000000000 (GLIBC_2.34) __libc_start_main\n"
NEW = "0000000000000000  DF *UND*  0000000000000000 (GLIBC_2.35) _dl_find_object\n"
OWN = "0000000000004d30 g    DF .text  000000000000015f  Base        nvmlInit_v2\n"
LEAK = "0000000000004e30 g    DF .text  000000000000015f  Base        _ZNSt6vectorE\n"


class CheckSymbols(unittest.TestCase):
    def check(self, listing, binary, *more):
        with tempfile.TemporaryDirectory() as folder:
            objdump = pathlib.Path(folder) / "objdump"
            objdump.write_text(f"#!/bin/sh\ncat <<'LIST'\n{HEADER}{listing}LIST\n")
            os.chmod(objdump, 0o755)
            run = subprocess.run([sys.executable, SCRIPT, "--objdump", objdump, *more, binary],
                                 text=True, capture_output=True, check=False)
        return run.returncode, run.stdout + run.stderr

    def setUp(self):
        if self.check(OLD, "/bin/true")[0] == 77:
            self.skipTest("this machine's glibc is too new for the check to apply")

    def test_passes_what_runs_on_glibc_2_34(self):
        self.assertEqual(self.check(OLD, "/bin/true"), (0, ""))

    def test_finds_newer_symbols(self):
        status, output = self.check(OLD + NEW, "/bin/true")
        self.assertEqual(status, 1)
        self.assertIn("_dl_find_object of glibc 2.35", output)
        self.assertNotIn("__libc_start_main", output)

    def test_finds_other_libraries(self):
        status, output = self.check(OLD, "/bin/ls")  # needs libselinux
        self.assertEqual(status, 1)
        self.assertIn("libselinux", output)

    def test_finds_names_that_a_library_should_keep_to_itself(self):
        wanted = ("--exports", "nvml[A-Z]")
        self.assertEqual(self.check(OLD + OWN, "/bin/true", *wanted)[0], 0)
        status, output = self.check(OLD + OWN + LEAK, "/bin/true", *wanted)
        self.assertEqual(status, 1)
        self.assertIn("exports _ZNSt6vectorE", output)

    def test_skips_what_was_not_built(self):
        self.assertEqual(self.check(OLD, "/nowhere/truewatt")[0], 77)


if __name__ == "__main__":
    unittest.main()
