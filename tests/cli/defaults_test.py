"""Defaults from the configuration file and from variables, and which of them wins."""

import unittest

from command_line import CommandLine
from verb import MEASURE


class Defaults(CommandLine):
    def configure(self, text):
        (self.folder / "truewatt").mkdir(exist_ok=True)
        (self.folder / "truewatt/config.toml").write_text(text)

    def devices(self, *words, **variables):
        call = self.call("measure", "-x,", "--load", "step:on=1s", *words, **variables)
        self.assertEqual(call.returncode, 0, call.stderr)
        return [name for name in ("v100", "a100", "h100") if name in call.stdout]

    def test_flag_beats_variable_beats_file(self):
        self.configure('[measure]\ndevice = "sim:v100"\nseed = 7\n[run]\nload = "fma"\n')
        self.assertEqual(self.devices(), ["v100"])
        self.assertEqual(self.devices(TRUEWATT_DEVICE="sim:a100"), ["a100"])
        self.assertEqual(self.devices("-d", "sim:h100", TRUEWATT_DEVICE="sim:a100"), ["h100"])

    def test_v_on_the_command_line_beats_quiet_in_the_file(self):
        self.configure("[measure]\nquiet = true\n")
        loud = ["measure", "-d", "sim:h100", "--load", "step:on=1s"]
        self.assertEqual(self.call(*loud).stdout, "")
        self.assertIn("standard uncertainty", self.call(*loud, "-v").stdout)

    def test_a_variable_or_a_file_may_name_several_devices(self):
        self.assertEqual(self.devices(TRUEWATT_DEVICE="sim:v100,sim:a100"), ["v100", "a100"])
        self.configure('[measure]\ndevice = ["sim:v100", "sim:h100"]\n')
        self.assertEqual(self.devices(), ["v100", "h100"])

    def test_a_variable_matters_only_to_verbs_that_use_it(self):
        variables = {"TRUEWATT_PROFILE": "missing.json", "TRUEWATT_SEED": "x"}
        self.assertEqual(self.call("devices", "-d", "sim:h100", **variables).returncode, 0)
        self.assertEqual(self.call(*MEASURE, **variables).returncode, 2)

    def test_a_file_with_a_mistake_is_refused_by_name(self):
        for text, named in (("[measure\n", "config.toml:1"), ("[mesure]\n", "did you mean measure?"),
                            ("[measure]\n\nsede = 1\n",
                             "config.toml:3: [measure] has no option sede"),
                            ("seed = 1\n", "seed"), ("[run]\nsede = 1\n", "sede")):
            self.configure(text)
            call = self.call(*MEASURE)
            self.assertEqual(call.returncode, 2, call.stderr)
            self.assertIn(named, call.stderr)
            self.assertIn("config.toml", call.stderr)

    def test_a_value_that_is_wrong_is_told_with_where_it_stands(self):
        self.configure('[measure]\nrepeat = "many"\n')
        call = self.call(*MEASURE)
        self.assertEqual(call.returncode, 2)
        self.assertIn("truewatt/config.toml: [measure] repeat = many: give a whole", call.stderr)
        call = self.call(*MEASURE, "--repeat", "few")
        self.assertEqual(call.stderr,
                         "truewatt: --repeat few: give a whole number from 1 to 1000000\n")
        self.configure('[measure]\nquiet = "maybe"\n')
        call = self.call("measure", "-d", "sim:h100")  # without the -q of MEASURE
        self.assertIn("[measure] quiet = maybe: give true or false", call.stderr)
        self.configure("")
        call = self.call(*MEASURE, TRUEWATT_SEED="x")
        self.assertIn("TRUEWATT_SEED=x: give a whole number", call.stderr)


if __name__ == "__main__":
    unittest.main()
