"""The verbs that need no time of their own: exit codes and output files."""

import os
import stat
import threading
import unittest

from command_line import CommandLine

MEASURE = ["measure", "-q", "-d", "sim:h100", "--load", "step:on=1s"]
DENIED = """[faults]
denied = ["power.instant"]
[[sensor]]
source = "power.instant"
"""


class OutputFiles(CommandLine):
    def test_pipes_are_written_to_and_stay(self):
        pipe = self.folder / "pipe"
        os.mkfifo(pipe)
        seen = []
        reader = threading.Thread(target=lambda: seen.append(pipe.read_text()))
        reader.start()
        self.assertEqual(self.call(*MEASURE, "--json", "pipe").returncode, 0)
        reader.join()
        self.assertIn("truewatt.energy/1", seen[0])
        self.assertTrue(stat.S_ISFIFO(pipe.stat().st_mode))

    def test_the_file_behind_a_link_is_replaced_not_the_link(self):
        (self.folder / "result.json").write_text("old")
        (self.folder / "link.json").symlink_to("result.json")
        self.assertEqual(self.call(*MEASURE, "--json", "link.json").returncode, 0)
        self.assertTrue((self.folder / "link.json").is_symlink())
        self.assertIn("truewatt.energy/1", (self.folder / "result.json").read_text())
        self.assertEqual(sorted(p.name for p in self.folder.iterdir()),
                         ["link.json", "result.json"])

    def test_stdout_may_be_named_as_a_device(self):
        self.assertIn("truewatt.energy/1", self.call(*MEASURE, "--json", "/dev/stdout").stdout)

    def test_one_output_that_fails_does_not_keep_the_other_from_being_written(self):
        for bad, good in (("--json", "--report"), ("--report", "--json")):
            path = self.folder / f"good{good}"
            call = self.call(*MEASURE, bad, "no/such/folder", good, path)
            self.assertEqual(call.returncode, 1)
            self.assertIn("no/such/folder", call.stderr)
            self.assertGreater(path.stat().st_size, 1000)

    @unittest.skipUnless(os.path.exists("/dev/full")
                         and stat.S_ISCHR(os.stat("/dev/full").st_mode), "no /dev/full")
    def test_a_full_disk_is_reported(self):
        for option in ("--json", "--report"):
            self.assertEqual(self.call(*MEASURE, option, "/dev/full").returncode, 1)
        with open("/dev/full", "w", encoding="ascii") as full:
            self.assertEqual(self.start(*MEASURE, "--json", "-", stdout=full).wait(60), 1)
            self.assertEqual(self.start("devices", "-d", "sim:h100", stdout=full).wait(60), 1)


class ExitCodes(CommandLine):
    def expect(self, code, *words, **variables):
        call = self.call(*words, **variables)
        self.assertEqual(call.returncode, code, f"{words}: {call.stderr}")
        return call

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
        rows = "".join(f"2024/01/01 00:00:{t}, 0, 50.00 W\n" for t in ("00.0", "00.1", "10.2", "10.3"))
        (self.folder / "log.csv").write_text("timestamp, index, power.draw [W]\n" + rows)
        (self.folder / "windows.csv").write_text("begin_s,end_s\n1,9\n")
        self.expect(4, "analyze", "log.csv", "--windows", "windows.csv")

    def test_seeds_are_whole_numbers_of_64_bits(self):
        for seed in ("-1", "18446744073709551616", "1.5", ""):
            self.expect(2, *MEASURE, f"--seed={seed}")
        self.expect(0, *MEASURE, "--seed", "18446744073709551615")

    def test_version_is_known_behind_a_verb(self):
        self.assertIn("truewatt", self.expect(0, "measure", "--version").stdout)


class Defaults(CommandLine):
    def configure(self, text):
        (self.folder / "truewatt").mkdir(exist_ok=True)
        (self.folder / "truewatt/config.toml").write_text(text)

    def devices(self, *words, **variables):
        call = self.call("measure", "-x,", "--load", "step:on=1s", *words, **variables)
        self.assertEqual(call.returncode, 0, call.stderr)
        return [name for name in ("v100", "a100", "h100") if name in call.stderr]

    def test_flag_beats_variable_beats_file(self):
        self.configure('[measure]\ndevice = "sim:v100"\nseed = 7\n[run]\nload = "fma"\n')
        self.assertEqual(self.devices(), ["v100"])
        self.assertEqual(self.devices(TRUEWATT_DEVICE="sim:a100"), ["a100"])
        self.assertEqual(self.devices("-d", "sim:h100", TRUEWATT_DEVICE="sim:a100"), ["h100"])

    def test_a_variable_or_a_file_may_name_several_devices(self):
        self.assertEqual(self.devices(TRUEWATT_DEVICE="sim:v100,sim:a100"), ["v100", "a100"])
        self.configure('[measure]\ndevice = ["sim:v100", "sim:h100"]\n')
        self.assertEqual(self.devices(), ["v100", "h100"])

    def test_a_variable_matters_only_to_verbs_that_use_it(self):
        variables = {"TRUEWATT_PROFILE": "missing.json", "TRUEWATT_SEED": "x"}
        self.assertEqual(self.call("devices", "-d", "sim:h100", **variables).returncode, 0)
        self.assertEqual(self.call(*MEASURE, **variables).returncode, 2)

    def test_a_file_with_a_mistake_is_refused_by_name(self):
        for text, named in (("[measure\n", "config.toml:1"), ("[mesure]\n", "[mesure]"),
                            ("[measure]\n\nsede = 1\n", "config.toml:3: [measure] has no option sede"),
                            ("seed = 1\n", "seed"), ("[run]\nsede = 1\n", "sede")):
            self.configure(text)
            call = self.call(*MEASURE)
            self.assertEqual(call.returncode, 2, call.stderr)
            self.assertIn(named, call.stderr)
            self.assertIn("config.toml", call.stderr)


if __name__ == "__main__":
    unittest.main()
