"""Run files of `measure`, and what `analyze`, `report` and `compare` find in them."""

import contextlib
import json
import sqlite3
import unittest

from command_line import CommandLine


class RunFiles(CommandLine):
    def test_a_run_file_keeps_the_idle_that_net_energy_counts_from(self):
        for rule, kind, shown in (("52.5", "given", "52.5 W, as given"),
                                  ("lowest", "lowest", ", the lowest"),
                                  ("before", "before", " before")):
            with self.subTest(rule=rule):
                call = self.call("measure", "-d", "sim:h100", "--load", "step:on=2s",
                                 "--baseline", rule, "-q", "--json", "-", "--out", "run.db")
                measured = json.loads(call.stdout)["devices"][0]
                analyzed = json.loads(
                    self.call("analyze", "run.db", "-q", "--json", "-").stdout)["combined"]
                self.assertEqual(measured["baseline"]["kind"], kind)
                self.assertEqual(analyzed["baseline"]["kind"], kind)
                self.assertAlmostEqual(analyzed["baseline"]["w"], measured["baseline"]["w"],
                                       places=6)
                self.assertEqual(self.call("report", "run.db").returncode, 0)
                self.assertIn(shown + ")", (self.folder / "run.html").read_text())
        chosen = json.loads(self.call(
            "analyze", "run.db", "--baseline", "60", "-q", "--json", "-").stdout)["combined"]
        self.assertEqual(chosen["baseline"], {"kind": "given", "w": 60, "rung": None})

    def test_a_blind_run_is_blind_in_its_file(self):
        measured = self.call("measure", "-d", "sim:h100", "--blind", "--load", "square:period=50ms,duty=0.187,duration=2s",
                             "-q", "--json", "-", "--out", "run.db")
        analyzed = self.call("analyze", "run.db", "-q", "--json", "-")
        said = [json.loads(call.stdout)["windows"][0]["on_sensor_scale_j"] for call in (measured, analyzed)]
        self.assertEqual(*said)

    def test_idle_has_its_name_where_the_recording_shows_it(self):
        words = ("measure", "-d", "sim:h100", "--load", "step:on=2s", "--json", "energy.json",
                 "--out", "run.db")
        for rule, rung, shown in (("before", "context", "with a context, before"),
                                  ("lowest", "asleep", "asleep, the lowest")):
            with self.subTest(rule=rule):
                self.assertIn(shown, " ".join(self.call(*words, "--baseline", rule).stdout.split()))
                measured = json.loads((self.folder / "energy.json").read_text())["devices"][0]
                self.assertEqual(measured["baseline"]["rung"], rung)
                analyzed = json.loads(
                    self.call("analyze", "run.db", "-q", "--json", "-").stdout)["combined"]
                self.assertEqual(analyzed["baseline"]["rung"], rung)

    def test_a_newer_run_file_is_read_and_its_codes_are_shown(self):
        self.call("measure", "-q", "-d", "sim:h100", "--load", "step:on=2s", "--out", "run.db")
        with contextlib.closing(sqlite3.connect(self.folder / "run.db")) as database:
            database.execute("INSERT INTO estimate_reasons VALUES(1, 'moon_too_near')")
            database.execute("INSERT INTO estimate_budget VALUES(1, 'tides', 1.25, 'A')")
            database.commit()
        call = self.call("report", "run.db")
        self.assertEqual(call.returncode, 0, call.stderr)
        page = (self.folder / "run.html").read_text()
        self.assertIn("<code>moon_too_near</code>", page)
        self.assertIn("tides", page)
        compared = self.call("compare", "run.db", "run.db")
        self.assertEqual(compared.returncode, 0, compared.stderr)


if __name__ == "__main__":
    unittest.main()
