#!/usr/bin/env bash
# Energies of PTX instructions on a real GPU, and how the board idles beside them. Prints tables
# last; JSON and recordings go to the folder named. Give --verify for kernels of known counts, and
# --protocol arafa for one thread beside the rows of its Table I.
#
# usage: tests/device/instructions.sh TRUEWATT FOLDER [options of truewatt instructions]
set -euo pipefail

truewatt=$1
folder=$2
shift 2
mkdir -p "$folder"
nvidia-smi --query-gpu=index,name,uuid,driver_version,clocks.sm,power.draw.instant,power.limit --format=csv,noheader
"$truewatt" characterize -d 0 --json "$folder/profile.json" -q || true
"$truewatt" instructions -d 0 --json "$folder/instructions.json" -v "$@" >"$folder/instructions.txt" ||
  true
cat "$folder/instructions.txt"
