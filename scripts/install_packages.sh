#!/usr/bin/env bash
# Installs what is missing of the distribution's packages (Debian 12, Ubuntu 24.04).
#
# usage: scripts/install_packages.sh [build] [test] [check]
#
# build   what the command line is made of (the default)
# test    what the tests need beside that
# check   clang's tools for scripts/check.sh
#
# Only the sources that apt already knows are used, and sudo only when you are not root. Without
# apt the script says what is needed and leaves the rest to you.

set -euo pipefail
# shellcheck source=common.sh
source "$(dirname "${BASH_SOURCE[0]}")/common.sh"

# package | why, by group
packages_of() {
  case $1 in
    build) cat <<'LIST' ;;
g++ | the compiler
cmake | configures the build
ninja-build | runs the build
ccache | makes the second build fast
libcli11-dev | command-line arguments
libfmt-dev | text formatting
nlohmann-json3-dev | JSON
libtomlplusplus-dev | descriptions of simulated devices (TOML)
libsqlite3-dev | run files
libeigen3-dev | linear algebra of the fits
libboost-dev | quantiles of Student's t (Boost.Math, headers alone)
libjs-dygraphs | traces in the HTML report
libjs-chart.js | bars in the HTML report
LIST
    test) cat <<'LIST' ;;
libgtest-dev | unit tests
libgmock-dev | matchers for them
libbenchmark-dev | benchmarks
python3 | the tests of scripts, files and the release
python3-jsonschema | holds JSON output against the schemas
binutils | reads the symbols of the release binary
chromium | opens the HTML report
LIST
    check) cat <<'LIST' ;;
git | names the tracked files
clang-14 | fuzz targets
libclang-rt-14-dev | libFuzzer and the sanitizers of clang
llvm-14 | readable stacks from them
clang-tidy-14 | static analysis
clang-format-14 | formatting
shellcheck | analysis of the shell scripts
LIST
    *) fail "no group \`$1\`: build, test and check are" ;;
  esac
}

# The lines of packages_of GROUP... whose package is not installed here.
missing_lines() {
  local installed group line
  installed=$(dpkg-query -W -f '${db:Status-Status} ${Package}\n' 2>/dev/null | sed -n 's/^installed //p')
  for group in "$@"; do
    while IFS= read -r line; do
      grep -qxF -- "${line%% | *}" <<<"$installed" || printf '%s\n' "$line"
    done < <(packages_of "$group")
  done
}

# Ubuntu's chromium package only fetches a snap.
without_snaps() {
  if grep -qx 'ID=ubuntu' /etc/os-release 2>/dev/null; then
    if grep -q '^chromium ' <<<"$1"; then
      say "chromium is a snap on Ubuntu and is left out; the browser tests skip" >&2
    fi
    grep -v '^chromium ' <<<"$1" || true
  else
    printf '%s\n' "$1"
  fi
}

main() {
  if [[ ${1:-} == -h || ${1:-} == --help ]]; then
    show_help
    return
  fi
  local groups=("${@:-build}") group
  for group in "${groups[@]}"; do packages_of "$group" >/dev/null; done
  if ! command -v apt-get >/dev/null || ! command -v dpkg-query >/dev/null; then
    say "no apt here; these packages of Debian 12, or their like, are needed:"
    for group in "${groups[@]}"; do packages_of "$group"; done
    return
  fi

  local lines
  lines=$(without_snaps "$(missing_lines "${groups[@]}")")
  [[ -n $lines ]] || return 0
  say "installing"
  local line names=() as_root=()
  while IFS= read -r line; do
    printf '  %s\n' "$line"
    names+=("${line%% | *}")
  done <<<"$lines"
  if [[ $(id -u) != 0 ]]; then
    command -v sudo >/dev/null ||
      fail "neither root nor sudo; have somebody run: apt-get install ${names[*]}"
    as_root=(sudo)
  fi
  "${as_root[@]}" apt-get update -q
  "${as_root[@]}" env DEBIAN_FRONTEND=noninteractive apt-get install -q -y --no-install-recommends "${names[@]}"
}

main "$@"
