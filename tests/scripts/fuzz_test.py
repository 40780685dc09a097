"""scripts/fuzz.py with fuzz targets that are shell scripts: what it passes on and what it reports."""

import os
import pathlib
import subprocess
import sys
import tempfile
import unittest

SCRIPT = pathlib.Path(__file__).resolve().parents[2] / "scripts/fuzz.py"


class Fuzz(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.TemporaryDirectory()
        self.root = pathlib.Path(self.folder.name)
        (self.root / "build/bin").mkdir(parents=True)

    def tearDown(self):
        self.folder.cleanup()

    def target(self, name, script):
        binary = self.root / "build/bin" / f"truewatt_fuzz_{name}"
        binary.write_text(f"#!/bin/sh\n{script}\n")
        os.chmod(binary, 0o755)

    def fuzz(self, *limits):
        run = subprocess.run(
            [sys.executable, SCRIPT, "--build", self.root / "build", "--corpus",
             self.root / "corpus", "--runs", "1000", "--jobs", "2", *limits],
            text=True, capture_output=True, check=False)
        return run.returncode, run.stdout + run.stderr

    def test_passes_when_every_target_reaches_its_executions(self):
        self.target("a", "echo stat::number_of_executed_units: 1000")
        self.target("b", "echo stat::number_of_executed_units: 1000")
        status, output = self.fuzz()
        self.assertEqual(status, 0, output)
        self.assertIn("fuzz a: 1000 executions\n", output)
        self.assertIn("2 targets, 0 failed", output)

    def test_fails_and_shows_the_report_when_one_target_crashes(self):
        self.target("a", "echo stat::number_of_executed_units: 1000")
        self.target("b", "echo heap-buffer-overflow; exit 77")
        status, output = self.fuzz()
        self.assertEqual(status, 1, output)
        self.assertIn("heap-buffer-overflow", output)
        self.assertIn("2 targets, 1 failed", output)

    def test_fails_when_a_target_stops_short_of_its_executions(self):
        self.target("a", "echo stat::number_of_executed_units: 999")
        status, output = self.fuzz()
        self.assertEqual(status, 1, output)
        self.assertIn("only 999 of 1000 executions", output)

    def test_passes_when_the_time_that_was_asked_for_stops_a_target(self):
        self.target("a", "echo stat::number_of_executed_units: 999")
        status, output = self.fuzz("--seconds", "60")
        self.assertEqual(status, 0, output)
        self.assertIn("only 999 of 1000 executions", output)

    def test_fails_without_targets(self):
        self.assertEqual(self.fuzz()[0], 1)

    def test_passes_the_seeds_and_the_dictionary_of_the_target(self):
        (self.root / "corpus/a").mkdir(parents=True)
        (self.root / "corpus/a.dict").write_text("")
        self.target("a", f'echo "$@" > {self.root}/seen')
        self.fuzz()
        seen = (self.root / "seen").read_text()
        self.assertIn(f"{self.root}/build/corpus/a {self.root}/corpus/a ", seen)
        self.assertIn(f"-dict={self.root}/corpus/a.dict", seen)
        self.assertIn("-runs=1000 -max_total_time=600", seen)


if __name__ == "__main__":
    unittest.main()
