#!/usr/bin/env bash
# The checks beyond the tests, each a stage; a stage that fails is named and the others still run.
#
# usage: scripts/check.sh [STAGE...]
#
# format   clang-format-14 on every tracked C and C++ file
# scripts  shellcheck on the shell scripts
# layers   the table of layers
# surveys  the tests over many seeds (label slow), which scripts/test.sh leaves out
# release  the release as users get it, on another machine (label release)
# asan     the tests under the address and undefined-behaviour sanitizers
# tsan     the tests under the thread sanitizer
# tidy     clang-tidy-14 on every source that changed since it last passed
# alone    every source compiled alone, for the #include that one forgot; only when it is named
# paths    clang-tidy with clang's path analysis, twice as long; only when it is named
# fuzz     every fuzz target for TRUEWATT_FUZZ_RUNS executions (default 100000)
#
# TRUEWATT_JOBS sets how many jobs run at once (default: one per core).

set -euo pipefail
# shellcheck source=common.sh
source "$(dirname "${BASH_SOURCE[0]}")/common.sh"

all_stages=(format scripts layers surveys release asan tsan tidy fuzz)

# Paths under the root of what is ours; a checkout without git lists what is there.
our_files() {
  cd "$root"
  if git rev-parse --git-dir >/dev/null 2>&1; then
    git ls-files --cached --others --exclude-standard -- "$@"
    return
  fi
  local pattern
  for pattern in "$@"; do
    find . -path ./build -prune -o -type f -name "$pattern" -print
  done
}

stage_format() {
  local files
  mapfile -t files < <(our_files '*.cpp' '*.hpp' '*.c' '*.h' '*.cu')
  cd "$root"
  clang-format-14 --dry-run -Werror "${files[@]}"
}

stage_scripts() {
  cd "$root"
  shellcheck --external-sources --source-path=SCRIPTDIR scripts/*.sh .ci/run validation/*.sh tests/device/*.sh
}

stage_layers() { python3 "$root/scripts/check_layers.py"; }

stage_surveys() {
  configure_and_build dev
  ctest --test-dir "$root/build/dev" --output-on-failure --no-tests=error --parallel "$jobs" \
    --label-regex '^slow$'
}

stage_release() {
  configure_and_build dev
  configure_and_build release truewatt truewatt_nvml_sim_library
  ctest --test-dir "$root/build/dev" --output-on-failure --no-tests=error --label-regex '^release$'
}

# Browsers, the release binary, the installed library, checks of text and the slow statistics learn nothing from a sanitizer.
no_sanitizer="browser|release|package|text|slow"

# tests_under PRESET LABELS [COMMAND...]: the tests but for those of LABELS (a|b), under COMMAND.
tests_under() {
  local preset=$1 labels=$2
  shift 2
  configure_and_build "$preset"
  "$@" ctest --test-dir "$root/build/$preset" --output-on-failure --no-tests=error \
    --parallel "$jobs" --label-exclude "^($labels)\$"
}

# The tests of the verbs' folders are whole characterizations, ten minutes of arithmetic under a
# sanitizer; the command line's run the same verbs.
stage_asan() {
  export ASAN_OPTIONS=detect_stack_use_after_return=1:strict_init_order=1
  export UBSAN_OPTIONS=print_stacktrace=1
  tests_under asan "$no_sanitizer"
}

# Over the layers that the preset names; recorded files and other verbs than `run` have one thread.
# gcc 12's thread sanitizer cannot start under the address randomisation of newer kernels.
stage_tsan() {
  local fixed=(setarch --addr-no-randomize)
  "${fixed[@]}" true 2>/dev/null || fixed=()
  TSAN_OPTIONS=halt_on_error=1:second_deadlock_stack=1 tests_under tsan "$no_sanitizer|recorded|golden|cli" "${fixed[@]}"
}

stage_tidy() {
  configure tidy
  python3 "$root/scripts/tidy.py" --build "$root/build/tidy" --jobs "$jobs"
}

stage_alone() {
  cmake -S "$root" --preset dev -B "$root/build/alone" -DCMAKE_UNITY_BUILD=OFF >/dev/null
  cmake --build "$root/build/alone" --parallel "$jobs"
}

stage_paths() {
  configure tidy
  python3 "$root/scripts/tidy.py" --build "$root/build/tidy" --jobs "$jobs" --paths
}

stage_fuzz() {
  configure_and_build fuzz truewatt_fuzzers
  python3 "$root/scripts/fuzz.py" --build "$root/build/fuzz" --jobs "$jobs" \
    --runs "${TRUEWATT_FUZZ_RUNS:-100000}"
}

main() {
  if [[ ${1:-} == -h || ${1:-} == --help ]]; then
    show_help
    return
  fi
  local stages=("${@:-${all_stages[@]}}") stage known failed=() results=()
  for stage in "${stages[@]}"; do
    known=" ${all_stages[*]} alone paths "
    [[ $known == *" $stage "* ]] || fail "no stage \`$stage\`; there are:$known"
  done
  "$root/scripts/install_packages.sh" build test check

  local begin status verdict
  for stage in "${stages[@]}"; do
    say "== $stage"
    begin=$SECONDS
    # Outside any condition, so that errexit holds inside the stage.
    set +e
    (set -e; "stage_$stage")
    status=$?
    set -e
    verdict=passed
    [[ $status == 0 ]] || { verdict=FAILED; failed+=("$stage"); }
    results+=("$(printf '%-8s %s in %d s' "$stage" "$verdict" $((SECONDS - begin)))")
    say "== ${results[-1]}"
  done
  say "summary"
  printf '  %s\n' "${results[@]}"
  [[ ${#failed[@]} == 0 ]] || fail "failed: ${failed[*]} (after $SECONDS s)"
  say "all ${#stages[@]} stages passed in $SECONDS s"
}

main "$@"
