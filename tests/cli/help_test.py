"""`--help` of every verb, and the version."""

import unittest

from command_line import CommandLine
from verb import TESTS

VERBS = ("demo", "devices", "doctor", "run", "characterize", "measure", "compare", "analyze",
         "calibrate", "validate", "report", "catalogue", "instructions", "memory")


class Help(CommandLine):
    def test_every_verb_has_examples_and_fits_80_columns(self):
        for words in ([[verb] for verb in VERBS]
                      + [[], ["validate", "workloads"], ["validate", "convergence"]]):
            shown = self.call(*words, "--help")
            self.assertEqual(shown.returncode, 0)
            self.assertIn("Examples:\n  ", shown.stdout, words)
            self.assertLessEqual(max(map(len, shown.stdout.splitlines())), 80, words)
            self.assertEqual(self.call("help", *words).stdout, shown.stdout)

    def test_help_runs_nothing(self):
        for words in (["run", "touch", "made"], ["run", "--", "touch", "made"],
                      ["compare", "--", "touch", "made", "--vs", "true"]):
            call = self.call("help", *words)
            self.assertEqual(call.stdout, self.call(words[0], "--help").stdout)
            self.assertFalse((self.folder / "made").exists())

    def test_a_bad_value_before_a_command_is_named(self):
        call = self.call("run", "-d", "sim:h100", "--resolve", "5", "true")
        self.assertEqual(call.returncode, 125)
        self.assertIn("--resolve 5: give a share below 1, like 1%", call.stderr)

    def test_help_of_help_is_the_help(self):
        self.assertEqual(self.call("help", "help").stdout, self.call("help").stdout)

    def test_options_stand_in_groups(self):
        shown = self.call("run", "--help").stdout
        order = [shown.index(f"\n{group}:\n")
                 for group in ("Device", "Output", "Precision", "Expert")]
        self.assertEqual(order, sorted(order))
        self.assertNotIn("--verbose", self.call("devices", "--help").stdout)

    def test_the_version_has_three_spellings(self):
        shown = {self.call(word).stdout for word in ("-V", "--version", "version")}
        self.assertEqual(len(shown), 1)
        self.assertRegex(shown.pop(), r"^truewatt \d")

    def test_names_every_verb(self):
        shown = self.call("--help").stdout
        for source in (TESTS.parent / "truewatt/cli").glob("*_verb.cpp"):
            verb = source.name.removesuffix("_verb.cpp")
            self.assertRegex(shown, rf"(?m)^  {verb} ", "cli/main.cpp lacks its line")


if __name__ == "__main__":
    unittest.main()
