#!/usr/bin/env bash
# pip_test.sh PYTHON SOURCE_DIR BUILD_DIR: pip installs the module from a checkout, and it works without the build.
set -euo pipefail
python=$1 source_dir=$2 build_dir=$3
"$python" -m pip --version >/dev/null 2>&1 || { echo "needs pip ($python)"; exit 77; }
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

"$python" -m pip install --no-deps --no-index --config-settings "build-dir=$build_dir" --target "$work/site" "$source_dir"
cd "$work"
PYTHONPATH=$work/site "$python" - "$source_dir/scenes/rgb.yaml" "$source_dir/tests/fuzz/corpus/hdf5/chunks.h5" <<'PY'
import sys
import importlib.metadata
import roundel

assert roundel.__file__.startswith(sys.path[1]), roundel.__file__
assert importlib.metadata.version("roundel") == roundel.__version__
(plugin,) = importlib.metadata.distribution("roundel").entry_points
assert (plugin.group, plugin.value) == ("pytest11", "roundel._pytest"), plugin
assert roundel.render(sys.argv[1]).shape == (1024, 1024, 3)
roundel.save(sys.argv[1], "rgb.exr")  # needs a module of the library's, which is installed, too
assert roundel.info("rgb.exr")["fingerprint"] == roundel.fingerprint(sys.argv[1])
# HDF5 needs a program, which is installed, too.
scene = {"version": 1, "layers": [{"data": sys.argv[2], "columns": ["x", "y", "radius"]}]}
assert roundel.validate(scene)["circles"] == 20
PY

# Missing packages are reported.
mkdir bin
ln -s "$(command -v bash)" "$(command -v "$python")" bin/
# shellcheck disable=SC2016  # for the script that it writes
printf '#!%s\n[[ $1 == -W ]] || exit 1\nshift 3\nfor name; do [[ $name == libtbb-dev ]] || echo "installed $name"; done\n' \
  "$(command -v bash)" >bin/dpkg-query
chmod +x bin/dpkg-query
if PATH=$work/bin "$(command -v "$python")" -c 'import sys; sys.path.insert(0, sys.argv[1]); import build_backend
build_backend.build_wheel(".", {"build-dir": "nothing"})' "$source_dir/python" 2>missing; then
  echo "pip_test: built without a package" >&2
  exit 1
fi
grep -qx 'roundel: these packages are missing: apt-get install libtbb-dev' missing || { cat missing >&2; exit 1; }
