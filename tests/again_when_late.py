#!/usr/bin/env python3
"""Runs a test that lives in real time. When it fails and the machine kept threads waiting meanwhile,
it runs again; when the machine never gave it the time, the test is skipped, saying so. A failure on
a machine that was on time is a failure.

usage: again_when_late.py [--attempts N] [--late-ms MS] COMMAND...

A thread on every processor asks to be woken each 2 ms and notes the longest it waited beyond; the
kernel tells what a hypervisor took away. Exit code: that of the command, or 77 when skipped."""

import argparse
import os
import subprocess
import sys
import threading
import time

SKIPPED = 77
PERIOD_S = 2e-3
# Of all processor time. Less than that is lost to any machine's housekeeping.
MOST_STOLEN = 0.02


def stolen_s():
    """Processor time that a hypervisor gave to others, s, over all processors."""
    try:
        with open("/proc/stat", encoding="ascii") as stat:
            words = stat.readline().split()
        return int(words[8]) / os.sysconf("SC_CLK_TCK")
    except (OSError, IndexError, ValueError):
        return 0.0


class Watch:
    """How late the machine was while it is entered."""

    def __init__(self):
        self.longest_s = 0.0
        self.stolen = 0.0  # share of all processor time
        self._stop = threading.Event()
        self._threads = []

    def __enter__(self):
        processors = sorted(os.sched_getaffinity(0))
        self._begin, self._stolen = time.monotonic(), stolen_s()
        self._threads = [threading.Thread(target=self._wake_on, args=(one,)) for one in processors]
        for thread in self._threads:
            thread.start()
        return self

    def __exit__(self, *unused):
        self._stop.set()
        for thread in self._threads:
            thread.join()
        length = (time.monotonic() - self._begin) * len(self._threads)
        self.stolen = (stolen_s() - self._stolen) / length

    def _wake_on(self, processor):
        try:
            os.sched_setaffinity(0, {processor})  # of this thread alone
        except OSError:
            pass  # it watches from wherever it runs
        while not self._stop.is_set():
            asked = time.monotonic()
            time.sleep(PERIOD_S)
            self.longest_s = max(self.longest_s, time.monotonic() - asked - PERIOD_S)


def main():
    parser = argparse.ArgumentParser(description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--attempts", type=int, default=4)
    parser.add_argument("--late-ms", type=float, default=8.0)
    parser.add_argument("command", nargs=argparse.REMAINDER)
    arguments = parser.parse_args()
    if not arguments.command:
        parser.error("no command")

    waits = []
    for attempt in range(1, arguments.attempts + 1):
        with Watch() as watch:
            code = subprocess.run(arguments.command, check=False).returncode
        if code in (0, SKIPPED):
            return code
        waits.append(1e3 * watch.longest_s)
        on_time = 1e3 * watch.longest_s < arguments.late_ms and watch.stolen < MOST_STOLEN
        if on_time:
            return code if code > 0 else 128 - code
        print(f"attempt {attempt}: the machine kept a thread waiting for {waits[-1]:.0f} ms, "
              f"{100 * watch.stolen:.0f} % of it went to others", flush=True)
    print(f"skipped: in each of {len(waits)} attempts the machine kept threads waiting, for up to "
          f"{max(waits):.0f} ms", flush=True)
    return SKIPPED


if __name__ == "__main__":
    sys.exit(main())
