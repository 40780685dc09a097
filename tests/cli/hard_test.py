"""`truewatt run` where drivers hang, limits are hard and files belong to others: the command runs, ends
with its code, and nothing is lost.

Arguments: the program and the tests' faulty libnvidia-ml.so.1 (truewatt/testing/faulty_nvml.cpp).
"""

import json
import os
import pathlib
import resource
import shutil
import signal
import subprocess
import sys
import time
import unittest

from command_line import PROGRAM, CommandLine

FAULTY = os.path.abspath(sys.argv.pop(1))
SCRIPTS = pathlib.Path(__file__).resolve().parent.parent.parent / "scripts"


class Drivers(CommandLine):
    def setUp(self):
        super().setUp()
        self.environment["TRUEWATT_NVML_LIBRARY"] = FAULTY

    def run_under(self, fault, script="sleep 1; exit 7", look="-v"):
        call = self.call("run", look, "-d", "0", "--json", "run.json", "--out", "run.db", "--", "sh", "-c",
                         script + "; exit 7", TRUEWATT_FAULT=fault)
        call.stderr = " ".join(call.stderr.split())
        self.assertEqual(call.returncode, 7, call.stderr)
        return call

    def estimate(self):
        return json.loads((self.folder / "run.json").read_text())["devices"][0]

    def test_a_call_that_never_returns_keeps_nobody(self):
        begin = time.monotonic()
        call = self.run_under("hangs@0.6", look="-q")
        self.assertLess(time.monotonic() - begin, 1 + 5)
        self.assertRegex(call.stderr, r"the driver's call for [a-z.]+ has not returned for")
        self.assertIn("gap_in_readings", self.estimate()["reasons"])
        self.assertFalse(self.estimate()["valid"])
        self.assertEqual(self.call("analyze", "run.db").returncode, 4)

    def test_without_an_answer_at_the_start_the_command_runs_unmeasured(self):
        call = self.run_under("init_hangs")
        self.assertIn("has not answered for 8 s (nvmlInit", call.stderr)
        self.assertIn("was not measured", call.stderr)
        self.assertFalse((self.folder / "run.db").exists())

    def test_with_a_driver_that_fails_or_is_not_there_the_command_runs_unmeasured(self):
        self.assertIn("the driver is not loaded", self.run_under("init_fails").stderr.replace("NVIDIA ", ""))
        self.environment["TRUEWATT_NVML_LIBRARY"] = "/no/such/library.so"
        call = self.run_under("")
        self.assertIn("cannot load NVML", call.stderr)
        self.assertIn("was not measured", call.stderr)
        self.assertEqual(self.call("run", "-d", "sim:missing.toml", "true").returncode, 125)
        self.assertEqual(self.call("run", "-d", "h100", "true").returncode, 125)

    def test_a_hanging_end_loses_nothing(self):
        self.run_under("shutdown_hangs")
        self.assertTrue(self.estimate()["valid"])

    def test_slow_calls_and_refusals_are_named(self):
        self.assertRegex(self.run_under("slow@0.4", "sleep 3").stderr, r"(took|has not returned for) [12]\.\d s")
        self.assertIn("no permission", self.run_under("denied@0.5").stderr)
        self.assertIn("fallen off the bus", self.run_under("lost@0.5").stderr)

    def test_work_between_two_answers_of_a_slow_driver_is_not_resolved_at_idle(self):
        self.run_under("slow@1", "sleep 3")
        estimate = self.estimate()
        self.assertIn("gap_in_readings", estimate["reasons"])
        self.assertFalse(estimate["resolved"])

    def test_the_first_interrupt_ends_what_comes_after_the_command(self):
        run = self.start("run", "-d", "0", "--tail", "30", "--", "sh", "-c", "echo ended", stdout=subprocess.PIPE,
                         stderr=subprocess.PIPE)
        run2 = self.start("run", "-d", "0", "--tail", "30", "--", "sh", "-c", "sleep 0.5; echo ended; exit 7",
                          stdout=subprocess.PIPE, stderr=subprocess.PIPE)
        run.communicate(timeout=60)
        run2.stdout.readline()
        time.sleep(0.5)
        run2.send_signal(signal.SIGINT)
        run2.communicate(timeout=10)
        self.assertEqual(run2.returncode, 7)

    def test_escapes_of_drivers_do_not_reach_the_terminal(self):
        for words in (("devices",), ("doctor", "--seconds", "0"), ("run", "-v", "-d", "0", "true")):
            call = self.call(*words, TRUEWATT_FAULT="escapes")
            self.assertNotIn("\033", call.stdout + call.stderr, words)

    def test_what_was_kept_and_is_damaged_is_a_note(self):
        kept = self.folder / "truewatt/profiles/GPU-0f0f0f0f-0000-0000-0000-000000000001@580.1.json"
        kept.parent.mkdir(parents=True)
        kept.write_text("{")
        self.assertIn("left out what was saved of this GPU", self.run_under("").stderr)
        kept.unlink()
        os.mkfifo(kept)
        self.assertIn("is not a regular file", self.run_under("").stderr)


class Limits(CommandLine):
    def under(self, limit, value, *words):
        return subprocess.run([PROGRAM, "run", "-d", "sim:h100", *words], cwd=self.folder, env=self.environment, text=True,
                              capture_output=True, timeout=60, check=False, stdin=subprocess.DEVNULL,
                              preexec_fn=lambda: resource.setrlimit(limit, (value, value)))

    def test_few_descriptors(self):
        for count in range(4, 9):
            call = self.under(resource.RLIMIT_NOFILE, count, "--", "sh", "-c", "sleep 0.3; exit 7")
            self.assertEqual(call.returncode, 7, (count, call.stderr))
            call = self.under(resource.RLIMIT_NOFILE, count, "--out", "run.db", "--", "sh", "-c", "sleep 0.3; exit 7")
            self.assertIn(call.returncode, (7, 125), (count, call.stderr))

    def test_file_sizes(self):
        call = self.under(resource.RLIMIT_FSIZE, 120 * 1024, "--out", "run.db", "--poll", "max", "--", "sh", "-c", "sleep 2; exit 7")
        self.assertEqual(call.returncode, 7)
        self.assertIn("file size limit is reached", call.stderr)
        self.assertIn(self.call("analyze", "run.db").returncode, (0, 4))

    def test_the_command_has_the_signals_of_limits_as_before(self):
        self.assertEqual(self.call("run", "-q", "-d", "sim:h100", "sh", "-c", "kill -XFSZ $$").returncode, 128 + signal.SIGXFSZ)

    @unittest.skipUnless(os.geteuid() == 0, "root alone can become a user without processes")
    def test_no_threads(self):
        self.folder.chmod(0o777)

        def as_nobody():
            resource.setrlimit(resource.RLIMIT_NPROC, (1, 1))
            os.setgid(65534)
            os.setuid(65534)

        if subprocess.run([PROGRAM, "--version"], user=65534, capture_output=True, check=False).returncode != 0:
            self.skipTest("nobody may not start the program here")
        call = subprocess.run([PROGRAM, "run", "-d", "sim:h100", "touch", "it_ran"], cwd=self.folder, text=True, timeout=60,
                              env=self.environment, capture_output=True, check=False, preexec_fn=as_nobody)
        self.assertEqual(call.returncode, 125, call.stderr)
        self.assertIn("ulimit -u", call.stderr)
        self.assertFalse((self.folder / "it_ran").exists())

    def test_memory(self):
        """From too little for the loader to enough: a message, or the command's code. (The kernel ends a
        program that is itself larger than its limit, before any of it runs.)"""
        for megabytes in (12, 16, 20, 24, 28, 32, 48, 96):
            call = self.under(resource.RLIMIT_AS, megabytes << 20, "--", "sh", "-c", "sleep 0.2; exit 7")
            # 127: the loader cannot map the program.
            self.assertIn(call.returncode, (7, 125, 127), (megabytes, call.stderr))

    def test_what_cannot_be_printed_is_an_error(self):
        with open("/dev/full", "w") as full:
            for words in (["--help"], ["--version"], ["run", "--help"]):
                call = subprocess.run([PROGRAM, *words], stdout=full, stderr=subprocess.PIPE, check=False)
                self.assertEqual(call.returncode, 1, words)


class Files(CommandLine):
    RUN = ("run", "-q", "-d", "sim:h100", "--out", "run.db")

    def load_of(self, name):
        return " ".join(self.call("analyze", name).stdout.split())

    def test_an_earlier_run_file_is_kept_once_there_is_another(self):
        self.assertEqual(self.call(*self.RUN, "true").returncode, 0)
        first = (self.folder / "run.db").read_bytes()
        self.assertEqual(self.call(*self.RUN, "no-such-command").returncode, 127)
        self.assertEqual((self.folder / "run.db").read_bytes(), first)
        self.assertEqual(sorted(p.name for p in self.folder.iterdir()), ["run.db"])
        self.assertEqual(self.call(*self.RUN, "true").returncode, 0)
        self.assertEqual((self.folder / "run.db.old").read_bytes(), first)

    def test_modes_are_kept(self):
        for _ in range(2):
            self.assertEqual(self.call(*self.RUN, "--json", "run.json", "true").returncode, 0)
            for name in ("run.db", "run.json"):
                (self.folder / name).chmod(0o600)
        self.call(*self.RUN, "--json", "run.json", "true")
        for name in ("run.db", "run.json", "run.db.old"):
            self.assertEqual((self.folder / name).stat().st_mode & 0o777, 0o600, name)

    def test_a_run_file_that_vanishes_is_missed(self):
        call = self.call(*self.RUN, "sh", "-c", "rm run.db*")
        self.assertEqual(call.returncode, 125)
        self.assertIn("run.db was removed", call.stderr)
        self.assertEqual(self.call(*self.RUN, "sh", "-c", "rm run.db*; exit 7").returncode, 7)

    def test_a_pipe_is_no_configuration(self):
        (self.folder / "truewatt").mkdir()
        os.mkfifo(self.folder / "truewatt/config.toml")
        call = self.call("--version")
        self.assertEqual(call.returncode, 0)
        self.assertIn("is not a regular file", call.stderr)
        self.assertEqual(self.call("--config", "truewatt/config.toml", "devices").returncode, 2)

    def test_killed_anywhere_something_readable_is_left(self):
        call = subprocess.run([sys.executable, SCRIPTS / "killed_runs.py", PROGRAM, "16"], capture_output=True, text=True,
                              timeout=120, check=False)
        self.assertEqual(call.returncode, 0, call.stdout + call.stderr)


@unittest.skipUnless(os.geteuid() == 0, "only root has files of others and can give rights away")
class Rights(CommandLine):
    NOBODY = 65534

    def test_with_rights_beyond_its_users_nothing_is_loaded_that_the_user_names(self):
        program = shutil.copy(PROGRAM, self.folder)
        library = shutil.copy(FAULTY, self.folder)
        self.folder.chmod(0o755)
        environment = self.environment | {"TRUEWATT_NVML_LIBRARY": library}

        def devices():
            return subprocess.run([program, "devices"], cwd="/", env=environment, user=self.NOBODY, text=True,
                                  capture_output=True, check=False)

        os.chmod(program, 0o755)
        self.assertIn("Faulty GPU", devices().stdout)
        os.chmod(program, 0o4755)
        if os.statvfs(self.folder).f_flag & os.ST_NOSUID:
            self.skipTest(f"{self.folder} is on a file system without setuid programs")
        self.assertNotIn("Faulty GPU", devices().stdout)

    def test_a_configuration_of_another_user_does_not_choose_what_root_writes(self):
        (self.folder / "truewatt").mkdir()
        config = self.folder / "truewatt/config.toml"
        config.write_text('[measure]\nout = "chosen.db"\n')
        os.chown(config, self.NOBODY, -1)
        call = self.call("measure", "-d", "sim:h100", "--load", "step:on=0.2s")
        self.assertIn("belongs to another user", call.stderr)
        self.assertFalse((self.folder / "chosen.db").exists())


if __name__ == "__main__":
    unittest.main()
