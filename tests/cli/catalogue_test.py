"""`truewatt catalogue`: what is published, by family, by name and beside a profile."""

import json
import unittest

from command_line import CommandLine


def source(kind, window, **more):
    """A source of a profile, with what these tests look at."""
    def interval(value):
        return {"value": value, "lower": 0.99 * value, "upper": 1.01 * value, "level": 0.95}
    return {"source": kind, "scope": "gpu", "update_period_s": interval(0.1),
            "averaging_window_s": interval(window), "response": "instant"} | more


class Catalogue(CommandLine):
    def catalogue(self, *words, code=0):
        call = self.call("catalogue", *words)
        self.assertEqual(call.returncode, code, call.stderr)
        return call

    def write_profile(self, name, *sources):
        profile = {"schema": "truewatt.profile/1", "created": "2026-01-01T00:00:00Z",
                   "duration_s": 1, "recommended_source": None, "sources": sources,
                   "device": {"name": name, "uuid": "GPU-1", "pci": "", "driver": "535.104.05"}}
        (self.folder / "profile.json").write_text(json.dumps(profile))
        return "profile.json"

    def test_without_a_name_all_families_fit_a_terminal(self):
        text = self.catalogue().stdout
        self.assertIn("Ampere (not GA100)*  3 100/1000   2 100/100", text)
        self.assertLessEqual(max(map(len, text.splitlines())), 80)

    def test_a_product_may_be_named_in_one_word_or_several(self):
        text = self.catalogue("NVIDIA GeForce RTX 3090").stdout
        self.assertIn("RTX 3090: Ampere (not GA100)", text)
        self.assertEqual(self.catalogue("rtx", "3090").stdout, text)
        self.assertIn("A100: GA100", self.catalogue("sim:a100").stdout)
        self.assertIn("Kepler 1.0", self.catalogue("kepler").stdout)

    def test_an_unknown_name_is_a_usage_error_that_names_the_nearest(self):
        call = self.catalogue("NVIDIA GeForce RTX 5090", code=2)
        self.assertIn("nearest names are RTX 4090, RTX 3090", call.stderr)
        self.assertEqual(call.stdout, "")

    def test_json_to_stdout_is_alone_there(self):
        document = json.loads(self.catalogue("H100", "--json", "-").stdout)
        self.assertEqual(document["schema"], "truewatt.catalogue/1")
        self.assertEqual(document["model"], "H100")
        self.assertEqual([f["family"] for f in document["families"]], ["hopper"])
        self.assertEqual(self.catalogue("-q", "--json", "file.json").stdout, "")
        whole = json.loads((self.folder / "file.json").read_text())
        self.assertEqual(len(whole["families"]), 14)

    def test_a_profile_is_held_against_its_devices_family(self):
        path = self.write_profile("NVIDIA A100-SXM4-40GB", source("power.instant", 0.025),
                                  source("power.usage", 0.1))
        call = self.catalogue("--profile", path, "--json", "out.json")
        self.assertIn("power.instant: agrees with code 1", call.stdout)
        self.assertIn("power.usage: differs from code 1", call.stdout)
        profile = json.loads((self.folder / "out.json").read_text())["profile"]
        self.assertEqual([s["agrees"] for s in profile["sources"]], [True, False])
        self.assertEqual([s["code"] for s in profile["sources"]], ["1", "2"])

    def test_a_profile_may_be_held_against_another_name(self):
        path = self.write_profile("NVIDIA B200", source("power.instant", 0.1))
        self.assertIn("not in the catalogue", self.catalogue("--profile", path).stdout)
        self.assertIn("agrees with code 2", self.catalogue("Turing", "--profile", path).stdout)
        self.assertIn("Kepler 2.0, Kepler 1.0",
                      self.catalogue("Kepler", "--profile", path, code=2).stderr)

    def test_what_cannot_be_read_or_written_fails(self):
        self.catalogue("--profile", "missing.json", code=2)
        (self.folder / "bad.json").write_text("{}")
        self.catalogue("--profile", "bad.json", code=1)
        self.catalogue("--json", "no/such/folder/file.json", code=1)


if __name__ == "__main__":
    unittest.main()
