# Sourced by the scripts beside it, never run: where the checkout is, and how they say things.
# shellcheck shell=bash

root=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
jobs=${TRUEWATT_JOBS:-$(nproc)}

# A compiler cache needs a place; without a home of its own it stays in build/.
if [[ ! -w ${HOME:-/nonexistent} ]]; then
  export CCACHE_DIR=${CCACHE_DIR:-$root/build/ccache}
fi

# Of what was never compiled the cache finds the headers in the compiler's own list of them.
export CCACHE_DEPEND=${CCACHE_DEPEND:-1}

say() { printf '%s: %s\n' "${0##*/}" "$*"; }
fail() { printf '%s: %s\n' "${0##*/}" "$*" >&2; exit 1; }

# The comment at the top of the calling script is its help.
show_help() { sed -n '2,/^$/s/^# \{0,1\}//p' "$0"; }

# configure PRESET: quiet unless it fails
configure() {
  local log=$root/build/configure-$1.log
  cmake -S "$root" --preset "$1" >"$log" 2>&1 || { cat "$log" >&2; return 1; }
}

# configure_and_build PRESET [TARGET...]
configure_and_build() {
  local preset=$1
  shift
  configure "$preset" || return
  cmake --build "$root/build/$preset" --parallel "$jobs" ${1:+--target "$@"}
}

mkdir -p "$root/build"
