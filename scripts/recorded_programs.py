#!/usr/bin/env python3
"""Windows inside recorded programs whose true joules are known: how far is `analyze` off, and does it hold them?

usage: scripts/recorded_programs.py [--jobs N] [--verbose] TRUEWATT FOLDER...

    scripts/recorded_programs.py build/release/bin/truewatt tests/data/programs/h200 tests/data/programs/h100

A folder has a run file NAME.db beside its windows NAME.csv: begin_s, end_s, label, iterations and truth_j, or
truth_gpu0_j, truth_gpu1_j, ... for several GPUs. profile-WORD.json is the profile of recordings whose names
begin with WORD, profile-WORD-gpuN.json that of their GPU N. steps/NAME.csv has a window for the whole loop of
iterations and one labelled `step` for each of them.

Recordings `single-*` and `mixed-*` are windows of kernels, which are sorted by their length. All others are loops.
Each is analyzed with its profile and without. Errors and half-widths are of the gross energy on the sensor's own
scale, on which the truth is given. The truth of `single-*` is good to 0.7 %, of `mixed-*` to 2 %, below 0.1 s and of
`fma` below 0.3 s to 4 %, of loops to 0.5 % and of one step, where all steps are the same work, to 1 %. `with truth`
adds this to the half-width in quadrature. Columns are in %, except n, `none` (windows without a number), `> 3` (off by
more than three half-widths and the truth's uncertainty) and `resolved` (windows said to be resolved; in brackets those
of them that miss, the truth's uncertainty included). `mean` is how far the mean step is off."""

import argparse
import concurrent.futures
import csv
import dataclasses
import json
import math
import os
import pathlib
import statistics
import subprocess
import sys
import tempfile

KERNELS = ("single", "mixed")
CLASSES = (">= 0.3 s", "0.1-0.3 s", "< 0.1 s")
# Loops of which one step is as much work as another.
ALIKE = ("fp32", "amp")


@dataclasses.dataclass(frozen=True)
class Case:
    """One GPU of a recording and the windows whose truth is known."""
    name: str
    run_file: pathlib.Path
    windows: pathlib.Path
    device: int | None
    truth_column: str
    profile: pathlib.Path
    kind: str  # kernel, loop or step


@dataclasses.dataclass(frozen=True)
class Told:
    """What was told of one window."""
    case: Case
    characterized: bool
    label: str
    seconds: float
    truth_j: float
    truth_share: float  # what the truth is good to
    joules: float | None
    half_j: float | None
    resolved: bool
    reasons: tuple

    @property
    def length_class(self):
        return CLASSES[0 if self.seconds >= 0.3 else 1 if self.seconds >= 0.1 else 2]

    @property
    def error(self):
        return abs(self.joules - self.truth_j)

    @property
    def half_with_truth_j(self):
        return math.hypot(self.half_j, self.truth_share * self.truth_j)


@dataclasses.dataclass(frozen=True)
class Summary:
    """Shares, not percent."""
    n: int
    none: int
    median_error: float
    p95_error: float
    median_half: float
    covered: float
    covered_with_truth: float
    beyond_three: int
    resolved: int
    resolved_missed: int


def truth_share(case, label, seconds):
    if case.kind != "kernel":
        return 0.005 if case.kind == "loop" else 0.01
    if case.run_file.stem.startswith("single-"):
        return 0.007
    return 0.04 if seconds < 0.1 or (label == "fma" and seconds < 0.3) else 0.02


def rows_of(path):
    with path.open(newline="") as file:
        return list(csv.DictReader(file))


def profile_of(run_file, device):
    word = run_file.stem.split("-")[0]
    path = run_file.parent / f"profile-{word if device is None else f'{word}-gpu{device}'}.json"
    if not path.exists():
        raise FileNotFoundError(f"{run_file}: no {path.name} beside it; copy the profile of the board there")
    return path


def cases_of(folder):
    """The recordings of a folder, one case a GPU, loops followed by their steps."""
    if not folder.is_dir():
        raise FileNotFoundError(f"{folder} is no folder; name one with NAME.db, NAME.csv and profile-WORD.json")
    cases = []
    for run_file in sorted(folder.glob("*.db")):
        name = f"{folder.name}/{run_file.stem}"
        windows = run_file.with_suffix(".csv")
        if not windows.exists():
            raise FileNotFoundError(f"{run_file}: no {windows.name} beside it; it names the windows and their truth_j")
        kind = "kernel" if run_file.stem.split("-")[0] in KERNELS else "loop"
        columns = [c for c in rows_of(windows)[0] if c.startswith("truth_")]
        for device, column in enumerate(columns):
            index = device if len(columns) > 1 else None
            named = name if index is None else f"{name} gpu{index}"
            cases.append(Case(named, run_file, windows, index, column, profile_of(run_file, index), kind))
        steps = folder / "steps" / windows.name
        if steps.exists() and rows_of(windows)[0]["label"] in ALIKE:
            cases.append(dataclasses.replace(cases[-1], windows=steps, kind="step"))
    if not cases:
        raise FileNotFoundError(f"{folder} has no run file; name a folder with NAME.db, NAME.csv and profile-WORD.json")
    return cases


def analysis_of(truewatt, case, characterized):
    """`analyze`'s JSON, with no profile or calibration but the one named."""
    command = [truewatt, "analyze", str(case.run_file), "--windows", str(case.windows), "-q", "--json", "-"]
    command += ["--device", str(case.device)] if case.device is not None else []
    command += ["--profile", str(case.profile)] if characterized else []
    with tempfile.TemporaryDirectory() as empty:
        environment = {k: v for k, v in os.environ.items() if not k.startswith("TRUEWATT_")}
        environment |= {"XDG_CONFIG_HOME": empty, "XDG_DATA_HOME": empty}
        done = subprocess.run(command, capture_output=True, text=True, check=False, env=environment)
    if not done.stdout:
        raise RuntimeError(f"{' '.join(command)}: exit code {done.returncode}, {done.stderr.strip()}")
    return json.loads(done.stdout)


def truths_of(case):
    """Joules of the windows of a case; None of one that nobody knows."""
    if case.kind != "step":
        return [float(row[case.truth_column]) for row in rows_of(case.windows)]
    [loop] = rows_of(case.run_file.with_suffix(".csv"))
    each = float(loop[case.truth_column]) / int(loop["iterations"])
    return [each if row["label"] == "step" else None for row in rows_of(case.windows)]


def told_of(truewatt, case, characterized):
    told = []
    for window, truth in zip(analysis_of(truewatt, case, characterized)["windows"], truths_of(case), strict=True):
        if truth is None:
            continue
        seconds = window["end_s"] - window["begin_s"]
        energy = window["on_sensor_scale_j"]
        told.append(Told(case, characterized, window["label"], seconds, truth, truth_share(case, window["label"], seconds),
                         energy and energy["value"], energy and (energy["upper"] - energy["lower"]) / 2,
                         window["resolved"], tuple(window["reasons"])))
    return told


def told_of_folders(truewatt, folders, jobs=2, known=(True, False)):
    """All windows of all recordings, with their profile (True), without (False) or both."""
    cases = [case for folder in folders for case in cases_of(pathlib.Path(folder))]
    with concurrent.futures.ThreadPoolExecutor(jobs) as pool:
        futures = [pool.submit(told_of, truewatt, case, characterized) for case in cases for characterized in known]
        return [told for future in futures for told in future.result()]


def summary_of(told):
    given = [t for t in told if t.joules is not None]
    share = lambda values: sum(values) / len(given) if given else math.nan
    errors = sorted(t.error / t.truth_j for t in given)
    resolved = [t for t in given if t.resolved]
    return Summary(
        n=len(told), none=len(told) - len(given),
        median_error=statistics.median(errors) if given else math.nan,
        p95_error=errors[min(len(errors) - 1, int(0.95 * len(errors)))] if given else math.nan,
        median_half=statistics.median(t.half_j / t.truth_j for t in given) if given else math.nan,
        covered=share([t.error <= t.half_j for t in given]),
        covered_with_truth=share([t.error <= t.half_with_truth_j for t in given]),
        beyond_three=sum(t.error > 3 * t.half_j + t.truth_share * t.truth_j for t in given),
        resolved=len(resolved), resolved_missed=sum(t.error > t.half_with_truth_j for t in resolved))


def mean_step_error(steps):
    """By how much the mean of the steps is off, signed; a share."""
    given = [t.joules for t in steps if t.joules is not None]
    return statistics.mean(given) / steps[0].truth_j - 1 if given else math.nan


def line(name, told, more=""):
    s = summary_of(told)
    print(f"{name:24} {s.n:4} {s.none:5} {100 * s.median_error:9.2f} {100 * s.p95_error:7.2f} {100 * s.median_half:9.2f} "
          f"{100 * s.covered:8.1f} {100 * s.covered_with_truth:13.1f} {s.beyond_three:4} {s.resolved:6} ({s.resolved_missed}){more}")


def table(told):
    print(f"{'':24} {'n':>4} {'none':>5} {'median':>9} {'p95':>7} {'half':>9} {'covered':>8} {'with truth':>13} {'> 3':>4} {'resolved':>10}")
    for length_class in CLASSES:
        line(length_class, [t for t in told if t.case.kind == "kernel" and t.length_class == length_class])
    for kind, title in (("loop", "loops"), ("step", "steps")):
        chosen = [t for t in told if t.case.kind == kind]
        print(title if chosen else f"{title}: none")
        for case in dict.fromkeys(t.case for t in chosen):
            of_case = [t for t in chosen if t.case == case]
            more = f"  mean {100 * mean_step_error(of_case):+.2f}" if kind == "step" else f"  {' '.join(of_case[0].reasons)}"
            line(f"  {case.name}", of_case, more)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("truewatt")
    parser.add_argument("folders", nargs="+", metavar="FOLDER")
    parser.add_argument("--jobs", type=int, default=2)
    parser.add_argument("--verbose", action="store_true", help="print each window that misses, or has no number")
    arguments = parser.parse_args()
    truewatt = str(pathlib.Path(arguments.truewatt).resolve())
    if not os.access(truewatt, os.X_OK):
        sys.exit(f"recorded_programs.py: {truewatt} is no program; build truewatt and name it, as in build/release/bin/truewatt")
    try:
        told = told_of_folders(truewatt, arguments.folders, arguments.jobs)
    except (OSError, RuntimeError) as error:
        sys.exit(f"recorded_programs.py: {error}")
    for known in (True, False):
        print("with the profile of the board" if known else "\nwithout a profile")
        table([t for t in told if t.characterized == known])
    if not arguments.verbose:
        return
    for t in told:
        known = "with its profile" if t.characterized else "without a profile"
        where = f"{t.case.name} {t.label} of {t.seconds:.3f} s {known}"
        if t.joules is None:
            print(f"{where}: no number, {' '.join(t.reasons)}")
        elif t.error > t.half_j:
            print(f"{where}: {t.joules:.2f} ± {t.half_j:.2f} J, true {t.truth_j:.2f} ± {t.truth_share * t.truth_j:.2f} J, "
                  f"{(t.joules - t.truth_j) / t.half_j:+.1f} half-widths, resolved {t.resolved} {' '.join(t.reasons)}")


if __name__ == "__main__":
    main()
