"""What the tests of several verbs share: words, a board, paths, and JSON held to its schema."""

import pathlib
import subprocess
import sys

from command_line import CommandLine

TESTS = pathlib.Path(__file__).resolve().parent.parent

MEASURE = ["measure", "-q", "-d", "sim:h100", "--load", "step:on=1s"]
DENIED = """[faults]
denied = ["power.instant"]
[[sensor]]
source = "power.instant"
"""


class Verb(CommandLine):
    def expect(self, code, *words, **variables):
        call = self.call(*words, **variables)
        self.assertEqual(call.returncode, code, f"{words}: {call.stderr}")
        return call

    def assert_obeys(self, schema, file):
        """Skipped by its checker (77) where Python has no jsonschema."""
        checked = subprocess.run([sys.executable, TESTS / "validate_json.py",
                                  TESTS.parent / f"docs/schemas/{schema}.schema.json",
                                  self.folder / file],
                                 capture_output=True, text=True, check=False)
        self.assertIn(checked.returncode, (0, 77), checked.stdout)
