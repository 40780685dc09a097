#!/usr/bin/env bash
# Energies of memory accesses on a real GPU, how the board idles beside them, and the same without
# counters. Tables last; JSON, pages and what was said go to the folder named.
#
# usage: tests/device/memory.sh TRUEWATT FOLDER [BUDGET [STEP...]]
# Steps, all of them unless named: characterize idle counted again uncounted matmul command table
# elsewhere. The last three: the ncu command, what it writes, and levels verified by that.
set -uo pipefail

truewatt=$1
folder=$2
budget=${3:-300}
steps=" ${*:4} "
mkdir -p "$folder"
nvidia-smi --query-gpu=index,name,uuid,driver_version,clocks.sm,power.draw.instant,power.limit --format=csv,noheader

step() { # step NAME COMMAND...: runs it where asked for, and keeps what it says
  [[ $steps == "  " || $steps == *" $1 "* ]] || return 0
  local began=$SECONDS status=0
  "${@:2}" >"$folder/$1.txt" 2>&1 || status=$?
  echo "== $1: exit code $status, $((SECONDS - began)) s"
}

memory() { # memory NAME OPTIONS...
  "$truewatt" memory -d 0 -v --budget "$budget" --json "$folder/$1.json" --report "$folder/$1.html" "${@:2}"
}

step characterize "$truewatt" characterize -d 0 --json "$folder/profile.json"
step idle "$truewatt" characterize --idle -d 0 --json "$folder/idle.json"
step counted memory counted
step again memory again --seed 2
step uncounted memory uncounted --no-counters
step matmul memory matmul --no-sweep --matmul
step command "$truewatt" memory -d 0 --ncu-command
step table env -C "$folder" sh command.txt
step elsewhere memory elsewhere --no-sweep --matmul --counters-from "$folder/counted.csv"
for said in "$folder"/{idle,counted,again,uncounted,matmul,command,elsewhere}.txt; do
  [[ -f $said ]] || continue
  echo "==== $said"
  cat "$said"
done
