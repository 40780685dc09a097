"""`truewatt run` around a command: exit codes, signals, what belongs to whom."""

import json
import os
import signal
import subprocess
import time
import unittest

from command_line import PROGRAM, CommandLine

LONG = ["sh", "-c", "echo ready; exec sleep 20"]


class Run(CommandLine):
    def code(self, *words):
        return self.call("run", "-q", "-d", "sim:h100", *words).returncode

    def test_passes_the_exit_code_on(self):
        self.assertEqual(self.code("sh", "-c", "exit 5"), 5)

    def test_tells_the_joules_of_a_command(self):
        for device in ("h200", "a100", "p100"):
            run = self.call("run", "-q", "-d", "sim:" + device, "--load", "step:on=1s",
                            "--json", "-", "--", "sleep", "1.2")
            estimate = json.loads(run.stdout)["devices"][0]
            with self.subTest(device=device, reasons=estimate["reasons"]):
                self.assertTrue(estimate["valid"])
                energy = estimate["energy_j"]
                self.assertIsNotNone(energy)
                self.assertLessEqual(energy["lower"], estimate["truth_j"])
                self.assertGreaterEqual(energy["upper"], estimate["truth_j"])

    def test_tells_its_own_failures_from_the_commands(self):
        for option in ("--out", "--json", "--report"):
            self.assertEqual(self.code(option, "no/such/folder/run.db", "touch", "it_ran"), 125, option)
        self.assertEqual(self.code("--json", ".", "touch", "it_ran"), 125)
        self.assertFalse((self.folder / "it_ran").exists(), "what cannot be kept is said before the command runs")
        self.assertEqual(self.code("--load", "nonsense", "true"), 125)
        self.assertEqual(self.code("--load", "trace:missing.csv", "true"), 125)
        self.assertEqual(self.code("no-such-command-here"), 127)
        self.assertEqual(self.code("/tmp"), 126)

    def test_an_unknown_option_is_not_the_command(self):
        run = self.call("run", "--jsno", "x", "--", "true")
        self.assertEqual(run.returncode, 125)
        self.assertIn("no option --jsno", run.stderr)

    def test_finds_the_verb_behind_global_options(self):
        (self.folder / "empty.toml").write_text("")
        for config in (["--config", "empty.toml"], ["--config=empty.toml"]):
            run = self.call(*config, "run", "-d", "sim:h100", "--", "sh", "-c", "exit 5")
            self.assertEqual(run.returncode, 5, run.stderr)

    def test_version_is_ours_before_the_command_and_the_commands_after(self):
        self.assertIn("truewatt", self.call("run", "--version", "--", "true").stdout)
        echo = ["sh", "-c", 'echo "$1"', "sh", "--version"]
        self.assertEqual(self.call("run", "-q", "-d", "sim:h100", *echo).stdout, "--version\n")

    def test_a_closed_stderr_does_not_change_the_exit_code(self):
        reader, writer = os.pipe()
        run = self.start("run", "-d", "sim:h100", "sh", "-c", "exit 5", stderr=writer)
        os.close(reader)
        os.close(writer)
        self.assertEqual(run.wait(30), 5)

    def test_the_command_dies_of_a_closed_pipe_as_without_us(self):
        self.assertEqual(self.code("sh", "-c", "kill -PIPE $$"), 128 + signal.SIGPIPE)

    def test_a_signal_that_ends_the_command_leaves_the_result(self):
        run = self.start("run", "-q", "-d", "sim:h100", "--json", "run.json", *LONG,
                         stdout=subprocess.PIPE)
        self.assertEqual(run.stdout.readline(), "ready\n")
        run.send_signal(signal.SIGUSR1)
        self.assertEqual(run.wait(30), 128 + signal.SIGUSR1)
        run.stdout.close()
        self.assertIn('"exit_code": 138', (self.folder / "run.json").read_text())

    def test_the_first_interrupt_after_the_command_ends_the_tail(self):
        begin = time.monotonic()
        run = self.start("run", "-q", "-d", "sim:h100", "--tail", "60", "--json", "run.json", "sh",
                         "-c", "sleep 0.3; echo ready", stdout=subprocess.PIPE)
        self.assertEqual(run.stdout.readline(), "ready\n")
        time.sleep(0.3)
        run.send_signal(signal.SIGINT)
        self.assertEqual(run.wait(30), 0)
        run.stdout.close()
        self.assertLess(time.monotonic() - begin, 20)
        self.assertIn('"exit_code": 0', (self.folder / "run.json").read_text())

    def test_interrupt_of_the_terminal_reaches_a_command_that_left_our_group(self):
        """A session with a terminal of its own; ^C goes to its foreground group."""
        pid, terminal = os.forkpty()
        if pid == 0:
            os.chdir(self.folder)
            os.execvpe(PROGRAM,
                       ["truewatt", "run", "-q", "-d", "sim:h100", "timeout", "30", *LONG],
                       self.environment)
        self.addCleanup(os.close, terminal)
        self.assertIn(b"ready", os.read(terminal, 100))
        begin = time.monotonic()
        os.write(terminal, b"\x03")
        os.waitpid(pid, 0)
        self.assertLess(time.monotonic() - begin, 15)


class Compare(CommandLine):
    def test_a_signal_ends_it_with_the_rounds_that_are_whole(self):
        # Both commands take SIGINT for a wish to end, as servers do, and say that all went well.
        script = "trap 'exit 0' INT; i=0; while [ $i -lt 20 ]; do sleep 0.02; i=$((i+1)); done"
        call = self.start("compare", "-q", "-d", "sim:h100", "--repeat", "1000", "--json", "stopped.json", "--",
                          "sh", "-c", script, "--vs", "sh", "-c", script)
        time.sleep(6)
        call.send_signal(signal.SIGINT)
        self.assertEqual(call.wait(20), 4)
        result = json.loads((self.folder / "stopped.json").read_text())
        self.assertIn("interrupted", result["reasons"])
        self.assertFalse(result["valid"])
        self.assertGreater(len(result["a"]["runs"]), 0)
        self.assertEqual(len(result["a"]["runs"]), len(result["b"]["runs"]))

    def test_work_per_joule_is_of_the_amount_and_its_file(self):
        load = ["-q", "-d", "sim:h100", "--load", "fma"]
        run = self.call("run", *load, "--done", "2e6", "--unit", "tokens", "--out", "a.db", "--json", "-", "--", "sleep", "0.5")
        document = json.loads(run.stdout)
        work = document["work"]
        self.assertEqual((work["done"], work["unit"]), (2e6, "tokens"))
        joules = document["total"]["energy_j"]["value"]
        self.assertAlmostEqual(work["gross"]["joules_per_unit"]["value"] * 2e6, joules, places=6)
        self.assertAlmostEqual(work["gross"]["units_per_joule"]["lower"] * document["total"]["energy_j"]["upper"], 2e6, places=3)
        run = self.call("run", *load, "--done-file", "done", "--out", "b.db", "--json", "-", "--", "sh", "-c",
                        "sleep 0.5; echo 1e6 tokens > done")
        self.assertEqual(json.loads(run.stdout)["work"]["unit"], "tokens")
        compared = self.call("compare", "a.db", "b.db", "--json", "-")
        ratio = json.loads(compared.stdout)
        self.assertAlmostEqual(ratio["ratio_per_unit"]["value"], 2 * ratio["ratio"]["value"], places=9)
        self.assertIn("per token: A", compared.stderr)
        run = self.call("run", *load, "--done-file", "done", "--json", "-", "--", "sh", "-c", "exit 3")
        self.assertEqual(run.returncode, 3)
        self.assertIn("did not write it", run.stderr)
        self.assertIsNone(json.loads(run.stdout)["work"])
        self.assertEqual(self.call("run", *load, "--unit", "tokens", "--", "true").returncode, 125)

    def test_work_is_in_text_and_csv(self):
        words = ["run", "-d", "sim:h100", "--load", "fma", "--done", "3", "--unit", "images"]
        self.assertRegex(self.call(*words, "--", "sleep", "0.3").stderr, r"3 images: [\d.]+ J/image ±")
        head, device, total = (line.split(";") for line in
                               self.call(*words, "-x", ";", "--", "sleep", "0.3").stderr.splitlines()[:3])
        for line in (device, total):
            row = dict(zip(head, line))
            self.assertAlmostEqual(float(row["j_per_unit"]) * 3, float(row["energy_j"]), places=6)


if __name__ == "__main__":
    unittest.main()
