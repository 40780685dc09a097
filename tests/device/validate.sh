#!/usr/bin/env bash
# The validation workloads on a real GPU: run on a machine with one, from the repository's root, with
# the release folder built elsewhere and the workloads built by validation/build.sh. Characterizes
# the GPU first where no profile is in $OUT yet. About a minute a workload, half of that with
# --no-practice; tables, documents and pages stay in $OUT (or ./out), and the seconds it took.
#
# usage: validate.sh FOLDER NAMES [validate's options]     NAMES with commas
set -u
out=${OUT:-./out}
mkdir -p "$out"
tw=${TRUEWATT:-build/release/bin/truewatt}
export XDG_DATA_HOME=$out/data
folder=$1 names=$2
shift 2

[[ -e $out/profile.json ]] || "$tw" characterize --json "$out/profile.json" >"$out/profile.txt" 2>&1
"$tw" validate workloads --profile "$out/profile.json" --workloads "$folder" --only "$names" "$@" \
  --json "$out/validation-${names%%,*}.json" --report "$out/validation-${names%%,*}.html"
status=$?
echo "$names: $SECONDS s in all" | tee -a "$out/took.txt"
exit $status
