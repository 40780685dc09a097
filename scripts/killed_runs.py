"""Kills `truewatt run --out` with SIGKILL at random moments of its run file's life: `analyze` must read
what is left, an earlier file must not be lost, and what was read 1 s before must be there.

  python3 scripts/killed_runs.py build/dev/bin/truewatt 1000
"""

import concurrent.futures
import pathlib
import random
import sqlite3
import subprocess
import sys
import tempfile
import time

COMMAND_S = 1.2
LIFE_S = COMMAND_S + 1.0  # with start, tail and end
SAVED_AFTER_S = 1.0


def samples_of(file):
    with sqlite3.connect(f"file:{file}?mode=ro", uri=True) as database:
        return database.execute("SELECT count(*) FROM sample_rows").fetchone()[0]


def survivors(folder):
    """What is there beside SQLite's own files."""
    return [file for file in folder.iterdir() if not file.name.endswith(("-wal", "-shm"))]  # a -journal is never there


def killed_once(program, seed):
    """What is wrong after one kill, in words; nothing when all is well."""
    rng = random.Random(seed)
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        earlier = seed % 2 == 0
        if earlier:
            subprocess.run([program, "run", "-q", "-d", "sim:h100", "--out", "run.db", "--", "true"], cwd=folder, check=True)
        run = subprocess.Popen([program, "run", "-q", "-d", "sim:h100", "--poll", "max", "--out", "run.db", "--", "sleep", str(COMMAND_S)],
                               cwd=folder, stderr=subprocess.DEVNULL)
        begin = time.monotonic()
        # One in four near the start, where the file comes into being, the others anywhere.
        after = rng.uniform(0, 0.05 if seed % 4 == 1 else LIFE_S)
        try:
            run.wait(after)
        except subprocess.TimeoutExpired:
            run.kill()
            run.wait()
        lived = time.monotonic() - begin
        wrong = []
        files = survivors(folder)
        if earlier and not files:
            wrong.append("the earlier file is gone")
        most = 0
        for file in files:
            if file.name.startswith("run.db.new-"):
                continue  # never had its name: nothing was in it
            call = subprocess.run([program, "analyze", file.name], cwd=folder, capture_output=True, text=True, check=False)
            # 1 with "holds no device": killed before anything was read.
            if call.returncode not in (0, 4) and "holds no device" not in call.stderr:
                wrong.append(f"{file.name} after {lived:.3f} s: {call.stderr.strip()[:200]}")
            try:
                most = max(most, samples_of(file))
            except sqlite3.Error as error:
                wrong.append(f"{file.name} after {lived:.3f} s: {error}")
        if lived > SAVED_AFTER_S + 0.5 and most < 100:
            wrong.append(f"killed after {lived:.3f} s, {most} readings were saved")
        return wrong


def main():
    if len(sys.argv) < 3:
        print(__doc__)
        return 0 if sys.argv[1:] in (["-h"], ["--help"]) else 2
    program, count = str(pathlib.Path(sys.argv[1]).resolve()), int(sys.argv[2])
    with concurrent.futures.ThreadPoolExecutor(4) as pool:
        found = list(pool.map(lambda seed: killed_once(program, seed), range(count)))
    for wrong in found:
        for one in wrong:
            print(one)
    bad = sum(bool(wrong) for wrong in found)
    print(f"{count} runs killed, {bad} left something that is not as it should be")
    return int(bad > 0)


if __name__ == "__main__":
    sys.exit(main())
