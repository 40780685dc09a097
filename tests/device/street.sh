#!/usr/bin/env bash
# Programs that know nothing of truewatt, on a real GPU: a ResNet-50 loop with a window per step, and
# the same under torchrun on every GPU. Prints a table last; recordings go to the folder named.
#
# usage: tests/device/street.sh TRUEWATT FOLDER [RUNS]
set -euo pipefail

truewatt=$1
folder=$2
runs=${3:-2}
mkdir -p "$folder"
here=$(cd "$(dirname "$0")" && pwd)
nvidia-smi --query-gpu=index,name,uuid,driver_version --format=csv,noheader
gpus=$(nvidia-smi --query-gpu=index --format=csv,noheader | wc -l)
profiles=()
for ((i = 0; i < gpus; ++i)); do
  "$truewatt" characterize -d "$i" --json "$folder/profile-$i.json" -q || true
  [[ -s $folder/profile-$i.json ]] && profiles+=("$folder/profile-$i.json")
done
for ((run = 1; run <= runs; ++run)); do
  STREET_WINDOWS=$folder/loop-$run.csv "$truewatt" run -d 0 --profile "${profiles[0]}" -q \
    --json "$folder/loop-$run-run.json" --out "$folder/loop-$run.db" -- \
    python3 "$here/street_loop.py" 100 || true
  "$truewatt" analyze "$folder/loop-$run.db" --windows "$folder/loop-$run.csv" -q \
    --profile "${profiles[0]}" --json "$folder/loop-$run.json" || true
  "$truewatt" analyze "$folder/loop-$run.db" --windows "$folder/loop-$run.csv" -q \
    --json "$folder/loop-$run-plain.json" || true
  if ((gpus > 1)); then
    # Odd runs name all profiles, even ones take those that characterize kept.
    known=()
    if ((run % 2)); then for profile in "${profiles[@]}"; do known+=(--profile "$profile"); done; fi
    "$truewatt" run -q "${known[@]}" --json "$folder/ddp-$run.json" -- \
      torchrun --standalone --nproc-per-node "$gpus" "$here/street_loop.py" 60 || true
  fi
done
python3 "$here/street_table.py" "$folder"
