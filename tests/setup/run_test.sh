#!/usr/bin/env bash
# Tests tools/run and tools/test on a small project of one source file in its own folder.
# shellcheck source=tests/setup/testing.sh
source "$(dirname "${BASH_SOURCE[0]}")/testing.sh"
source_dir=$(realpath "$(dirname "${BASH_SOURCE[0]}")/../..")
unset ROUNDEL_PRESET ROUNDEL_CUDA CMAKE_CXX_COMPILER_LAUNCHER CMAKE_CUDA_COMPILER_LAUNCHER
export ROUNDEL_INSTALL=OFF  # this test runs only with the packages installed

# Untested versions of Highway are refused by default.
highway=$source_dir/cmake/RoundelHighway.cmake
expect_exit 0 cmake -Dhwy_VERSION=1.2.0 -P "$highway"
expect_exit 1 cmake -Dhwy_VERSION=1.1.0 -P "$highway"
expect_text 'Highway 1.1.0 was found, but only 1.0.3, 1.0.7, 1.2.0 were compared' "$work/stderr"
expect_exit 0 cmake -Dhwy_VERSION=1.1.0 -DROUNDEL_ANY_HIGHWAY=ON -P "$highway"

project="$work/a project"
mkdir -p "$project"/{cmake,renderer,scenes,tests,tools/roundel}
cp "$source_dir"/tools/{run,test,test-summary,setup_common.sh,packages.sh} "$project/tools"
cp "$source_dir/CMakePresets.json" "$project"
cat >"$project/CMakeLists.txt" <<'CMAKE'
cmake_minimum_required(VERSION 3.25)
project(small LANGUAGES CXX)
message(STATUS "ROUNDEL_CUDA is ${ROUNDEL_CUDA}")
option(ROUNDEL_TESTS "" ON)
message(STATUS "ROUNDEL_TESTS is ${ROUNDEL_TESTS}")
add_executable(roundel tools/roundel/main.cpp)
set_target_properties(roundel PROPERTIES RUNTIME_OUTPUT_DIRECTORY tools/roundel)
enable_testing()
add_test(NAME Good COMMAND roundel exit 0)
add_test(NAME Bad COMMAND roundel exit 1)
add_test(NAME Left COMMAND roundel exit 9)
set_tests_properties(Left PROPERTIES SKIP_RETURN_CODE 9)
foreach(number RANGE 1 16)
  add_test(NAME Long.${number} COMMAND roundel exit 0)
  set_tests_properties(Long.${number} PROPERTIES LABELS long)
endforeach()
CMAKE
# roundel exit CODE, or prints VERSION and its arguments.
write_program() {
  cat >"$project/tools/roundel/main.cpp" <<CPP
#include <cstdio>
#include <cstdlib>
#include <string>
int main(int argc, char** argv) {
  if (argc == 3 && std::string(argv[1]) == "exit") {
    if (std::string(argv[2]) == "9") std::puts("skipped: needs a helper");
    return std::atoi(argv[2]);
  }
  std::printf("$1");
  for (int i = 1; i < argc; ++i) std::printf(" [%s]", argv[i]);
  std::printf("\\n");
}
CPP
}

write_program first
cd "$work"
expect_exit 0 "a project/tools/run" "two words" '*'
[[ $(<"$work/stdout") == 'first [two words] [*]' ]] || fail "stdout is $(<"$work/stdout")"
expect_text '^roundel: building roundel for the first time takes about [0-9]+ min .* and 200 MB in build/release$' "$work/stderr"
for line in 'configuring build/release' 'building roundel' 'built roundel'; do
  expect_text "^roundel: [0-9]+:[0-9]{2} $line\$" "$work/stderr"
done
expect_text 'ROUNDEL_TESTS is OFF' "$project/build/release/configure.log"

# Lines about the progress of apt and ninja come at regular times, also while these print nothing.
{
  printf '%s\n' '1 upgraded, 2 newly installed, 0 to remove and 0 not upgraded.' 'Get:1 a b' 'Get:2 a c'
  sleep 1.5
  printf '%s\n' 'Unpacking b (1) ...' 'Unpacking c (1) ...' 'Unpacking d (1) ...' 'Setting up b (1) ...'
  sleep 1.5
  printf '[1/9] Building x\n[2/9] Building y\n'
  sleep 2.5
} | bash -c 'source "$0"; progress_seconds=1; show_progress' "$project/tools/setup_common.sh" 2>"$work/progress"
expect_text '^roundel: 0:0[1-3] downloaded 2 of 3 packages$' "$work/progress"
expect_text '^roundel: 0:0[2-4] set up 1 of 3 packages$' "$work/progress"
(($(grep -c 'built 2/9$' "$work/progress") >= 2)) || fail "no lines while nothing is built: $(cat "$work/progress")"

# From here on it only runs: without cmake, without messages, with the program's exit code, quickly.
mkdir "$work/path"
printf '#!/bin/sh\necho cmake was called >&2; exit 1\n' >"$work/path/cmake"
chmod +x "$work/path/cmake"
expect_exit 7 env PATH="$work/path:$PATH" "a project/tools/run" exit 7
[[ ! -s $work/stderr ]] || fail "not quiet: $(<"$work/stderr")"
# Milliseconds of processor time, user and system, which other programs barely change.
TIMEFORMAT='%3U %3S'
best=1000
for _ in 1 2 3 4 5 6 7 8 9 10; do
  read -r user system < <({ time "a project/tools/run" exit 0 >&2; } 2>&1 | tail -n 1)
  took=$((10#${user/./} + 10#${system/./}))
  ((took >= best)) || best=$took
done
((best < 150)) || fail "takes $best ms when nothing is to do"

# Changed sources, other settings and lost programs are built again.
write_program second
expect_exit 0 "a project/tools/run"
expect_text '^second' "$work/stdout"
expect_no_text 'first time' "$work/stderr"
expect_exit 0 env ROUNDEL_CUDA=OFF "a project/tools/run"
expect_text 'ROUNDEL_CUDA is OFF' "$project/build/release/configure.log"
expect_exit 0 "a project/tools/run"
rm "$project/build/release/tools/roundel/roundel"
expect_exit 0 "a project/tools/run"
expect_text 'building roundel' "$work/stderr"
expect_exit 0 "a project/tools/run"
[[ ! -s $work/stderr ]] || fail "not quiet after a lost program: $(<"$work/stderr")"

# Two at a time do not interfere.
write_program third
"a project/tools/run" >"$work/one" 2>/dev/null &
expect_exit 0 "a project/tools/run"
wait $! || fail "the other one failed"
cmp "$work/one" "$work/stdout"

# A failing build shows its log, runs nothing and is tried again.
echo 'int main() { return no_such_thing; }' >"$project/tools/roundel/main.cpp"
for _ in 1 2; do
  expect_exit 1 "a project/tools/run"
  expect_text 'error: .*no_such_thing' "$work/stderr"
done

# tools/test counts, and fails with its tests or without any. From here on the folder has the tests.
write_program fourth
expect_exit 8 "a project/tools/test"
expect_text 'ROUNDEL_TESTS is ON' "$project/build/release/configure.log"
[[ $(tail -n 1 "$work/stdout") == '1 passed, 1 failed, 1 skipped' ]] || fail "$(tail -n 1 "$work/stdout")"
expect_text '^skipped: 1 needs a helper$' "$work/stdout"
expect_no_text 'Start|did not run|Long' "$work/stdout"
expect_exit 0 "a project/tools/test" -R Good
[[ $(tail -n 1 "$work/stdout") == '1 passed, 0 failed' ]] || fail "$(tail -n 1 "$work/stdout")"

# Long tests are left out by default; a text draws an eighth of them.
# expect_totals LINE TOOLS_TEST_ARG...
expect_totals() {
  expect_exit 0 "a project/tools/test" "${@:2}"
  [[ $(tail -n 1 "$work/stdout") == "$1" ]] || fail "${*:2}: $(tail -n 1 "$work/stdout")"
}
expect_totals '17 passed, 0 failed, 1 skipped' --all -E Bad
expect_totals '1 passed, 0 failed, 1 skipped' -E Bad
expect_totals '16 passed, 0 failed' -R Long
expect_totals '3 passed, 0 failed, 1 skipped' --draw a -E Bad
drawn() { sed -n 's/.*: \(Long.[0-9]*\) .*/\1/p' "$work/stdout" | sort; }
first=$(drawn)
expect_totals '3 passed, 0 failed, 1 skipped' --draw a -E Bad
[[ $(drawn) == "$first" ]] || fail "one text drew $first and $(drawn)"
for text in b c d e f g h i j k; do
  expect_totals '3 passed, 0 failed, 1 skipped' --draw "$text" -E Bad
  [[ $(drawn) == "$first" ]] || break
done
[[ $(drawn) != "$first" ]] || fail "every text draws $first"
rm "$project/build/release/tools/roundel/roundel"
expect_exit 0 "a project/tools/run"
expect_text 'ROUNDEL_TESTS is ON' "$project/build/release/configure.log"
rm "$project/build/release/tools/roundel/roundel"
expect_exit 0 "a project/tools/test" -R Good
expect_exit 8 "a project/tools/test" -R Nothing

# Missing packages are installed, by name; if that fails, the message tells what to do.
rm -r "$project/build"
tools="$work/tools"
mkdir "$tools"
for tool in bash cat chmod cmake comm cp df dirname env find flock g++ grep mkdir mktemp mv ninja nproc paste \
  realpath rm sed setpriv sh sort tee touch ld as; do
  ln -s "$(type -P $tool)" "$tools/$tool"
done
in_bare_path() { env -u ROUNDEL_INSTALL PATH="$tools" "$@"; }
expect_exit 1 in_bare_path "a project/tools/run"
expect_text 'no Debian or Ubuntu.* libtbb-dev' "$work/stderr"

cat >"$tools/dpkg-query" <<'SH'
#!/bin/sh
echo 'installed cmake'
echo 'config-files libtbb-dev'
SH
chmod +x "$tools/dpkg-query"
expect_exit 1 in_bare_path "a project/tools/run"
expect_text 'no Debian or Ubuntu.* libtbb-dev' "$work/stderr"
cat >"$tools/apt-get" <<SH
#!/bin/sh
echo "\$@" >>"$work/apt-calls"
! [ -e "$work/apt-says" ] || { cat "$work/apt-says"; exit 100; }
SH
printf '#!/bin/sh\nexec "$@"\n' >"$tools/sudo"
chmod +x "$tools"/{apt-get,sudo}
# expect_refusal PATTERN: one sentence besides those about time, disk and current work; apt's output is in a log.
expect_refusal() {
  expect_exit 1 in_bare_path "${@:2}" "a project/tools/run"
  expect_text "$1" "$work/stderr"
  (($(grep -cvE '^roundel: ([0-9]+:[0-9]{2} |building roundel for the first time )' "$work/stderr") == 1)) || fail "a flood: $(cat "$work/stderr")"
}
log='a project/build/release/packages.log'
echo 'apt is broken' >"$work/apt-says"
expect_refusal "could not install .*libtbb-dev.*$log"
expect_text '^apt is broken' "$work/$log"
printf 'E: Unable to locate package %s\n' libhwy-dev libpng-dev >"$work/apt-says"
expect_refusal "has no libhwy-dev libpng-dev: expected Debian 12, Debian 13 or Ubuntu 24.04; .*$log"
printf '%s\n' "Err:1 Could not resolve 'deb.debian.org'" 'E: Unable to locate package libhwy-dev' >"$work/apt-says"
expect_refusal "check the network and try again; .*$log"
echo "E: You don't have enough free space in /var/cache/apt/archives/." >"$work/apt-says"
expect_refusal "disk is too full for .*$log"
rm "$work/apt-says"

# Likewise for CMake, the disk, and packages that it must not install.
cmake=$(readlink "$tools/cmake")
# fake_cmake VERSION: fails with ten lines.
fake_cmake() {
  rm "$tools/cmake"
  cat >"$tools/cmake" <<SH
#!/bin/sh
[ "\$1" != --version ] || { echo "cmake version $1"; exit; }
for i in 1 2 3 4 5 6 7 8 9 10; do echo Boost_DIR; done
exit 1
SH
  chmod +x "$tools/cmake"
}
fake_cmake 3.18.4
expect_refusal 'expected CMake 3.25 or newer.*, got 3.18.4'
fake_cmake 3.25.1
expect_refusal 'packages are missing: apt-get install .*libtbb-dev.*a project/build/release/configure.log' env ROUNDEL_INSTALL=OFF
rm "$tools"/{cmake,df}
ln -s "$cmake" "$tools/cmake"
printf '#!/bin/sh\necho Avail\necho 7M\n' >"$tools/df"
chmod +x "$tools/df"
expect_refusal 'build/release has 7 MB free, but building takes 200 MB'
rm -r "$tools/df" "$work/apt-calls" "$project/build"
expect_exit 0 in_bare_path "a project/tools/run"
expect_text 'first time .*, after up to 900 MB of packages$' "$work/stderr"
expect_text 'installing .*libtbb-dev' "$work/stderr"
expect_text 'install .*libtbb-dev' "$work/apt-calls"
expect_no_text ' cmake' "$work/apt-calls"

rm "$tools/sudo"
rm -r "$project/build"
chmod -R a+rwX "$work"
as_user=()
((EUID != 0)) || as_user=(setpriv --reuid=65534 --regid=65534 --clear-groups)
expect_exit 1 in_bare_path "${as_user[@]}" "a project/tools/run"
expect_text 'neither root nor sudo.*apt-get install .*libtbb-dev' "$work/stderr"
