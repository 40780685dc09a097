"""Exit codes: 1 a failure, 2 wrong usage, 3 no device or no permission, 4 not valid."""

import unittest

from verb import DENIED, MEASURE, Verb


class ExitCodes(Verb):
    def test_missing_inputs_are_usage_errors(self):
        for verb in ("measure", "devices", "doctor", "demo"):
            self.expect(2, verb, "-d", "sim:missing.toml")
        self.expect(2, "measure", "-d", "sim:h100", "--load", "trace:missing.csv")
        self.expect(2, "analyze", "missing.csv")
        self.expect(2, "report", "missing.db")

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
