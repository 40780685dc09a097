#!/usr/bin/env bash
# Builds truewatt and shows it at work on a simulated A100; no GPU is needed.
#
# usage: scripts/demo.sh
#
# Leaves truewatt-demo.html in the current folder. The first call installs missing packages and
# takes a few minutes to build; later ones take seconds.

set -euo pipefail
# shellcheck source=common.sh
source "$(dirname "${BASH_SOURCE[0]}")/common.sh"

if [[ ${1:-} == -h || ${1:-} == --help ]]; then
  show_help
  exit
fi
"$root/scripts/install_packages.sh" build
configure_and_build release truewatt
"$root/build/release/bin/truewatt" demo
say "the report is $PWD/truewatt-demo.html; the program is $root/build/release/bin/truewatt"
