"""Situations from public bug reports and logs (tests/data/field): the energy that is right, or none."""

import json
import math
import pathlib
import unittest

from command_line import CommandLine

FIELD = pathlib.Path(__file__).resolve().parent.parent / "data/field"


class Field(CommandLine):
    def analyzed(self, name, windows=None, code=0):
        """The analysis of a log, by default with the windows that go with it."""
        windows = windows or FIELD / f"{pathlib.Path(name).stem}_windows.csv"
        log = name if isinstance(name, pathlib.Path) else FIELD / name
        call = self.call("analyze", str(log), "--utc-offset", "+00:00", "-q", "--json", "-", *(["--windows", str(windows)] if windows.exists() else []))
        self.assertEqual(call.returncode, code, call.stderr)
        return json.loads(call.stdout)

    def window(self, name, **options):
        [window] = self.analyzed(name, **options)["windows"]
        return window

    def table(self, name, text):
        path = self.folder / name
        path.write_text(text)
        return path

    def assert_holds(self, interval, joules):
        self.assertLessEqual(interval["lower"], joules)
        self.assertGreaterEqual(interval["upper"], joules)

    def assert_no_energy(self, window, reason):
        self.assertIsNone(window["energy_j"])
        self.assertIsNone(window["net_energy_j"])
        self.assertFalse(window["resolved"])
        self.assertIn(reason, window["reasons"])


class Logs(Field):
    def test_a_sensor_that_says_zero_for_ever_tells_no_energy(self):
        window = self.window("zero_power.csv", code=4)
        self.assert_no_energy(window, "no_usable_source")
        self.assertFalse(window["valid"])

    def test_readings_that_no_board_draws_are_left_out(self):
        window = self.window("glitch_kilowatt.csv")
        # 0.3 of 20 s were not read well: half of what 78 W are in them.
        self.assertAlmostEqual(window["energy_j"]["value"], 1560, delta=0.5 * 0.3 * 78)
        self.assert_holds(window["on_sensor_scale_j"], 1560)
        self.assertGreater(window["net_energy_j"]["lower"], 0)

    def test_a_reading_a_second_is_a_snapshot(self):
        window = self.window("one_hertz_a100.csv")
        self.assert_holds(window["energy_j"], 1000)
        self.assert_holds(window["on_sensor_scale_j"], 1000)
        # A second at either end is open, of five: nobody is told more.
        self.assertFalse(window["resolved"])
        self.assertLess(window["energy_j"]["upper"] - window["energy_j"]["lower"], 2 * 0.2 * 1000)

    def test_a_window_across_a_gap_of_most_of_it_has_no_energy(self):
        for windows in (None, self.folder / "none"):
            with self.subTest(windows=windows):
                window = self.window("gap_50min.csv", windows=windows, code=4)
                self.assert_no_energy(window, "gap_in_readings")
                self.assertFalse(window["valid"])

    def test_a_reading_at_the_edge_does_not_spoil_the_baseline(self):
        earlier = self.table("earlier.csv", "begin_s,end_s\n11.9,31.9\n")
        for windows in (None, earlier):
            with self.subTest(windows=windows):
                analysis = self.analyzed("baseline.csv", windows=windows)
                [window] = analysis["windows"]
                self.assertAlmostEqual(analysis["combined"]["baseline_w"], 55, delta=0.5)
                # A reading every 0.1 s, and 255 W more at either edge.
                self.assertAlmostEqual(window["net_energy_j"]["value"], 5100, delta=2 * 0.1 * 255)
                self.assert_holds(window["net_energy_j"], 5100)
                self.assert_holds(window["on_sensor_scale_j"], 6200)

    def test_windows_may_lie_in_each_other(self):
        epoch, *batches = self.analyzed("baseline.csv", windows=FIELD / "nested_windows.csv")["windows"]
        self.assertEqual([epoch["label"], *(b["label"] for b in batches)], ["epoch", "batch 0", "batch 1"])
        # Idle until 12 s.
        for window, joules in ((epoch, 2 * 55 + 18 * 310), (batches[0], 2 * 55 + 8 * 310), (batches[1], 10 * 310)):
            self.assert_holds(window["on_sensor_scale_j"], joules)
        parts = sum(b["energy_j"]["value"] for b in batches)
        self.assertAlmostEqual(epoch["energy_j"]["value"], parts, delta=1e-6 * parts)

    def test_of_nested_windows_the_outer_one_is_the_total(self):
        analysis = self.analyzed("baseline.csv", windows=FIELD / "nested_windows.csv")
        total = analysis["combined"]["energy_j"]["value"]
        self.assertAlmostEqual(total, analysis["windows"][0]["energy_j"]["value"], delta=1e-6 * total)

    def test_a_gpu_that_sleeps_beside_the_window_is_no_gap_in_it(self):
        window = self.window("asleep.csv")
        self.assert_holds(window["on_sensor_scale_j"], 1500)
        self.assertTrue(window["valid"])
        self.assertNotIn("gap_in_readings", window["reasons"])

    def test_a_log_without_windows_has_an_energy(self):
        window = self.window("whole_log.csv")
        self.assertAlmostEqual(window["energy_j"]["value"], 2565, delta=0.005 * 2565)
        self.assert_holds(window["on_sensor_scale_j"], 2565)


class Counters(Field):
    def measured(self, board):
        call = self.call("measure", "-d", f"sim:{FIELD / board}", "--load", "step:on=3s", "--blind", "-q", "--json", "-")
        self.assertIn(call.returncode, (0, 4), call.stderr)
        return json.loads(call.stdout)["devices"][0]

    def test_one_that_counts_a_third_more_than_the_power_is_not_believed(self):
        device = self.measured("counter_above_power.toml")
        self.assert_no_energy(device, "sources_disagree")

    def test_one_alone_tells_the_energy(self):
        device = self.measured("counter_only.toml")
        self.assert_holds(device["energy_j"], device["truth_j"])
        self.assertAlmostEqual(device["energy_j"]["value"], device["truth_j"], delta=0.015 * device["truth_j"])
        self.assert_holds(device["net_energy_j"], device["truth_j"] - 3 * 60)

    def leaping(self, joules):
        """A log of 60 W, and of 250 W from 4 to 7 s; the counter leaps once, at 5.5 s. A reading every 0.1 s."""
        rows = []
        for i in range(111):
            t = 0.1 * i + 1e-9
            watts = (250 if 4 <= t < 7 else 60) + 0.3 * math.sin(37 * t)
            counted = 60 * t + 190 * min(max(t - 4, 0), 3) + (joules if t > 5.5 else 0)
            ns = round(1.795e18) + round(1e9 * t)
            rows += [f"instant_mW,{ns},{round(1000 * watts)}", f"energy_mJ,{ns + 10000},{round(1000 * counted)}"]
        return self.table("leaping.csv", "\n".join(["source,t_ns,value", *rows, ""]))

    def test_a_leap_beyond_what_boards_draw_is_no_energy(self):
        windows = self.table("windows.csv", "begin_s,end_s\n3.0,8.0\n")
        for joules in (0, 2_000_000):
            with self.subTest(joules=joules):
                window = self.window(self.leaping(joules), windows=windows)
                # What a reading of 0.1 s leaves open at the two edges of the load, at most.
                self.assertAlmostEqual(window["energy_j"]["value"], 870, delta=0.1 * 190)
                self.assert_holds(window["on_sensor_scale_j"], 870)


if __name__ == "__main__":
    unittest.main()
