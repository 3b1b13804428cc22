#!/usr/bin/env bash
# release_test.sh SYSTEM RELEASE [URI]: installs and uses each file that tools/release made for SYSTEM (debian-12, …), in
# the folder RELEASE, in a bare root that has nothing else. URI is Ubuntu's archive, for ubuntu-24.04. Exit codes: 0
# passed, 1 failed, 77 skipped because the machine does not allow it.
set -euo pipefail
source_dir=$(realpath "$(dirname "${BASH_SOURCE[0]}")/../..")
# shellcheck source=tools/bare_root.sh
source "$source_dir/tools/bare_root.sh"
system=$1 release=$(realpath "$2") uri=${3:-}
say() { printf 'release test: %s\n' "$*"; }
skip() {
  say "skipped: $*"
  exit 77
}
check_bare_roots
work=$(mktemp -d "${TMPDIR:-/var/tmp}/release-test.XXXXXX")
trap 'rm -rf --one-file-system "$work"' EXIT

# use TITLE COMMANDS [FILE...]: runs them in a new root that has the files in /files.
use() {
  local root=$work/root title=$1 commands=$2
  shift 2
  rm -rf --one-file-system "$root"
  make_bare_root "$system" "$root" "$uri"
  mkdir "$root/files"
  cp -r "$@" "$root/files"
  say "$system: $title"
  in_bare_root "$root" "$commands" || {
    say "FAILED: $title"
    exit 1
  }
}

# Without the network, as a user who owns one folder.
# shellcheck disable=SC2016  # for the shell there
use_archive='cat >/use <<"END"
set -euo pipefail
cd /home/user
start=$(date +%s%N)
tar xf /files/*.tar.gz
program=$(echo roundel-*/bin/roundel)
"$program" render roundel-*/share/roundel/scenes/tissue.yaml -o tissue.png
milliseconds=$((($(date +%s%N) - start) / 1000000))
echo "first picture after $milliseconds ms"
((milliseconds < 10000))
! find roundel-* -type f -exec ldd {} + 2>/dev/null | grep "not found"
mv roundel-* moved
moved/bin/roundel render moved/share/roundel/scenes/rgb.yaml -o rgb.exr
moved/bin/roundel diff rgb.exr rgb.exr
printf "version: 1\nlayers: [{data: /files/chunks.h5, columns: [x, y, radius]}]\n" >h5.yaml
moved/bin/roundel validate h5.yaml
moved/bin/roundel regress moved/share/roundel/scenes/*.yaml --size 96x96 --goldens /files/images
moved/bin/roundel selftest --quiet
moved/bin/roundel info | tee info
if [[ -e moved/lib/roundel/libroundel_cuda.so ]]; then
  moved/bin/roundel render h5.yaml --backend cuda -o a.png 2>refused || test $? = 1
  grep -q "no CUDA device is present" refused
fi
END
mkdir -p /home/user
chown 1000:1000 /home/user
unshare -n setpriv --reuid=1000 --regid=1000 --clear-groups env HOME=/home/user bash /use'
for archive in "$release"/*-linux-x86_64*.tar.gz; do
  use "${archive##*/}" "$use_archive" "$archive" "$source_dir"/tests/{golden/images,fuzz/corpus/hdf5/chunks.h5}
  cp "$work/root/home/user/tissue.png" "$work"
done

# shellcheck disable=SC2016
use_wheel='cd /root
{ apt-get -q update && apt-get -qy install --no-install-recommends python3-venv; } >log
python3 -m venv environment
environment/bin/pip --quiet install --no-index --no-deps --find-links /files roundel
environment/bin/python -c "
import roundel
scene = roundel.Scene.from_file(\"/files/scenes/tissue.yaml\")
roundel.save(scene, \"tissue.png\")
roundel.save(\"/files/scenes/rgb.yaml\", \"rgb.exr\")
print(roundel.info())"
cmp tissue.png /files/tissue.png
printf "version: 1\nlayers: [{data: /files/chunks.h5, columns: [x, y, radius]}]\n" >h5.yaml
environment/bin/python -c "
import roundel
assert roundel.validate(\"h5.yaml\")[\"circles\"] == 20"
apt-get -qy install --no-install-recommends python3-numpy >>log
python3 -m venv --system-site-packages with-numpy
with-numpy/bin/pip --quiet install --no-index --find-links /files roundel
with-numpy/bin/python -c "
import roundel
assert roundel.render(\"/files/scenes/rgb.yaml\").shape == (1024, 1024, 3)"'
use "wheel" "$use_wheel" "$release"/*.whl "$source_dir/scenes" "$work/tissue.png" "$source_dir/tests/fuzz/corpus/hdf5/chunks.h5"
rm -rf --one-file-system "$work/root"

case $system in
  ubuntu-*) option=--ubuntu=$uri ;;
  *) option=--debian=${system#debian-} ;;
esac
"$source_dir/tests/setup/bare_machine.sh" "$option" --packages="$release/$system"
