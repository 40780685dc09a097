#!/usr/bin/env python3
"""Every row of the instruction table on a machine with NVIDIA's toolkit, from the repository's root:
ptxas assembles it for each target, nvdisasm's names stand beside ours, and what they do not agree on is
printed. Then, where there is a GPU, every row runs and the host checks its results.
"""
import collections
import concurrent.futures
import glob
import os
import re
import shutil
import subprocess
import sys
import tempfile

TARGETS = ["75", "80", "86", "89", "90", "90a", "100", "103", "120", "121"]
NAME = re.compile(r"/\*[0-9a-f]{4}\*/\s+(?:\{\s*)?(?:@!?U?P\w+\s+)?([A-Z][\w.]*)")


def build(folder):
    program = f"{folder}/machine_code"
    sources = [path for place in ("kernels/instructions", "machine_code")
               for path in glob.glob(f"truewatt/{place}/*.cpp") if not path.endswith("_test.cpp")]
    subprocess.run(["g++", "-std=c++20", "-O1", "-DFMT_HEADER_ONLY", "-I.", "tests/device/machine_code.cpp",
                    *sources, "-ldl", "-o", program], check=True)
    return program


def agrees(ours, theirs):
    parts = theirs.split(".")
    if ours.split(".")[0] != parts[0]:
        return False
    return ours == "IMAD.MOV" or set(ours.split(".")) <= set(parts)


def names_of(program, folder, target, text):
    """Our names and NVIDIA's of one kernel, or what ptxas said."""
    cubin = f"{text[:-4]}_{target}.cubin"
    level = text[-5]
    made = subprocess.run(["ptxas", f"-arch=sm_{target}", f"-O{level}", text, "-o", cubin],
                          capture_output=True, text=True)
    if made.returncode != 0:
        return None, made.stdout + made.stderr
    listing = subprocess.run(["nvdisasm", "-c", cubin], capture_output=True, text=True, check=True).stdout
    ours = subprocess.run([program, "names", cubin], capture_output=True, text=True, check=True).stdout
    return ours.split()[1:], NAME.findall(listing)


def compare(program, folder, rows, target):
    disagreements = collections.Counter()
    compared = 0
    texts = [f"{folder}/{number}_O{level}.ptx" for number, _, lowest, only in rows for level in "03"
             if int(lowest) <= int(target.rstrip("a")) and (only == "false" or target == lowest + "a")]
    with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        for text, (ours, theirs) in zip(texts, pool.map(
                lambda one: names_of(program, folder, target, one), texts)):
            if ours is None or len(ours) != len(theirs):
                print(f"sm_{target} {text}: {theirs if ours is None else (len(ours), len(theirs))}")
                continue
            compared += len(ours)
            disagreements.update(f"{a} is {b}" for a, b in zip(ours, theirs) if not agrees(a, b))
    print(f"sm_{target}: {len(texts)} kernels, {compared} instructions, "
          f"{sum(disagreements.values())} names differ")
    for what, count in disagreements.most_common():
        print(f"  {what}, {count} times")
    return not disagreements


def main():
    with tempfile.TemporaryDirectory() as folder:
        program = build(folder)
        ok = True
        if shutil.which("ptxas") and shutil.which("nvdisasm"):
            listed = subprocess.run([program, "ptx", folder], capture_output=True, text=True, check=True)
            rows = [line.split() for line in listed.stdout.splitlines()]
            ok = all([compare(program, folder, rows, target) for target in TARGETS])
        else:
            print("ptxas and nvdisasm are not both in PATH: names not compared")
        if shutil.which("nvidia-smi"):
            ok = subprocess.run([program, "results"]).returncode == 0 and ok
    return 0 if ok else 1


if __name__ == "__main__":
    sys.exit(main())
