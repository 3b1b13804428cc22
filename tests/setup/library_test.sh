#!/usr/bin/env bash
# library_test.sh CMAKE BUILD_DIR ROUNDEL: find_package(Roundel) finds the installed library, and examples/cpp is built
# with it and works.
# shellcheck source=tests/setup/testing.sh
source "$(dirname "${BASH_SOURCE[0]}")/testing.sh"
source_dir=$(realpath "$(dirname "${BASH_SOURCE[0]}")/../..")
cmake=$1 build_dir=$(realpath "$2") roundel=$(realpath "$3")

expect_exit 0 "$cmake" --install "$build_dir" --component dev --prefix "$work/prefix"
# Only the interface's headers, which tests/api/headers_test.sh checks.
expect_exit 0 diff -r "$source_dir/include" "$work/prefix/include"
expect_exit 0 "$cmake" -G Ninja -S "$source_dir/examples/cpp" -B "$work/build" -DCMAKE_PREFIX_PATH="$work/prefix" -DCMAKE_BUILD_TYPE=Release \
  -DCMAKE_CXX_FLAGS="-Wall -Wextra -Werror"
expect_exit 0 "$cmake" --build "$work/build" --parallel 2
cd "$work"
expect_exit 0 build/stars stars.png
fingerprint=$(sed -n 's/^640x480 pixels, \([0-9a-f]\{32\}\)$/\1/p' stdout)
[[ -n $fingerprint ]] || fail "the example said: $(cat stdout)"
expect_exit 0 "$roundel" info stars.png
expect_text "$fingerprint" stdout
