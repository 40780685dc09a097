"""Harness of the workloads in Python: the same protocol as workload.hpp (README.md describes it).

Nothing here needs PyTorch before a workload's `prepare` is called."""

import collections
import dataclasses
import os
import sys
import time
from typing import Callable

WARM_UP = 3  # iterations
# Iterations that the host may be ahead of the device: each is 0.1 s and more, so two would do.
IN_FLIGHT = 4


@dataclasses.dataclass
class Work:
    """Work on one device that can be repeated."""

    enqueue: Callable[[], object]  # starts one iteration, without waiting for it where it can
    mark: Callable[[], Callable[[], None]]  # a function that waits for what was enqueued up to here
    synchronize: Callable[[], None]
    check: Callable[[], None] = lambda: None  # raises if the results are wrong


def monotonic_ns():
    """Now on the clock on which truewatt stamps its readings."""
    return time.clock_gettime_ns(time.CLOCK_MONOTONIC)


def run(work, count):
    """Does `count` iterations back to back; returns their begin and end."""
    begin = monotonic_ns()
    marks = collections.deque()
    for _ in range(count):
        if len(marks) == IN_FLIGHT:
            marks.popleft()()
        work.enqueue()
        marks.append(work.mark())
    work.synchronize()
    return begin, monotonic_ns()


def parse_run(line):
    """The N of `run N`, at least 1."""
    verb, _, number = line.partition(" ")
    if verb != "run" or not (number.isascii() and number.isdigit()) or int(number) < 1:
        raise ValueError(f"'{line}' is neither 'run N' (N >= 1) nor 'quit'")
    return int(number)


def answer_lines(lines, say, work):
    """Answers until `quit` or the end of `lines`."""
    for line in lines:
        line = line.rstrip("\n")
        if line == "quit":
            return
        begin, end = run(work, parse_run(line))
        say(f"done {begin} {end}")


def choose_device(arguments):
    """Obeys `--device UUID`: the driver finds the device itself if told before the first CUDA call."""
    if not arguments:
        return
    if len(arguments) != 2 or arguments[0] != "--device":
        raise ValueError(f"unknown arguments '{' '.join(arguments)}': there are --help and --device UUID")
    os.environ["CUDA_VISIBLE_DEVICES"] = arguments[1]


def serve(name, text, prepare):
    """A workload's main. `prepare` allocates and returns its Work; what it or the work raises ends
    as an `error` line and exit status 1."""
    answers = os.dup(1)
    os.dup2(2, 1)  # what libraries print must not be read as an answer

    def say(line):
        os.write(answers, (" ".join(line.split()) + "\n").encode())

    try:
        if sys.argv[1:] == ["--help"]:
            os.write(answers, (text + "\n").encode())
            return
        choose_device(sys.argv[1:])
        work = prepare()
        run(work, WARM_UP)
        work.check()
        say(f"ready {name}")
        answer_lines(iter(sys.stdin.readline, ""), say, work)
    except Exception as failure:
        say(f"error {str(failure) or type(failure).__name__}")
        sys.exit(1)


def inference(make):
    """Work that is a PyTorch model's forward pass in inference mode. `make` returns a function that
    runs the model on its data; while it is called the random numbers are newly seeded and tensors
    are made on the GPU. Weights are random too: nothing is ever downloaded."""
    os.environ["HF_HUB_OFFLINE"] = "1"
    import torch

    torch.manual_seed(0)
    with torch.device("cuda"):
        forward = make()

    def enqueue():
        with torch.inference_mode():
            return forward()

    def mark():
        event = torch.cuda.Event(blocking=True)
        event.record()
        return event.synchronize

    def check():
        if not torch.isfinite(enqueue()).all().item():
            raise ArithmeticError("wrong result: the model's output is not finite")

    return Work(enqueue, mark, torch.cuda.synchronize, check)
