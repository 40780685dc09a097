"""The program under test: its path is this script's first argument."""

import os
import pathlib
import subprocess
import sys
import tempfile
import unittest

PROGRAM = os.path.abspath(sys.argv.pop(1))


class CommandLine(unittest.TestCase):
    """A folder of its own as working and configuration folder, and no TRUEWATT_* variable."""

    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)
        self.environment = {key: value for key, value in os.environ.items()
                            if not key.startswith("TRUEWATT_")}
        self.environment |= {"XDG_CONFIG_HOME": folder.name, "XDG_DATA_HOME": folder.name}

    def start(self, *words, **options):
        return subprocess.Popen([PROGRAM, *words], cwd=self.folder, env=self.environment, text=True,
                                stdin=subprocess.DEVNULL, **options)

    def call(self, *words, **variables):
        return subprocess.run([PROGRAM, *words], cwd=self.folder, text=True, capture_output=True,
                              stdin=subprocess.DEVNULL, env=self.environment | variables,
                              check=False, timeout=300)
