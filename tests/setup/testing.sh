# shellcheck shell=bash
# Sourced by the tests of the scripts: expectations, and a folder that is removed at the end.
set -euo pipefail
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

# hdf5_scene: prints a scene of data in an HDF5 file, which libhdf5 has to unpack.
hdf5_file=$(realpath "$(dirname "${BASH_SOURCE[0]}")/../fuzz/corpus/hdf5/chunks.h5")
hdf5_scene() { printf 'version: 1\nlayers: [{data: "%s", columns: [x, y, radius]}]\n' "$hdf5_file"; }

fail() {
  printf 'FAILED: %s\n' "$*" >&2
  exit 1
}

# expect_exit CODE COMMAND...: runs it; its output is in $work/stdout and $work/stderr.
expect_exit() {
  local expected=$1 got=0
  shift
  "$@" >"$work/stdout" 2>"$work/stderr" || got=$?
  ((got == expected)) || fail "$*: expected exit code $expected, got $got: $(cat "$work/stderr")"
}

# expect_text PATTERN FILE: the file has a line that matches.
expect_text() { grep -qE -- "$1" "$2" || fail "expected /$1/ in: $(cat "$2")"; }
expect_no_text() { ! grep -qE -- "$1" "$2" || fail "unexpected /$1/ in: $(cat "$2")"; }
