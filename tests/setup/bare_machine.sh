#!/usr/bin/env bash
# Runs the README's two commands, and its installation, on a bare Debian 12, Debian 13 or Ubuntu
# 24.04: debootstrap makes its root folder, the repository's HEAD is cloned into it, and the commands
# run there. Needs root, the network and about 3 GB.
#   bare_machine.sh [OPTION...]
#     --quick        compile without optimisation, for few instruction sets, and leave out tools/test
#                    except the tests of scenes on Debian 13
#     --nvcc         mounts this machine's CUDA toolkit (/usr/local/cuda) there, read-only
#     --packages=DIR install the packages in DIR instead, and use them
#     --debian=13    Debian 13 instead of Debian 12, from the archive that apt uses here
#     --ubuntu=URI   Ubuntu 24.04 from that archive instead
#   BARE_MACHINE_COMMAND   run this there instead of the two commands
# Exit codes: 0 passed, 1 failed, 77 skipped because the machine does not allow it.
set -euo pipefail
source_dir=$(realpath "$(dirname "${BASH_SOURCE[0]}")/../..")

# shellcheck source=tools/bare_root.sh
source "$source_dir/tools/bare_root.sh"

say() { printf 'bare machine: %s\n' "$*"; }
skip() {
  say "skipped: $*"
  exit 77
}

# A command a line: a failure in front of && would not end the shell.
commands='tools/run render scenes/tissue.yaml -o tissue.png
test -s tissue.png
# After the setup it runs without the network, builds nothing and finds relative paths.
cd scenes
unshare -n ../tools/run render tissue.yaml -o ../again.png
cd ..
cmp again.png tissue.png
# The build can be installed, with the module for EXR.
cmake --install build/release --prefix /usr/local >install.log
/usr/local/bin/roundel render /usr/local/share/roundel/scenes/tissue.yaml -o installed.png
cmp installed.png tissue.png
/usr/local/bin/roundel render /usr/local/share/roundel/scenes/tissue.yaml -o installed.exr
# The program that reads HDF5 reports that it is not a command.
/usr/local/lib/roundel/roundel-hdf5 2>refused || test $? = 2'
# Uses the installed packages, and nothing else of the repository.
package_commands='cd /root
apt-get -q update >apt.log
apt-get -qy install --no-install-recommends /packages/*.deb man-db >>apt.log || { tail -n 40 apt.log; exit 1; }
roundel render /usr/share/roundel/scenes/tissue.yaml -o a.png
roundel render /usr/share/roundel/scenes/tissue.yaml -o a.exr
python3 -c "import roundel
scene = roundel.Scene.from_file(\"/usr/share/roundel/scenes/tissue.yaml\")
roundel.save(scene, \"b.png\")
roundel.save(scene, \"b.exr\")
assert roundel.render(scene).shape[2] == 3"
cmp a.png b.png
cmp a.exr b.exr
test -s /usr/share/man/man1/roundel-render.1
/usr/lib/roundel/roundel-hdf5 2>refused || test $? = 2
apt-get -qy remove roundel >>apt.log
test ! -e /usr/bin/roundel -a ! -e /usr/lib/roundel -a ! -e /usr/lib/python3/dist-packages/roundel'
is_quick='' toolkit='' packages='' system=debian-12 uri=''
for option in "$@"; do
  case $option in
    --quick) is_quick=yes ;;
    --packages=?*) packages=$(realpath "${option#*=}") ;;
    --nvcc) toolkit=$(realpath /usr/local/cuda) ;;
    --debian=12) system=debian-12 ;;
    --debian=13) system=debian-13 ;;
    --ubuntu=?*) system=ubuntu-24.04 uri=${option#*=} ;;
    *)
      echo "bare_machine.sh: $option: expected --quick, --nvcc, --packages=DIR, --debian=12, --debian=13 or --ubuntu=URI" >&2
      exit 1
      ;;
  esac
done
if [[ -n $is_quick ]]; then
  commands=$'export CXX=/usr/local/bin/g++-O0\n'$commands
  # Debian 13 has other versions of the libraries that read scenes and files.
  [[ $system != debian-13 ]] || commands+="
/usr/local/bin/roundel regress scenes/*.yaml --size 96x96 --goldens tests/golden/images
ROUNDEL_TARGET=scene_test tools/test -L '^scene_test\$'"
else
  commands+=$'\ntools/test'
fi
[[ -z $toolkit ]] || commands="tools/run info
grep -q '^CMAKE_CUDA_COMPILER:' build/release/CMakeCache.txt
$commands"
[[ -z $packages ]] || commands=$package_commands
commands=${BARE_MACHINE_COMMAND:-$commands}

check_bare_roots
work=$(mktemp -d "${TMPDIR:-/var/tmp}/bare-machine.XXXXXX")
root=$work/root
# The command's namespace unmounts by itself, so only files need removal.
trap 'rm -rf --one-file-system "$work"' EXIT
make_bare_root "$system" "$root" "$uri"

# shellcheck disable=SC2016  # for the shell there
printf '#!/bin/sh\nexec g++ "$@" -O0 -DROUNDEL_FEW_TARGETS\n' >"$root/usr/local/bin/g++-O0"
chmod +x "$root/usr/local/bin/g++-O0"
git clone -q --no-local "$source_dir" "$root/roundel"
[[ -z $packages ]] || {
  mkdir "$root/packages"
  cp "$packages"/*.deb "$root/packages"
}

say "running: $commands"
start=$SECONDS
in_bare_root "$root" "$commands" "$toolkit" || {
  say "FAILED with exit code $?"
  exit 1
}
say "passed in $((SECONDS - start)) s"
