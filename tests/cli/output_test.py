"""Where results go: files, pipes and links, stdout and stderr."""

import json
import os
import stat
import threading
import unittest

from command_line import CommandLine
from verb import MEASURE


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

    def test_what_cannot_be_written_is_said_before_anything_is_measured(self):
        for bad, good in (("--json", "--report"), ("--report", "--json")):
            path = self.folder / f"good{good}"
            call = self.call(*MEASURE, bad, "no/such/folder", good, path)
            self.assertEqual(call.returncode, 1)
            self.assertIn("no/such/folder", call.stderr)
            self.assertFalse(path.exists())

    def test_no_output_is_written_over_an_input(self):
        log = self.folder / "log.csv"
        log.write_text("timestamp, power.draw [W]\n" + "".join(
            f"2025/06/12 12:00:{i:02d}.000, {50 + i % 3}.00 W\n" for i in range(40)))
        before = log.read_text()
        for option in ("--report", "--json", "--write-profile"):
            call = self.call("analyze", "log.csv", option, "./log.csv")
            self.assertEqual(call.returncode, 2, option)
            self.assertIn("reads this file", call.stderr)
            self.assertEqual(log.read_text(), before)

    def test_two_outputs_are_two_files(self):
        for outputs in (["--json", "one", "--report", "one"], ["--json", "-", "--report", "-"],
                        ["--out", "one", "--json", "one"], ["--out", "-"]):
            call = self.call(*MEASURE, *outputs)
            self.assertEqual(call.returncode, 2, outputs)
            self.assertRegex(call.stderr, "named for two outputs|cannot go to stdout")
        self.assertEqual(list(self.folder.iterdir()), [])
        self.assertEqual(self.call(*MEASURE, "--json", "/dev/null",
                                   "--report", "/dev/null").returncode, 0)

    @unittest.skipUnless(os.path.exists("/dev/full")
                         and stat.S_ISCHR(os.stat("/dev/full").st_mode), "no /dev/full")
    def test_a_full_disk_is_reported(self):
        for bad, good in (("--json", "--report"), ("--report", "--json")):
            path = self.folder / f"good{good}"
            self.assertEqual(self.call(*MEASURE, bad, "/dev/full", good, path).returncode, 1)
            self.assertGreater(path.stat().st_size, 1000)  # the other one is written
        with open("/dev/full", "w", encoding="ascii") as full:
            self.assertEqual(self.start(*MEASURE, "--json", "-", stdout=full).wait(60), 1)
            self.assertEqual(self.start("devices", "-d", "sim:h100", stdout=full).wait(60), 1)


class Files(CommandLine):
    def test_a_run_file_that_is_replaced_is_named(self):
        words = ("measure", "-d", "sim:h100", "--load", "step:on=1s", "--out", "run.db")
        self.assertNotIn("exists", self.call(*words).stderr)
        self.assertIn("run.db exists and is kept as run.db.old", self.call(*words).stderr)
        self.assertEqual(self.call(*words, "-q").stderr, "")

    def test_the_demo_writes_its_page_only_where_no_other_file_is_asked_for(self):
        page = self.folder / "truewatt-demo.html"
        self.assertEqual(self.call("demo", "-q", "--json", "-").returncode, 0)
        self.assertFalse(page.exists())
        self.assertIn("Pictures: truewatt-demo.html", self.call("demo").stdout)
        self.assertTrue(page.exists())


class Streams(CommandLine):
    def test_a_result_is_on_stdout_and_nothing_else_is(self):
        for words in (["measure", "-d", "sim:h100", "--load", "step:on=1s"], ["demo"],
                      ["compare", "-d", "sim:h100", "--load", "step:on=1s",
                       "--vs-load", "step:on=1s", "-r", "2"]):
            call = self.call(*words)
            self.assertEqual((call.returncode, call.stderr), (0, ""), words)
            self.assertRegex(call.stdout, "[Ee]nergy")
            call = self.call(*words, "--json", "-")
            self.assertEqual(json.loads(call.stdout)["schema"][:9], "truewatt.")
            self.assertRegex(call.stderr, "[Ee]nergy", "the summary makes way for the JSON")

    def test_csv_of_measure_is_on_stdout_beside_its_summary(self):
        call = self.call("measure", "-d", "sim:h100", "--load", "step:on=1s", "-x", ",")
        self.assertTrue(call.stdout.startswith("#device,"), call.stdout)
        self.assertIn("Energy of", call.stderr)
        self.assertEqual(self.call(*MEASURE, "-x", ",").stderr, "")
        self.assertEqual(self.call(*MEASURE, "-x", ",", "--json", "-").returncode, 2)


if __name__ == "__main__":
    unittest.main()
