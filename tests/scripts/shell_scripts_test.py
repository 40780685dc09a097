"""What a newcomer meets first: each script explains itself, from any folder, and refuses nonsense."""

import os
import pathlib
import subprocess
import unittest

SCRIPTS = pathlib.Path(__file__).resolve().parents[2] / "scripts"


def run(*command, **options):
    return subprocess.run(command, text=True, capture_output=True, check=False, cwd="/", **options)


class ShellScripts(unittest.TestCase):
    def test_each_explains_itself_from_any_folder(self):
        scripts = [path for path in SCRIPTS.iterdir()
                   if path.suffix in (".sh", ".py") and os.access(path, os.X_OK)]
        self.assertGreaterEqual(len(scripts), 7)
        for script in scripts:
            shown = run(script, "--help")
            self.assertEqual(shown.returncode, 0, shown.stderr)
            self.assertIn("usage: ", shown.stdout, script)

    def test_check_names_its_stages_when_given_another(self):
        shown = run(SCRIPTS / "check.sh", "sparkle")
        self.assertEqual(shown.returncode, 1)
        self.assertIn("format scripts layers surveys release asan tsan tidy fuzz", shown.stderr)

    def test_install_refuses_a_group_that_is_not(self):
        shown = run(SCRIPTS / "install_packages.sh", "sparkle")
        self.assertEqual(shown.returncode, 1)
        self.assertIn("no group `sparkle`", shown.stderr)


if __name__ == "__main__":
    unittest.main()
