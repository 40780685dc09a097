#!/usr/bin/env bash
# Builds truewatt and runs its tests.
#
# usage: scripts/test.sh [ctest arguments, such as -R Energy or -L slow]
#
# Without arguments all but the surveys over many seeds (label slow) and the release on another
# machine (label release), which scripts/check.sh runs. Tests that need a GPU, a browser or another
# thing that is not here skip and say why.
# TRUEWATT_JOBS sets how many builds run at once (default: one per core), and one test more.

set -euo pipefail
# shellcheck source=common.sh
source "$(dirname "${BASH_SOURCE[0]}")/common.sh"

if [[ ${1:-} == -h || ${1:-} == --help ]]; then
  show_help
  exit
fi
"$root/scripts/install_packages.sh" build test

[[ $# != 0 ]] || set -- --label-exclude '^(slow|release)$'

configure_and_build dev
say "built preset dev after $SECONDS s"

log=$root/build/dev/test.log
status=0
# One more than processors: some tests wait for real time.
ctest --test-dir "$root/build/dev" --output-on-failure --no-tests=error --parallel $((jobs + 1)) "$@" |
  tee "$log" || status=$?
skipped=$(grep -c '\*\*\*Skipped' "$log" || true)
if [[ $skipped != 0 ]]; then
  say "skipped, because:"
  awk '/: Skipped$/ { getline; print "  " $0 } /^skipped: / { print "  " substr($0, 10) }' \
    "$root/build/dev/Testing/Temporary/LastTest.log" | sort | uniq -c
fi
closing=$(grep -m 1 'tests passed' "$log" || echo "no test was run")
say "$closing ($skipped skipped), $SECONDS s in all"
exit "$status"
