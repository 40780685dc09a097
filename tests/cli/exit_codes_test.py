"""Exit codes: 1 a failure, 2 wrong usage, 3 no device or no permission, 4 not valid."""

import os
import unittest

from verb import DENIED, MEASURE, Verb


class ExitCodes(Verb):
    def test_missing_inputs_are_usage_errors(self):
        for verb in ("measure", "devices", "doctor", "demo"):
            self.expect(2, verb, "-d", "sim:missing.toml")
        self.expect(2, "measure", "-d", "sim:h100", "--load", "trace:missing.csv")
        self.expect(2, "analyze", "missing.csv")
        self.expect(2, "report", "missing.db")

    READERS = (("analyze",), ("calibrate",), ("report",), ("compare", "FILE"), ("memory", "--from"),
               ("instructions", "--from"), ("instructions", "--compare"), ("instructions", "--predict"),
               ("measure", "--profile"), ("measure", "--calibration"), ("catalogue", "--profile"),
               ("analyze", "FILE", "--windows"), ("analyze", "FILE", "--meter"))

    def assert_usage_errors(self, file, said):
        for words in self.READERS:
            call = self.expect(2, *(file if word == "FILE" else word for word in words), file)
            self.assertIn(f"{file}: {said}", call.stderr, words)

    def test_files_that_are_missing_empty_or_unreadable_are_usage_errors_of_every_verb(self):
        (self.folder / "empty").touch()
        self.assert_usage_errors("missing", "there is no such file")
        self.assert_usage_errors("empty", "the file is empty; ")
        self.expect(2, "measure", "-d", "sim:h100", "--load", "trace:empty")
        self.expect(125, "run", "--profile", "empty", "--", "true")

    @unittest.skipIf(os.geteuid() == 0, "root may read every file")
    def test_a_file_that_may_not_be_read_is_a_usage_error(self):
        (self.folder / "locked").write_text("1")
        (self.folder / "locked").chmod(0)
        self.assert_usage_errors("locked", "the file may not be read")

    def test_inputs_without_sense_are_failures(self):
        (self.folder / "bad.toml").write_text("[power]\nnonsense = 1\n")
        (self.folder / "bad.csv").write_text("nonsense\n1\n")
        for verb in ("measure", "devices", "doctor", "demo"):
            self.expect(1, verb, "-d", "sim:bad.toml")
        self.expect(1, "measure", "-d", "sim:h100", "--load", "trace:bad.csv")
        self.expect(1, "analyze", "bad.csv")
        self.expect(1, "report", "bad.csv")

    def test_a_run_file_that_cannot_be_made_is_no_missing_device(self):
        self.expect(1, *MEASURE, "--out", "no/such/folder/run.db")

    def test_a_device_that_refuses_everything_is_a_matter_of_permission(self):
        (self.folder / "denied.toml").write_text(DENIED)
        call = self.expect(3, "measure", "-d", "sim:denied.toml", "--load", "step:on=1s")
        self.assertIn("permission", call.stderr)

    def test_an_analysis_that_is_not_valid_says_so(self):
        rows = "".join(f"2024/01/01 00:00:{t}, 0, 50.00 W\n"
                       for t in ("00.0", "00.1", "10.2", "10.3"))
        (self.folder / "log.csv").write_text("timestamp, index, power.draw [W]\n" + rows)
        (self.folder / "windows.csv").write_text("begin_s,end_s\n1,9\n")
        self.expect(4, "analyze", "log.csv", "--windows", "windows.csv")

    def test_seeds_are_whole_numbers_of_64_bits(self):
        for seed in ("-1", "18446744073709551616", "1.5", ""):
            self.expect(2, *MEASURE, f"--seed={seed}")
        self.expect(0, *MEASURE, "--seed", "18446744073709551615")

    def test_version_is_known_behind_a_verb(self):
        self.assertIn("truewatt", self.expect(0, "measure", "--version").stdout)


if __name__ == "__main__":
    unittest.main()
