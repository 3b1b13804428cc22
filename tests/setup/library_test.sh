#!/usr/bin/env bash
# library_test.sh CMAKE BUILD_DIR ROUNDEL: find_package(Roundel) finds the installed library, and examples/cpp is built
# with it and works. roundel_add_golden() adds tests that run at once.
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

# Eight scenes, of which two tests run at once: all are stored, and then equal.
mkdir pictures
cd pictures
for i in {1..8}; do
  printf 'version: 1\nimage: {width: 24, height: 16}\nlayers: [{circles: [{x: 0.5, y: 0.5, radius: 0.%s}]}]\n' "$i" >"s$i.yaml"
done
cp s1.yaml 's 9;$é.yaml'
cat >CMakeLists.txt <<'CMAKE'
cmake_minimum_required(VERSION 3.16)
project(pictures NONE)
enable_testing()
find_package(Roundel REQUIRED COMPONENTS goldens)
roundel_add_golden("s 9;\$é.yaml" OPTIONS --json "${CMAKE_BINARY_DIR}/a b.json")
roundel_add_golden("s 9;\$é.yaml" NAME again)
foreach(i RANGE 1 7)
  roundel_add_golden(s${i}.yaml)
endforeach()
roundel_add_golden(s8.yaml GOLDENS other/goldens NAME eight OPTIONS --size 12x8 --backend cpu)
CMAKE
expect_exit 0 "$cmake" -S . -B build -DCMAKE_PREFIX_PATH="$work/prefix" -DROUNDEL_COMMAND="$roundel"
ctest=$(dirname "$cmake")/ctest
expect_exit 8 "$ctest" --test-dir build -j2
expect_text 'eight \(Failed\)' ../stdout
expect_text 'golden.s_9_ \.*.*Failed' ../stdout
[[ $(find build/regress-output/pending -name '*.json' | wc -l) == 9 ]] || fail "pending: $(find build/regress-output)"
expect_exit 0 "$roundel" accept --all --output build/regress-output
[[ $(find goldens other/goldens -name '*.png' | wc -l) == 9 && -f build/'a b.json' ]] || fail "goldens: $(find . -name '*.png')"
expect_exit 0 "$ctest" --test-dir build -j2
expect_text '100% tests passed, 0 tests failed out of 10' ../stdout
[[ -z $(find build/regress-output -type f) ]] || fail "left: $(find build/regress-output -type f)"
sed -i 's/NAME eight/NAM eight/' CMakeLists.txt
expect_exit 1 "$cmake" build
expect_text 'expected GOLDENS, NAME or OPTIONS' ../stderr
