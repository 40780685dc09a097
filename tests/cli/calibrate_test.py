"""`truewatt calibrate`: what it prints, writes and keeps, and how it fails."""

import json
import pathlib
import subprocess
import sys
import unittest

from command_line import CommandLine

TESTS = pathlib.Path(__file__).resolve().parent.parent
A100 = TESTS / "data/sc24/step_a100"
HEADER = "timestamp, index, uuid, driver_version, power.draw [W]\n"


def log_rows(uuid):
    """12 s at 10 Hz, 100 W and from 4 to 10 s 300 W, as a sensor of gain 0.9 shows it."""
    rows = (f"2024/01/01 00:00:{t / 10:06.3f}, 0, {uuid}, 535.1, {270 if 40 <= t < 100 else 90}.00 W\n"
            for t in range(120))
    return HEADER + "".join(rows)


def meter_rows():
    return "t_s,w\n" + "".join(f"{t / 100},{300 if 400 <= t < 1000 else 100}\n" for t in range(1190))


class Calibrate(CommandLine):
    def calibrate(self, *words, code=0, **variables):
        call = self.call("calibrate", *map(str, words), **variables)
        self.assertEqual(call.returncode, code, call.stderr)
        return call

    def write_log(self, uuid="GPU-11111111-2222-3333-4444-555555555555"):
        (self.folder / "log.csv").write_text(log_rows(uuid))
        (self.folder / "meter.csv").write_text(meter_rows())
        (self.folder / "windows.csv").write_text("begin_s,end_s\n4,10\n")
        return ["log.csv", "--meter", "meter.csv", "--windows", "windows.csv"]

    def test_a_recorded_step_gives_gain_and_offset_and_what_limits_them(self):
        text = self.calibrate(A100).stdout
        self.assertIn("by PMD-USB", text)
        self.assertRegex(text, r"power.instant +2 +0.959 ± 0.018 .* linearity")
        self.assertLessEqual(len(text.splitlines()), 20)
        details = self.calibrate(A100, "-v").stdout
        for words in ("power.instant against PMD-USB", "two points", "limited by", "meter_scale"):
            self.assertIn(words, details)
        self.assertIn("--calibration FILE", text)
        self.assertLessEqual(max(map(len, text.splitlines())), 80)

    def test_the_example_of_the_schema_is_read(self):
        call = self.call("measure", "-d", "sim:a100", "--load", "step:on=1s", "-q", "--calibration",
                         str(TESTS / "data/golden/calibration_example.json"))
        self.assertEqual((call.returncode, call.stderr), (0, ""))

    def test_a_report_draws_the_line_of_every_source(self):
        self.calibrate(A100, "-q", "--report", "page.html")
        page = (self.folder / "page.html").read_text()
        self.assertIn("Sensor over meter", page)
        self.assertIn("0.959 ± 0.018", page)
        self.assertIn("step_a100", page)

    def test_json_is_what_the_schema_says_and_can_be_used(self):
        self.calibrate(A100, "--json", "c.json", "-q")
        check = subprocess.run([sys.executable, TESTS / "validate_json.py",
                                TESTS.parent / "docs/schemas/calibration.schema.json",
                                self.folder / "c.json"], capture_output=True, text=True, check=False)
        self.assertIn(check.returncode, (0, 77), check.stdout)
        document = json.loads((self.folder / "c.json").read_text())
        self.assertEqual(document["source"], "power.instant")
        self.assertEqual(len(document["levels"]), 2)
        self.assertIsNone(document["r_squared"])
        self.call("analyze", str(A100), "--calibration", "c.json")
        usage = json.loads(self.calibrate(A100, "--json", "-", "--source", "power.usage").stdout)
        self.assertEqual(usage["source"], "power.usage")

    def test_what_names_its_gpu_is_kept_for_it(self):
        text = self.calibrate(*self.write_log()).stdout
        self.assertIn("saved as", text)
        self.assertIn("is assumed", text)
        kept = list((self.folder / "truewatt/calibrations").iterdir())
        self.assertEqual([p.name for p in kept],
                         ["GPU-11111111-2222-3333-4444-555555555555@535.1@power.usage.json"])
        gain = json.loads(kept[0].read_text())["gain"]
        self.assertAlmostEqual(gain["value"], 0.9, places=3)

    def test_a_meters_accuracy_may_be_given(self):
        def half(*more):
            document = json.loads(self.calibrate(*self.write_log(), "--json", "-", *more).stdout)
            return document["gain"]["upper"] - document["gain"]["value"], document["reasons"]
        rough, _ = half("--meter-accuracy", "5%")
        fine, reasons = half("--meter-accuracy", "0.1%")
        self.assertGreater(rough, 2 * fine)
        self.assertNotIn("meter_accuracy_assumed", reasons)
        self.calibrate(*self.write_log(), "--meter-accuracy", "x", code=2)

    def test_a_simulated_gpu_has_a_simulated_meter(self):
        call = self.calibrate("-d", "sim:rtx3090", "--json", "c.json")
        self.assertIn("GPU is simulated", call.stdout)
        document = json.loads((self.folder / "c.json").read_text())
        self.assertEqual((document["source"], len(document["levels"])), ("energy.counter", 95))
        self.assertLessEqual(document["gain"]["lower"], 0.951)
        self.assertGreaterEqual(document["gain"]["upper"], 0.951)
        self.assertGreater(document["r_squared"], 0.9999)
        self.assertEqual(list((self.folder).glob("truewatt/calibrations/*")), [])
        measured = self.call("measure", "-d", "sim:rtx3090", "--load", "step:on=3s",
                             "--calibration", "c.json", "--json", "-")
        estimate = json.loads(measured.stdout)["devices"][0]
        self.assertNotIn("uncalibrated_gain", json.dumps(estimate["reasons"]))
        self.assertNotIn("calibration_ignored", estimate["reasons"])

        def measured_with(name, **changes):
            document["device"] |= changes
            (self.folder / name).write_text(json.dumps(document))
            call = self.call("measure", "-v", "-d", "sim:rtx3090", "--load", "step:on=3s", "--calibration", name,
                             "--json", "-")
            return json.loads(call.stdout)["devices"][0]["reasons"], " ".join(call.stderr.split())
        reasons, text = measured_with("older.json", driver="535.1")
        self.assertIn("other_driver", reasons)
        self.assertNotIn("uncalibrated_gain", reasons)
        self.assertIn("warning: calibration older.json was made under driver 535.1", text)
        reasons, text = measured_with("other.json", uuid="GPU-of-someone-else")
        self.assertIn("calibration_ignored", reasons)
        self.assertIn("uncalibrated_gain", reasons)
        self.assertIn("it is not used for sim:rtx3090", text)

    def test_repetitions_and_seed_may_be_chosen(self):
        def levels(*words):
            call = self.calibrate("-d", "sim:a100", "--repetitions", "2", "--json", "-", *words)
            return json.loads(call.stdout)["levels"]
        self.assertEqual(len(levels()), 23)
        self.assertEqual(levels("--seed", "3"), levels("--seed", "3"))
        self.assertNotEqual(levels("--seed", "3"), levels("--seed", "4"))
        for repetitions in ("0", "101", "x"):
            self.calibrate("-d", "sim:a100", "--repetitions", repetitions, code=2)

    def test_failures_have_their_codes(self):
        self.calibrate(code=3)
        self.calibrate("-d", "sim:missing.toml", code=2)
        self.calibrate("-d", "sim:a100,sim:v100", code=2)
        self.calibrate("-d", "sim:a100", "--meter", "/dev/ttyUSB0", code=2)
        self.calibrate("missing", code=2)
        self.calibrate(A100, "--source", "power.samples", code=2)
        self.calibrate(A100, "--device", "GPU-1", code=2)
        self.calibrate(A100, "--utc-offset", "x", code=2)
        self.write_log()
        self.assertIn("--meter", self.calibrate("log.csv", code=2).stderr)
        self.assertIn("--windows", self.calibrate("log.csv", "--meter", "meter.csv", code=2).stderr)
        (self.folder / "windows.csv").write_text("begin_s,end_s\n4,5\n")
        self.assertIn("two levels", self.calibrate("log.csv", "--meter", "meter.csv", "--windows",
                                                   "windows.csv", code=1).stderr)
        self.calibrate(A100, "--json", "no/such/folder/c.json", code=1)


if __name__ == "__main__":
    unittest.main()
