#!/usr/bin/env bash
# install_test.sh CMAKE BUILD_DIR: the installed command renders an installed scene.
# shellcheck source=tests/setup/testing.sh
source "$(dirname "${BASH_SOURCE[0]}")/testing.sh"
"$1" --install "$2" --prefix "$work/prefix" >/dev/null
cd "$work"
expect_exit 0 prefix/bin/roundel --version
expect_text '^roundel [0-9]+\.[0-9]+\.[0-9]+' stdout
expect_exit 0 prefix/bin/roundel render prefix/share/roundel/scenes/rgb.yaml --backend cpu -o rgb.png
[[ -s rgb.png ]] || fail "no picture"
# The module that this takes is installed too.
expect_exit 0 prefix/bin/roundel render prefix/share/roundel/scenes/rgb.yaml --backend cpu -o rgb.exr
for file in scenes/scene.schema.json ../bash-completion/completions/roundel ../doc/roundel/{README.md,LICENSE}; do
  [[ -s prefix/share/roundel/$file ]] || fail "not installed: $file"
done
