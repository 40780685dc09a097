"""Characterization where something is in the way: interrupted, denied, busy, MIG.

Arguments: the program, the simulated libnvidia-ml.so.1 and the tests' libcuda.so.1. The last two
are real enough for everything but watts: the simulated GPU does not feel the load, in real time.
"""

import json
import os
import re
import signal
import sys
import time
import unittest

from command_line import CommandLine

NVML, CUDA = (os.path.abspath(sys.argv.pop(1)) for _ in range(2))

SENSORS = """
name = "plain"
[power]
idle_w = 60.0
max_w = 400.0
[[sensor]]
source = "power.instant"
update_period_s = 0.1
averaging_window_s = 0.025
[[sensor]]
source = "power.average"
update_period_s = 0.1
averaging_window_s = 0.1
"""


class Trouble(CommandLine):
    def characterize(self, more, *words, code=0):
        (self.folder / "gpu.toml").write_text(SENSORS + more)
        call = self.call("characterize", "-d", "sim:gpu.toml", "--budget", "20", *words)
        self.assertEqual(call.returncode, code, call.stderr)
        return " ".join((call.stdout + call.stderr).split())

    def profile(self):
        found = json.loads((self.folder / "profile.json").read_text())
        return {source["source"]: source for source in found["sources"]}

    def test_a_denied_source_is_named_and_the_others_are_characterized(self):
        text = self.characterize('[faults]\ndenied = ["power.average"]\n', "--json", "profile.json")
        self.assertIn("permission_denied", text)
        self.assertIn("ask the system administrator", text)
        sources = self.profile()
        self.assertEqual(sources["power.average"]["verdict"], "unusable")
        self.assertEqual(sources["power.average"]["reasons"], ["permission_denied"])
        self.assertIsNone(sources["power.average"]["update_period_s"])
        self.assertNotIn("permission_denied", sources["power.instant"]["reasons"])
        self.assertAlmostEqual(sources["power.instant"]["update_period_s"]["value"], 0.1, delta=5e-4)

    def test_a_busy_gpu_is_characterized_but_the_profile_is_not_to_be_trusted(self):
        busy = "[faults]\nother_work = [[0.0, 100.0, 0.3]]\n"
        text = self.characterize(busy, code=4)
        self.assertIn("gpu_busy", text)
        self.assertIn("the profile is not saved: something else ran on the GPU", text)
        self.characterize(busy, "--json", "profile.json")
        for source in self.profile().values():
            self.assertIn("gpu_busy", source["reasons"])
            self.assertAlmostEqual(source["update_period_s"]["value"], 0.1, delta=5e-4)

    def test_in_mig_mode_the_sensors_are_characterized_by_one_instance(self):
        text = self.characterize("[mig]\nshare = 0.25\n", "--json", "profile.json", "--out", "run.db")
        self.assertIn("mig_instance", text)
        self.assertIn("MIG mode is on: readings are of the whole GPU, all 4 instances", text)
        self.assertRegex(text, r"worked on instance MIG-\S+ with 25 % of the GPU")
        instant = self.profile()["power.instant"]
        self.assertEqual(instant["reasons"], ["mig_instance"])
        self.assertEqual(instant["verdict"], "part-time")
        window = instant["averaging_window_s"]
        self.assertLess(window["lower"], 0.025)
        self.assertGreater(window["upper"], 0.025)
        self.assertAlmostEqual(window["value"], 0.025, delta=1e-3)
        self.assertEqual(self.call("report", "run.db").returncode, 0)
        self.assertIn("mig_instance", (self.folder / "run.html").read_text())

    def test_work_of_other_instances_widens_but_does_not_mislead(self):
        others = "".join(f"[{0.37 * i:.2f}, 0.23, 0.25], " for i in range(60))
        self.characterize(f"[mig]\nshare = 0.25\n[faults]\nother_work = [{others}]\n",
                          "--json", "profile.json")
        instant = self.profile()["power.instant"]
        self.assertIn("mig_instance", instant["reasons"])
        self.assertNotIn("gpu_busy", instant["reasons"])  # no utilisation is told in MIG mode
        self.assertAlmostEqual(instant["update_period_s"]["value"], 0.1, delta=5e-4)
        window = instant["averaging_window_s"]
        if window is not None:
            self.assertLess(window["lower"], 0.025)
            self.assertGreater(window["upper"], 0.025)
        else:
            self.assertIn("averaging_window_not_resolved", instant["reasons"])

    def test_mig_mode_without_an_instance_is_no_device(self):
        text = self.characterize("[mig]\nshare = 0\n", code=3)
        self.assertIn("MIG mode without an instance", text)


class RealTrouble(CommandLine):
    """The path of a real GPU: NVML and CUDA behind dlopen, in real time."""

    def setUp(self):
        super().setUp()
        (self.folder / "gpu.toml").write_text(SENSORS)
        self.environment.pop("CUDA_VISIBLE_DEVICES", None)
        self.environment |= {"TRUEWATT_NVML_LIBRARY": NVML, "TRUEWATT_CUDA_LIBRARY": CUDA,
                             "TRUEWATT_SIM_DEVICES": str(self.folder / "gpu.toml"),
                             "TRUEWATT_FAKE_CUDA_BUS": "10"}

    def cut(self, share):
        with open(self.folder / "gpu.toml", "a", encoding="ascii") as file:
            file.write(f"[mig]\nshare = {share}\n")
        instances = re.findall(r"MIG-[0-9a-f-]{36}", self.call("devices").stdout)
        self.environment["TRUEWATT_FAKE_CUDA_MIG"] = ",".join(instances)
        return instances

    def characterize(self, *words, code):
        call = self.call("characterize", *words)
        self.assertEqual(call.returncode, code, call.stderr)
        return " ".join((call.stdout + call.stderr).split())

    def interrupted(self, *words):
        """Interrupted when the load has worked for a second: it begins 1.2 s after the run file."""
        with self.start("characterize", "--out", "run.db", *words, stdout=-1, stderr=-1) as process:
            while process.poll() is None and not (self.folder / "run.db").exists():
                time.sleep(0.02)
            time.sleep(2.2)
            process.send_signal(signal.SIGINT)
            text = "".join(process.communicate(timeout=300))
        self.assertEqual(process.returncode, 4, text)
        return " ".join(text.split())

    def sources(self):
        return json.loads((self.folder / "profile.json").read_text())["sources"]

    def test_interrupted_it_leaves_what_it_has(self):
        self.environment["TRUEWATT_SIM_LOAD"] = "level=0.3"
        text = self.interrupted("--json", "profile.json")
        self.assertIn("interrupted", text)
        self.assertIn("the profile is not saved: the characterization was interrupted", text)
        for source in self.sources():
            self.assertIn("interrupted", source["reasons"])
            self.assertIn("gpu_busy", source["reasons"])  # the simulated background load
        self.assertFalse(list(self.folder.glob("truewatt/profiles/*")))

    def test_the_instance_asked_for_is_the_one_that_works(self):
        second = self.cut(0.5)[1]
        text = self.interrupted("-d", second)
        self.assertIn("--json FILE has what was found", text)
        self.assertIn(f"worked on instance {second} with 4 SMs", text)
        self.assertIn("readings are of the whole GPU, all 2 instances", text)
        self.assertIn("mig_instance", text)

    def test_another_instance_is_never_taken_for_it(self):
        first, second = self.cut(0.5)
        self.environment["CUDA_VISIBLE_DEVICES"] = first
        text = self.characterize("-d", second, code=3)
        self.assertIn(f"CUDA does not see MIG instance {second}", text)
        self.assertIn(f"CUDA_VISIBLE_DEVICES={second}", text)

    def test_mig_mode_without_an_instance_says_what_to_do(self):
        self.assertEqual(self.cut(0), [])
        text = self.characterize(code=3)
        self.assertIn("CUDA_ERROR_NO_DEVICE", text)
        self.assertIn("nvidia-smi mig -cgi", text)


if __name__ == "__main__":
    unittest.main()
