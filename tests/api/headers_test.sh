#!/usr/bin/env bash
# headers_test.sh CXX FOLDER: each header of the C++ interface in FOLDER/roundel compiles alone without a warning, and
# includes only the standard library and the interface's headers.
set -euo pipefail
cxx=$1 folder=$2
others=$(grep -rnE 'renderer/|^ *# *include' "$folder/roundel" | grep -vE '#include <(roundel/[a-z]+\.h|[a-z_]+)>$' || :)
[[ -z $others ]] || {
  echo "not of the interface: $others"
  exit 1
}
for header in "$folder"/roundel/*.h; do
  echo "#include <roundel/${header##*/}>" |
    "$cxx" -std=c++20 -Wall -Wextra -Wconversion -Wshadow -Werror -fsyntax-only -I "$folder" -x c++ -
done
