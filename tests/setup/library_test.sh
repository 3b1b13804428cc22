#!/usr/bin/env bash
# library_test.sh CMAKE BUILD_DIR ROUNDEL: find_package(Roundel) finds what is installed, and
# examples/cpp is built with it and works.
# shellcheck source=tests/setup/testing.sh
source "$(dirname "${BASH_SOURCE[0]}")/testing.sh"
source_dir=$(realpath "$(dirname "${BASH_SOURCE[0]}")/../..")
cmake=$1 build_dir=$(realpath "$2") roundel=$(realpath "$3")

expect_exit 0 "$cmake" --install "$build_dir" --component dev --prefix "$work/prefix"
# Each of the public headers can be had alone.
for header in "$work"/prefix/include/roundel/*.h; do
  printf '#include <roundel/%s>\n' "${header##*/}"
done >"$work/headers"
[[ $(wc -l <"$work/headers") -ge 5 ]] || fail "public headers: $(cat "$work/headers")"
cp -r "$source_dir/examples/cpp" "$work/example"
while IFS= read -r line; do
  name=$(printf '%s' "$line" | tr -dc '[:lower:]')
  echo "$line" >"$work/example/$name.cpp"
  echo "target_sources(stars PRIVATE $name.cpp)" >>"$work/example/CMakeLists.txt"
done <"$work/headers"
expect_exit 0 "$cmake" -G Ninja -S "$work/example" -B "$work/build" -DCMAKE_PREFIX_PATH="$work/prefix" -DCMAKE_BUILD_TYPE=Release
expect_exit 0 "$cmake" --build "$work/build" --parallel 2
cd "$work"
expect_exit 0 build/stars stars.png
fingerprint=$(sed -n 's/^640x480 pixels, \([0-9a-f]\{32\}\)$/\1/p' stdout)
[[ -n $fingerprint ]] || fail "the example said: $(cat stdout)"
expect_exit 0 "$roundel" info stars.png
expect_text "$fingerprint" stdout
