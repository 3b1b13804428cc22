#!/usr/bin/env bash
# install_test.sh CMAKE BUILD_DIR: a build by tools/run can be installed, and the installed command renders an installed
# scene.
# shellcheck source=tests/setup/testing.sh
source "$(dirname "${BASH_SOURCE[0]}")/testing.sh"
cmake=$1 build_dir=$(realpath "$2") pages_test=$(realpath "$(dirname "${BASH_SOURCE[0]}")/pages_test.py")

# tools/run builds the target roundel alone: a build folder with the install scripts and Ninja's outputs of that target
# imitates it.
only=$work/only
mkdir "$only"
(
  cd "$build_dir"
  find . -name cmake_install.cmake -exec cp --parents {} "$only" \;
  { echo tools/roundel/roundel && ninja -t inputs roundel | grep '^lib/roundel/'; } |
    xargs cp --parents -t "$only"
  cp -r man "$only"
)
find "$only" -name cmake_install.cmake -exec sed -i "s#$build_dir/#$only/#g" {} +
expect_exit 0 "$cmake" --install "$only" --prefix "$work/prefix"
expect_text 'prefix/bin/roundel$' "$work/stdout"

cd "$work"
expect_exit 0 prefix/bin/roundel --version
expect_text '^roundel [0-9]+\.[0-9]+\.[0-9]+' stdout
expect_exit 0 prefix/bin/roundel render prefix/share/roundel/scenes/rgb.yaml --backend cpu -o rgb.png
[[ -s rgb.png ]] || fail "no picture"
expect_exit 3 prefix/bin/roundel render scenes/rgb.yaml -o rgb.png
expect_text 'scenes/rgb.yaml: no such file \(did you mean ".*prefix/share/roundel/scenes/rgb.yaml"\?\)' stderr
# The data of this scene are installed beside it.
expect_exit 0 prefix/bin/roundel render prefix/share/roundel/scenes/tissue.yaml --size 96x60 --backend cpu -o tissue.png
# The module for this format and the program that reads HDF5 are installed, too.
expect_exit 0 prefix/bin/roundel render prefix/share/roundel/scenes/rgb.yaml --backend cpu -o rgb.exr
hdf5_scene >h5.yaml
expect_exit 0 prefix/bin/roundel validate h5.yaml
for file in scenes/scene.schema.json ../bash-completion/completions/roundel ../doc/roundel/{README.md,LICENSE} \
  ../man/man1/roundel{,-render}.1; do
  [[ -s prefix/share/roundel/$file ]] || fail "not installed: $file"
done
# The pages that the README and --help name, and the files that they link to, are installed.
[[ -s prefix/share/doc/roundel/docs/compare.md ]] || fail "not installed: docs/compare.md"
expect_exit 0 python3 "$pages_test" prefix/share/doc/roundel

# Programs of the laboratory, which some builds have, are not installed.
expect_exit 0 "$cmake" --install "$build_dir" --prefix "$work/whole"
[[ $(ls whole/bin) == roundel ]] || fail "installed: $(ls whole/bin)"
