"""scripts/tidy.py with a stand-in for clang-tidy: when it checks, when it skips, what it reports."""

import json
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile
import unittest

SCRIPT = pathlib.Path(__file__).resolve().parents[2] / "scripts/tidy.py"

# Says which file it saw; a file with the word WRONG has a finding.
STAND_IN = """#!/bin/sh
[ "$1" = --version ] && { echo stand-in 1; exit; }
for file; do :; done
echo "$file" >> "$(dirname "$0")/seen"
echo "$*" >> "$(dirname "$0")/asked"
if grep -q WRONG "$file"; then echo "$file:1: wrong"; exit 1; fi
"""


class Tidy(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.TemporaryDirectory()
        self.root = pathlib.Path(self.folder.name)
        for folder in ("scripts", "build/tidy", "src"):
            (self.root / folder).mkdir(parents=True)
        shutil.copy(SCRIPT, self.root / "scripts")
        self.write(".clang-tidy", "Checks: '*'\n")
        self.write("tool", STAND_IN)
        os.chmod(self.root / "tool", 0o755)
        self.write("src/a.hpp", "int a();\n")
        self.write("src/a.cpp", '#include "a.hpp"\nint a() { return 1; }\n')

    def tearDown(self):
        self.folder.cleanup()

    def write(self, path, text):
        (self.root / path).write_text(text)

    def tidy(self, flags="", units=()):
        build = self.root / "build/tidy"
        commands = [{"directory": str(build), "file": str(file),
                     "command": f"ccache c++ {flags} -o a.o -c {file}"}
                    for file in (self.root / "src/a.cpp", build / "generated.cpp", *units)]
        self.write("build/tidy/compile_commands.json", json.dumps(commands))
        (self.root / "seen").unlink(missing_ok=True)
        run = subprocess.run([sys.executable, self.root / "scripts/tidy.py", "--build", build,
                              "--tidy", self.root / "tool"],
                             text=True, capture_output=True, check=False)
        seen = self.root / "seen"
        return run.returncode, run.stdout + run.stderr, len(seen.read_text().split()) if seen.exists() else 0

    def test_checks_our_sources_and_no_generated_ones(self):
        status, output, checked = self.tidy()
        self.assertEqual((status, checked), (0, 1), output)

    def test_of_a_unit_it_checks_what_that_includes_and_of_tests_the_names(self):
        units = [self.root / f"build/tidy/{name}.dir/Unity/unity_0_cxx.cxx"
                 for name in ("energy", "energy_test")]
        for unit in units:
            unit.parent.mkdir(parents=True)
            unit.write_text('#include "a.hpp"\n')
        status, output, checked = self.tidy(units=units)
        self.assertEqual((status, checked), (0, 3), output)
        asked = (self.root / "asked").read_text().splitlines()
        layer = next(line for line in asked if "energy.dir" in line)
        tests = next(line for line in asked if "energy_test.dir" in line)
        self.assertIn("(hpp|cpp)$", layer)
        self.assertIn("readability-identifier-naming --header-filter=", tests)

    def test_skips_what_passed_and_did_not_change(self):
        self.tidy()
        status, output, checked = self.tidy()
        self.assertEqual((status, checked), (0, 0), output)
        self.assertIn("1 unchanged", output)

    def test_checks_again_after_any_change_that_could_matter(self):
        self.tidy()
        self.write("src/a.hpp", "int a();  // NOLINT\n")
        self.assertEqual(self.tidy()[2], 1, "a header's comment changed")
        self.assertEqual(self.tidy("-DX")[2], 1, "the command changed")
        self.write(".clang-tidy", "Checks: 'bugprone-*'\n")
        self.assertEqual(self.tidy("-DX")[2], 1, "the configuration changed")

    def test_findings_are_shown_and_never_cached(self):
        self.write("src/a.cpp", '#include "a.hpp"\n// WRONG\n')
        for _ in range(2):
            status, output, checked = self.tidy()
            self.assertEqual((status, checked), (1, 1), output)
            self.assertIn("a.cpp:1: wrong", output)

    def test_source_that_does_not_preprocess_is_still_checked(self):
        self.write("src/a.cpp", '#include "missing.hpp"\n')
        self.assertEqual(self.tidy()[2], 1)
        self.assertEqual(self.tidy()[2], 1)


if __name__ == "__main__":
    unittest.main()
