"""Which profile `measure`, `run` and `analyze` use, and what they say of one they do not."""

import json
import unittest

from verb import Verb


class Profiles(Verb):
    def characterize(self, *words, code=0):
        return self.expect(code, "characterize", *words)

    def measure(self, *words):
        call = self.call("measure", "-v", "--load", "step:on=1s", "--json", "-", *words)
        self.assertEqual(call.returncode, 0, call.stderr)
        return json.loads(call.stdout), " ".join(call.stderr.split())

    def test_without_a_profile_the_catalogues_stands_in_and_says_so(self):
        document, text = self.measure("-d", "sim:p100")
        device = document["devices"][0]
        self.assertEqual(device["profile"],
                         {"provenance": "catalogue", "covers_source": True, "agrees": True})
        self.assertIn("from_catalogue", device["reasons"])
        self.assertEqual(device["observed_fraction"], 0.5)
        self.assertIn("50.0 % of the window (as published)", text)
        self.assertIn("`truewatt characterize`, needed once", text)
        self.assert_obeys("energy", self.save("p100.json", document))
        device = self.measure("-d", "sim:h100")[0]["devices"][0]
        self.assertEqual(device["profile"]["covers_source"], False,
                         "nothing is published about energy counters")
        self.assertNotIn("from_catalogue", device["reasons"])

    def save(self, name, document):
        (self.folder / name).write_text(json.dumps(document))
        return name if name.startswith("/") else str(self.folder / name)

    def test_a_profile_or_calibration_of_something_else_is_named_as_such(self):
        self.characterize("-d", "sim:v100", "--budget", "20", "--json", "v100.json", "-q")
        document, text = self.measure("-d", "sim:v100", "--profile", "v100.json")
        self.assertEqual(document["devices"][0]["profile"]["provenance"], "characterized")
        self.assertNotIn("warning", text)
        document, text = self.measure("-d", "sim:a100", "--profile", "v100.json")
        self.assertEqual(document["devices"][0]["profile"]["provenance"], "catalogue")
        self.assertIn("profile_ignored", document["devices"][0]["reasons"])
        self.assertIn("was made on another device", text)
        profile = json.loads((self.folder / "v100.json").read_text())
        profile["device"]["driver"] = "535.1"
        document, text = self.measure("-d", "sim:v100",
                                      "--profile", self.save("older.json", profile))
        self.assertIn("other_driver", document["devices"][0]["reasons"])
        self.assertTrue(any(note.startswith("warning: profile") for note in document["notes"]))
        self.assertIn("was made under driver 535.1", text)

    def test_a_sensor_too_slow_to_be_modelled_is_estimated_as_without_a_profile(self):
        (self.folder / "slow.toml").write_text(
            "[power]\nidle_w = 60\nmax_w = 400\n[[sensor]]\nsource = \"power.usage\"\n"
            "update_period_s = 0.02\naveraging_window_s = 0\ntime_constant_s = 3\n")
        self.characterize("-d", "sim:slow.toml", "--budget", "20", "--json", "slow.json", "-q")
        profile = json.loads((self.folder / "slow.json").read_text())
        source = profile["sources"][0]
        self.assertEqual(source["reasons"], ["time_constant_too_long"])
        # Of an earlier version, which believed such a fit.
        lag = {"value": 2.05, "lower": 2.01, "upper": 2.09, "level": 0.95}
        source.update(verdict="complete", reasons=[], duty=1.0, time_constant_s=lag, averaging_window_s=None)
        source["fitted"] = {"averaging_window_s": lag | {"value": 0.02, "lower": 0.01, "upper": 0.03},
                            "time_constant_s": lag, "age_s": lag, "jitter_s": 0, "board": None}
        self.save("older.json", profile)
        self.measure("-d", "sim:slow.toml", "--out", "run.db")
        plain = json.loads(self.call("analyze", "run.db", "--json", "-").stdout)["windows"][0]
        self.assertIsNotNone(plain["energy_j"])
        for name in ("slow.json", "older.json"):
            known = self.call("analyze", "run.db", "--profile", name, "--json", "-")
            self.assertEqual(json.loads(known.stdout)["windows"][0]["energy_j"], plain["energy_j"])
            refused = self.call("instructions", "-d", "sim:slow.toml", "--only", "add.s32",
                                "--profile", name)
            self.assertEqual(refused.returncode, 3, name)
            self.assertIn("time constant of more than 2 s", " ".join(refused.stderr.split()))

    def test_of_several_profiles_each_device_takes_its_own(self):
        for name in ("v100", "a100"):
            self.characterize("-d", f"sim:{name}", "--budget", "20", "--json", f"{name}.json", "-q")
        named = ["--profile", "a100.json", "--profile", "v100.json"]
        document, text = self.measure("-d", "sim:v100,sim:a100", "--out", "run.db", *named)
        for device in document["devices"]:
            self.assertEqual(device["profile"]["provenance"], "characterized")
            self.assertNotIn("profile_ignored", device["reasons"])
        self.assertNotIn("warning", text)
        run = self.call("run", "-q", "-d", "sim:v100,sim:a100", "--json", "run.json", *named,
                        "--", "sleep", "0.5")
        self.assertEqual(run.returncode, 0, run.stderr)
        devices = json.loads((self.folder / "run.json").read_text())["devices"]
        self.assertEqual([d["profile"]["provenance"] for d in devices], ["characterized"] * 2)
        for index in ("0", "1"):
            analyzed = self.call("analyze", "run.db", "--device", index, "--json", "-", *named)
            self.assertEqual(analyzed.returncode, 0, analyzed.stderr)
            self.assertEqual(json.loads(analyzed.stdout)["combined"]["profile"]["provenance"],
                             "characterized")

    def test_of_several_profiles_those_of_no_device_are_named(self):
        for name in ("v100", "a100"):
            self.characterize("-d", f"sim:{name}", "--budget", "20", "--json", f"{name}.json", "-q")
        document, text = self.measure("-d", "sim:v100,sim:h100", "--profile", "v100.json",
                                      "--profile", "a100.json")
        provenance = [device["profile"]["provenance"] for device in document["devices"]]
        self.assertEqual(provenance, ["characterized", "catalogue"])
        self.assertIn("profile_ignored", document["devices"][1]["reasons"])
        self.assertIn("warning: profile a100.json is not used: it was made on sim:a100", text)
        self.assertIn("none of the 2 profiles was made on sim:h100", text)
        (self.folder / "again.json").write_text((self.folder / "v100.json").read_text())
        for verb in (["measure", "-d", "sim:v100", "--load", "step:on=1s"],
                     ["run", "-d", "sim:v100"]):
            words = [*verb, "--profile", "v100.json", "--profile", "again.json"]
            twice = self.call(*words, *(["--", "true"] if verb[0] == "run" else []))
            self.assertNotEqual(twice.returncode, 0)
            self.assertIn("profiles v100.json and again.json are both of sim:v100",
                          " ".join(twice.stderr.split()))


if __name__ == "__main__":
    unittest.main()
