"""`truewatt characterize`: profiles, levels of idle, and the protocols of papers."""

import contextlib
import json
import sqlite3
import unittest

from verb import DENIED, Verb


class Idle(Verb):
    def climbed(self, *arguments):
        call = self.call("characterize", "-d", "sim:k20", "--idle", "--json", "idle.json",
                         *arguments)
        self.assertEqual(call.returncode, 0, call.stderr)
        self.assert_obeys("idle", "idle.json")
        return call.stdout, {row["rung"]: row for row in
                             json.loads((self.folder / "idle.json").read_text())["rungs"]}

    def test_every_rung_has_its_watts_and_its_clock(self):
        text, rungs = self.climbed("--report", "idle.html", "--out", "idle.db")
        self.assertEqual(list(rungs), ["bare", "context", "active", "resident", "spinning"])
        for rung, watts in (("bare", 25), ("context", 25), ("active", 52.5)):
            self.assertLessEqual(rungs[rung]["against_meter_w"]["lower"], watts)
            self.assertGreaterEqual(rungs[rung]["against_meter_w"]["upper"], watts)
        # Active idle for 3.5 s, then four steps, the last 3 s later.
        self.assertAlmostEqual(rungs["active"]["settled_s"], 6.5, delta=0.4)
        self.assertAlmostEqual(rungs["context"]["sm_clock_hz"], 706e6)
        self.assertIsNone(rungs["context"]["above_context_w"])
        self.assertIn("just after work", text)
        self.assertIn("</html>", (self.folder / "idle.html").read_text())
        windows = self.call("analyze", "idle.db", "--json", "-")
        self.assertEqual(windows.returncode, 0, windows.stderr)
        self.assertIn("spinning", windows.stdout)

    def test_what_does_not_go_with_it_is_refused(self):
        self.assertEqual(self.call("characterize", "-d", "sim:k20", "--idle",
                                   "--protocol", "yang").returncode, 2)
        call = self.call("characterize", "-d", "sim:k20", "--idle", "--budget", "20")
        self.assertEqual(call.returncode, 2)
        self.assertIn("--idle needs 30 s", call.stderr)
        call = self.call("characterize", "-d", "sim:k20", "--profile", __file__)
        self.assertEqual(call.returncode, 2)
        self.assertIn("--idle", call.stderr)

    def test_a_superchip_has_a_ladder_by_its_profile(self):
        call = self.call("characterize", "-d", "sim:gh200", "--idle")
        self.assertEqual(call.returncode, 4)
        self.assertIn("characterize the device first", call.stdout)
        self.expect(0, "characterize", "-q", "-d", "sim:gh200", "--json", "profile.json")
        self.expect(0, "characterize", "-q", "-d", "sim:gh200", "--idle", "--profile", "profile.json",
                    "--json", "idle.json")
        rungs = json.loads((self.folder / "idle.json").read_text())["rungs"]
        for rung, watts in zip(rungs, (70, 90, 90, 90, 90)):
            self.assertAlmostEqual(rung["power_w"]["value"], watts, delta=0.7)


SLOW = """name = "slow"
[[sensor]]
source = "power.usage"
update_period_s = 0.015
averaging_window_s = 0.002
time_constant_s = 0.8
noise_w = 2.0
"""


class Characterize(Verb):
    def characterize(self, *words, code=0):
        return self.expect(code, "characterize", *words)

    def test_a_profile_serves_later_measurements(self):
        self.characterize("-d", "sim:a100", "--budget", "20", "--json", "profile.json", "-q")
        profile = json.loads((self.folder / "profile.json").read_text())
        self.assertEqual(profile["schema"], "truewatt.profile/1")
        self.assertLessEqual(profile["duration_s"], 20.0)
        steadiness = profile["steadiness"]
        self.assertEqual((steadiness["warm_up_s"], steadiness["reasons"]), (0, []))
        self.assertLess(steadiness["idle_drift_w_per_s"]["lower"],
                        steadiness["idle_drift_w_per_s"]["upper"])
        instant = next(s for s in profile["sources"] if s["source"] == "power.instant")
        self.assertEqual(instant["verdict"], "part-time")
        for source in profile["sources"]:
            unknown = [key for key, value in source.items() if value is None and key != "catalogue"]
            self.assertTrue(source["reasons"] or not
                            set(unknown) & {"update_period_s", "averaging_window_s",
                                            "time_constant_s"})
        measured = self.call("measure", "-v", "-d", "sim:a100", "--load", "step:on=1s", "--profile",
                             "profile.json")
        self.assertEqual(measured.returncode, 0, measured.stderr)
        self.assertIn("note: profile: profile.json", measured.stdout)

    def page(self, name):
        path = self.folder / name
        self.assertLess(path.stat().st_size, 2_000_000)
        return path.read_text()

    def test_a_report_draws_every_source(self):
        self.characterize("-d", "sim:a100", "--budget", "20", "-q", "--report", "page.html")
        page = self.page("page.html")
        for title in ("What each source shows", "How often it updates", "Random work",
                      "How it answers", "Loss over the averaging window", "Window or filter?",
                      "What the model leaves"):
            self.assertIn(title, page)
        self.assertIn("window and filter (chosen)", page)
        self.characterize("-d", "sim:a100", "--budget", "20", "-q", "--report", "no/such.html",
                          code=1)

    def test_a_run_file_gives_its_report_again_or_says_why_not(self):
        self.characterize("-d", "sim:rtx3090", "--budget", "20", "-q", "--out", "run.db")
        self.assertEqual(self.call("report", "run.db").returncode, 0)
        page = self.page("run.html")
        self.assertIn("Loss over the averaging window", page)
        self.assertIn("fitted again from the recording", page)
        with contextlib.closing(sqlite3.connect(self.folder / "run.db")) as database:
            database.execute("DELETE FROM activity")
            database.commit()
        self.assertEqual(self.call("report", "run.db").returncode, 0)
        page = self.page("run.html")
        self.assertNotIn("Loss over the averaging window", page)
        self.assertIn("its figures cannot be drawn", page)

    def test_the_table_fits_a_terminal_and_says_what_is_unknown(self):
        # A lag of 0.8 s behind noise of 2 W hides any window.
        (self.folder / "slow.toml").write_text(SLOW)
        text = self.characterize("-d", "sim:slow.toml", "--budget", "20").stdout
        self.assertIn("exponential", text)
        self.assertIn("averaging_window_not_resolved", text)
        self.assertLessEqual(max(map(len, text.splitlines())), 100)

    def test_a_superchips_sources_are_told_by_cpu_and_gpu_work(self):
        text = self.characterize("-d", "sim:gh200", "--json", "gh200.json").stdout
        self.assertIn("observes_module", text)
        answers = text[text.index("answer to full work"):]
        self.assertLessEqual(max(map(len, answers.splitlines())), 100)
        profile = json.loads((self.folder / "gh200.json").read_text())
        sources = {(s["source"], s["scope"]): s for s in profile["sources"]}
        instant = sources["power.instant", "gpu"]
        self.assertIn("observes_module", instant["reasons"])
        # GH200: 220 W of CPU; 80 % of the GPU's activity and 90 % of the CPU's go unseen.
        self.assertLess(instant["scopes"]["cpu_response_w"]["lower"], 220.2)
        self.assertGreater(instant["scopes"]["cpu_response_w"]["upper"], 219.8)
        self.assertAlmostEqual(1 - instant["duty"], 0.8, delta=0.015)
        self.assertAlmostEqual(1 - sources["power.instant", "cpu"]["duty"], 0.9, delta=0.015)
        self.assertEqual(sources["power.usage", "gpu"]["scopes"]["alias_of"], "power.average")
        self.assertEqual(profile["recommended_source"], "power.average")
        self.assertLessEqual(profile["duration_s"], 60)

    def test_the_cpu_is_left_alone_when_that_is_asked_for(self):
        text = self.characterize("-d", "sim:gh200", "--budget", "30", "--no-scopes").stdout
        self.assertIn("no_cpu_load", text)
        self.assertNotIn("observes_module", text)
        self.characterize("-d", "sim:gh200", "--scopes", "--no-scopes", code=2)

    def test_the_papers_protocol_prints_its_table_and_says_whose_profile_it_is(self):
        call = self.characterize("-d", "sim:v100", "--protocol", "yang", "--budget", "600",
                                 "--json", "yang.json")
        self.assertIn("Yang, Adamek, Armour", call.stdout)
        self.assertIn("interval_is_standard_error", call.stdout)
        profile = json.loads((self.folder / "yang.json").read_text())
        self.assertEqual(profile["protocol"], "yang")
        self.assertLessEqual(profile["duration_s"], 600.0)
        instant = next(s for s in profile["sources"] if s["source"] == "power.instant")
        self.assertAlmostEqual(instant["protocol_values"]["update_median_s"], 0.020, delta=2e-4)
        self.assertIsNone(instant["delay_s"])
        self.assertIn("not_in_the_protocol", instant["reasons"])
        measured = self.call("measure", "-v", "-d", "sim:v100", "--load", "step:on=1s",
                             "--profile", "yang.json")
        self.assertEqual(measured.returncode, 0, measured.stderr)
        self.assertIn("profile_ignored", measured.stdout)
        self.assertIn("characterize without --protocol", " ".join(measured.stdout.split()))

    def test_paper_001s_protocol_finds_its_numbers_on_a_k20_and_draws_them(self):
        call = self.characterize("-d", "sim:k20", "--protocol", "burtscher",
                                 "--json", "burtscher.json", "--report", "burtscher.html",
                                 "--out", "burtscher.db")
        self.assertIn("Burtscher, Zecena, Zong", call.stdout)
        self.assertIn("K20c, published", call.stdout)
        profile = json.loads((self.folder / "burtscher.json").read_text())
        self.assertEqual(profile["protocol"], "burtscher")
        self.assertIsNone(profile["recommended_source"])
        usage = profile["sources"][0]
        constant = usage["time_constant_s"]
        self.assertLess(constant["lower"], 0.840)
        self.assertGreater(constant["upper"], 0.840)
        values = usage["protocol_values"]
        self.assertAlmostEqual(values["active_idle_w"], 52.5, delta=0.5)
        self.assertAlmostEqual(values["raw_j"], 732, delta=4)
        self.assertLess(values["t1_s"], values["t2_s"])
        self.assertLess(values["t2_s"], values["t3_s"])
        self.assertLess(values["t3_s"], values["t4_s"])
        page = (self.folder / "burtscher.html").read_text()
        self.assertIn("Time between changes of the reading", page)
        self.assertEqual(self.call("report", "burtscher.db", "--report", "again.html").returncode,
                         0)
        self.assertIn("Time between changes of the reading",
                      (self.folder / "again.html").read_text())

    def test_paper_001s_protocol_says_where_there_is_no_capacitor(self):
        self.characterize("-d", "sim:h100", "--protocol", "burtscher", "--json", "burtscher.json")
        sources = json.loads((self.folder / "burtscher.json").read_text())["sources"]
        self.assertTrue(all(s["time_constant_s"] is None for s in sources))
        reasons = {s["source"]: s["reasons"] for s in sources}
        self.assertIn("no_capacitor", reasons["power.instant"])
        self.assertIn("rises_in_a_line", reasons["power.average"])
        self.assertIn("not_in_the_protocol", reasons["energy.counter"])

    def test_paper_001s_protocol_is_one_step(self):
        text = self.characterize("-d", "sim:k20", "--protocol", "burtscher", "--budget", "20",
                                 code=2).stderr
        self.assertIn("needs 28 s", text)

    def test_options_that_a_protocol_does_not_have_are_refused(self):
        for protocol, *option in (("burtscher", "--repetitions", "4"),
                                  ("truewatt", "--repetitions", "4"),
                                  ("burtscher", "--scopes"), ("yang", "--no-scopes"),
                                  ("yang", "--report", "yang.html")):
            text = self.characterize("-d", "sim:k20", "--protocol", protocol, *option,
                                     code=2).stderr
            self.assertIn(f"{option[0]} does not go with --protocol {protocol}",
                          " ".join(text.split()))

    def test_the_papers_protocol_says_what_it_needs_at_least(self):
        self.assertIn("one repetition",
                      self.characterize("-d", "sim:v100", "--protocol", "yang", "--budget", "60",
                                        code=2).stderr)
        self.characterize("-d", "sim:v100", "--repetitions", "4", code=2)
        self.characterize("-d", "sim:v100", "--protocol", "burton", code=2)

    def test_one_device_at_a_time_and_a_budget_that_suffices(self):
        self.assertIn("one after the other",
                      self.characterize("-d", "sim:a100,sim:h100", code=2).stderr)
        self.characterize("-d", "sim:a100", "--budget", "3", code=2)
        self.characterize("-d", "sim:missing.toml", code=2)

    def test_a_device_without_a_sensor_has_nothing_to_characterize(self):
        (self.folder / "bare.toml").write_text("[power]\nidle_w = 80\nmax_w = 300\n")
        call = self.call("characterize", "-d", "sim:bare.toml", "--json", "profile.json")
        self.assertEqual(call.returncode, 4)
        self.assertIn("no power sensor answers", call.stderr)
        self.assertFalse((self.folder / "profile.json").exists())

    def test_a_device_that_refuses_everything_is_a_matter_of_permission(self):
        (self.folder / "denied.toml").write_text(DENIED)
        self.assertIn("permission", self.characterize("-d", "sim:denied.toml", code=3).stderr)


if __name__ == "__main__":
    unittest.main()
