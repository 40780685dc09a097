"""The harness itself: it passes for a mistake that is caught and fails in every other case."""

import os
import pathlib
import subprocess
import sys
import tempfile
import unittest

HARNESS = pathlib.Path(__file__).with_name("must_not_compile.py")


class Harness(unittest.TestCase):
    def run_on(self, text):
        with tempfile.TemporaryDirectory() as folder:
            file = pathlib.Path(folder) / "case.cpp"
            file.write_text(text)
            run = subprocess.run(
                [sys.executable, HARNESS, "--compiler", os.environ.get("COMPILER", "c++"),
                 "--include", folder, file], text=True, capture_output=True, check=False)
        return run.returncode, run.stdout + run.stderr

    def test_passes_when_the_mistake_is_caught(self):
        self.assertEqual(self.run_on("// error: caught here\n#ifdef MUST_NOT_COMPILE\n"
                                     "static_assert(false, \"caught here\");\n#endif\n")[0], 0)

    def assert_fails(self, text, reason):
        status, output = self.run_on(text)
        self.assertEqual(status, 1, output)
        self.assertIn(reason, output)

    def test_fails_when_the_mistake_compiles(self):
        self.assert_fails("// error: caught here\n#ifdef MUST_NOT_COMPILE\nint a;\n#endif\n",
                          "compiles")

    def test_fails_when_the_message_is_another_one(self):
        self.assert_fails("// error: caught here\n#ifdef MUST_NOT_COMPILE\n"
                          "static_assert(false, \"something else\");\n#endif\n", "another reason")

    def test_fails_when_the_file_is_broken_without_the_mistake(self):
        self.assert_fails("// error: caught here\nstatic_assert(false, \"caught here\");\n",
                          "must compile")

    def test_fails_when_no_message_is_named(self):
        self.assert_fails("int a;\n", "names no")


if __name__ == "__main__":
    unittest.main()
