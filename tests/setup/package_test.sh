#!/usr/bin/env bash
# package_test.sh BUILD_DIR: the Debian packages of a build work unpacked in a folder, and declare their dependencies.
# bare_machine.sh --packages installs them.
# shellcheck source=tests/setup/testing.sh
source "$(dirname "${BASH_SOURCE[0]}")/testing.sh"
build_dir=$(realpath "$1")
for tool in cpack dpkg-deb dpkg-shlibdeps; do
  command -v "$tool" >/dev/null || {
    echo "needs $tool"
    exit 77
  }
done

expect_exit 0 cpack --config "$build_dir/CPackConfig.cmake" -B "$work/packages"
root=$work/root
mkdir "$root"
version=$(sed -n 's/^CMAKE_PROJECT_VERSION:STATIC=//p' "$build_dir/CMakeCache.txt")
for package in "$work"/packages/*.deb; do
  dpkg-deb -x "$package" "$root"
  [[ $(dpkg-deb -f "$package" Version) == "$version" ]] || fail "$package: expected version $version"
done
program=$(echo "$work"/packages/roundel_*.deb)
dpkg-deb -f "$program" Depends >"$work/depends"
expect_text 'libtbb12.*libyaml-cpp0' "$work/depends"
expect_text 'libjpeg.*libwebp' "$work/depends"
# Open MPI is rarely installed, so it has its own package, and the module for CUDA, because it is large. HDF5 is linked
# statically, without the libraries for networks.
expect_no_text 'openmpi|cuda|nvidia|hdf5|curl' "$work/depends"
[[ ! -e $build_dir/lib/roundel/libroundel_cuda.so || -e $(echo "$work"/packages/roundel-cuda_*.deb) ]] || fail "no package for CUDA"
! dpkg-deb -c "$program" | grep -q libroundel_cuda || fail "the module for CUDA is in the package roundel"

cd "$work"
expect_exit 0 "$root/usr/bin/roundel" --version
expect_text "^roundel $version\$" stdout
scene=$root/usr/share/roundel/scenes/rgb.yaml
expect_exit 0 "$root/usr/bin/roundel" render "$scene" --backend cpu -o a.png
expect_exit 0 "$root/usr/bin/roundel" render "$scene" --backend cpu -o a.exr
hdf5_scene >h5.yaml
expect_exit 0 "$root/usr/bin/roundel" validate h5.yaml
for file in man/man1/roundel.1 man/man1/roundel-render.1 roundel/scenes/scene.schema.json doc/roundel/LICENSE \
  doc/roundel/docs/compare.md doc/roundel/docs/report.png \
  bash-completion/completions/roundel fish/vendor_completions.d/roundel.fish zsh/vendor-completions/_roundel; do
  [[ -s $root/usr/share/$file ]] || fail "not in the package: $file"
done
! command -v groff >/dev/null || {
  groff -man -Tutf8 -z -ww "$root"/usr/share/man/man1/*.1 2>warnings || fail "groff: $(cat warnings)"
  expect_no_text 'error|undefined' warnings
}

[[ -s $root/usr/lib/cmake/Roundel/RoundelConfig.cmake && -s $root/usr/include/roundel/render.h ]] || fail "no library"
[[ $(ls "$root/usr/bin") == roundel ]] || fail "packed: $(ls "$root/usr/bin")"

python=$(echo "$work"/packages/python3-roundel_*.deb)
[[ -e $python ]] || exit 0
dpkg-deb -f "$python" Depends >"$work/depends"
expect_text 'roundel \(= .*python3-numpy' "$work/depends"
# With the modules of the package beside it.
expect_exit 0 env PYTHONPATH="$root/usr/lib/python3/dist-packages" /usr/bin/python3 -c '
import sys, roundel
assert roundel.__file__.startswith(sys.argv[2]), roundel.__file__
for ending in ("png", "exr"):
    roundel.save(sys.argv[1], "b." + ending)
assert roundel.validate("h5.yaml")["circles"] == 20' "$scene" "$root"
cmp a.png b.png
cmp a.exr b.exr
