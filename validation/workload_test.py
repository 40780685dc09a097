#!/usr/bin/env python3
"""The protocol of the workloads in Python, on one that does nothing. Needs no GPU and no PyTorch."""

import pathlib
import subprocess
import sys
import unittest

import workload

HERE = pathlib.Path(__file__).resolve().parent

FAKE = """
import os, workload

def prepare():
    print("a library says hello")
    os.system("echo and so does its child")
    calls = []

    def enqueue():
        calls.append(1)
        if len(calls) > 10:
            raise RuntimeError("out of\\nmemory")

    return workload.Work(enqueue, lambda: lambda: None, lambda: None)

workload.serve("fake", "Does nothing.", prepare)
"""


def converse(text, *arguments):
    """Exit status and standard output of the workload that does nothing, given `text` to read."""
    done = subprocess.run([sys.executable, "-c", FAKE, *arguments], cwd=HERE, input=text, capture_output=True,
                          text=True, timeout=60)
    return done.returncode, done.stdout.splitlines()


class Protocol(unittest.TestCase):
    def test_a_run_is_answered_with_its_begin_and_end(self):
        status, lines = converse("run 2\nrun 1\nquit\nrun 1\n")
        self.assertEqual(status, 0)
        self.assertEqual(lines[0], "ready fake")
        stamps = [int(stamp) for line in lines[1:] for stamp in line.removeprefix("done ").split()]
        self.assertEqual(len(stamps), 4)
        self.assertEqual(stamps, sorted(stamps))

    def test_the_end_of_input_ends_it(self):
        self.assertEqual(converse(""), (0, ["ready fake"]))

    def test_a_failure_is_one_line(self):
        self.assertEqual(converse("run 8\n"), (1, ["ready fake", "error out of memory"]))

    def test_lines_that_it_does_not_know_are_errors(self):
        for line in ("run", "run 0", "run -1", "run 1.5", "run ²", "walk 1", ""):
            with self.subTest(line):
                status, lines = converse(line + "\n")
                self.assertEqual((status, lines[1:]), (1, [f"error '{line}' is neither 'run N' (N >= 1) nor 'quit'"]))

    def test_arguments_that_it_does_not_know_are_errors(self):
        status, lines = converse("", "--size", "3")
        self.assertEqual(status, 1)
        self.assertRegex(lines[0], "^error unknown arguments '--size 3'")

    def test_help_is_all_that_is_printed(self):
        self.assertEqual(converse("run 1\n", "--help"), (0, ["Does nothing."]))


class Iterations(unittest.TestCase):
    def test_the_host_runs_ahead_by_a_bounded_number(self):
        started, done, furthest = [0], [0], [0]

        def enqueue():
            started[0] += 1
            furthest[0] = max(furthest[0], started[0] - done[0])

        def mark():
            number = started[0]
            return lambda: done.__setitem__(0, number)

        workload.run(workload.Work(enqueue, mark, lambda: None), 100)
        self.assertEqual(started[0], 100)
        self.assertEqual(furthest[0], workload.IN_FLIGHT)


if __name__ == "__main__":
    unittest.main()
