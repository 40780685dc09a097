"""tests/again_when_late.py: what fails, runs again or is skipped."""

import pathlib
import subprocess
import sys
import tempfile
import unittest

SCRIPT = pathlib.Path(__file__).resolve().parents[1] / "again_when_late.py"
ALWAYS_LATE = ["--late-ms", "-1"]


class AgainWhenLate(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.count = pathlib.Path(folder.name, "count")

    def run_script(self, options, shell):
        """(exit code, what was printed, how often the command ran)"""
        command = ["sh", "-c", f"echo x >> {self.count}; {shell}"]
        run = subprocess.run([sys.executable, SCRIPT, *options, *command], text=True,
                             stdout=subprocess.PIPE, check=False)
        return run.returncode, run.stdout, len(self.count.read_text().split())

    def test_what_passes_runs_once_however_late(self):
        self.assertEqual(self.run_script(ALWAYS_LATE, "true"), (0, "", 1))

    def test_a_failure_on_a_late_machine_runs_again(self):
        code, text, runs = self.run_script(ALWAYS_LATE, f"test $(wc -l < {self.count}) = 3")
        self.assertEqual((code, runs), (0, 3))
        self.assertIn("kept a thread waiting", text)

    def test_a_machine_that_is_always_late_skips_the_test_and_says_so(self):
        code, text, runs = self.run_script([*ALWAYS_LATE, "--attempts", "2"], "exit 3")
        self.assertEqual((code, runs), (77, 2))
        self.assertIn("skipped: in each of 2 attempts", text)

    def test_a_failure_on_time_is_one(self):
        sys.path.insert(0, str(SCRIPT.parent))
        import again_when_late
        again_when_late.MOST_STOLEN = float("inf")
        sys.argv = [str(SCRIPT), "--late-ms", "1e9", "sh", "-c", f"echo x >> {self.count}; exit 3"]
        self.assertEqual(again_when_late.main(), 3)
        self.assertEqual(self.count.read_text(), "x\n")

    def test_what_a_signal_ended_has_a_shells_exit_code(self):
        sys.path.insert(0, str(SCRIPT.parent))
        import again_when_late
        again_when_late.MOST_STOLEN = float("inf")
        sys.argv = [str(SCRIPT), "--late-ms", "1e9", "sh", "-c", "kill -KILL $$"]
        self.assertEqual(again_when_late.main(), 128 + 9)


if __name__ == "__main__":
    unittest.main()
