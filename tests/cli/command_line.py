"""The program under test: its path is this script's first argument."""

import os
import pathlib
import re
import signal
import subprocess
import sys
import tempfile
import time
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

    def interrupt(self, process, after_s=0):
        """Ctrl-C, not before the program heeds it, however slowly it starts."""
        status = pathlib.Path(f"/proc/{process.pid}/status")
        while process.poll() is None:
            blocked = re.search(r"SigBlk:\s*(\w+)", status.read_text(encoding="ascii"))
            if int(blocked[1], 16) >> (signal.SIGINT - 1) & 1:
                break
            time.sleep(0.01)
        time.sleep(after_s)
        process.send_signal(signal.SIGINT)

    def call(self, *words, **variables):
        return subprocess.run([PROGRAM, *words], cwd=self.folder, text=True, capture_output=True,
                              stdin=subprocess.DEVNULL, env=self.environment | variables,
                              check=False, timeout=300)
