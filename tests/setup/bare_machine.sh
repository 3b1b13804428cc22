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
is_quick='' toolkit='' packages='' release=bookworm
for option in "$@"; do
  case $option in
    --quick) is_quick=yes ;;
    --packages=?*) packages=$(realpath "${option#*=}") ;;
    --nvcc) toolkit=$(realpath /usr/local/cuda) ;;
    --debian=12) release=bookworm ;;
    --debian=13) release=trixie ;;
    --ubuntu=?*) release=noble uri=${option#*=} ;;
    *)
      echo "bare_machine.sh: $option: expected --quick, --nvcc, --packages=DIR, --debian=12, --debian=13 or --ubuntu=URI" >&2
      exit 1
      ;;
  esac
done
if [[ -n $is_quick ]]; then
  commands=$'export CXX=/usr/local/bin/g++-O0\n'$commands
  # Debian 13 has other versions of the libraries that read scenes and files.
  [[ $release != trixie ]] || commands+="
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

PATH=$PATH:/usr/sbin:/sbin
((EUID == 0)) || skip "not root"
for tool in debootstrap unshare chroot git; do
  command -v "$tool" >/dev/null || skip "no $tool"
done
unshare -m --propagation private true 2>/dev/null || skip "no mount namespaces here"
chroot / true 2>/dev/null || skip "no chroot here"
if [[ $release == noble ]]; then
  # Debian has neither Ubuntu's keys nor debootstrap's script for this release, which is the same for all since gutsy.
  # Apt inside checks its packages with Ubuntu's own keys.
  debootstrap=(debootstrap --variant=minbase "--components=main,universe" --no-check-gpg noble)
else
  # The machine's own mirror, which has all releases, in either form of apt's sources.
  # shellcheck disable=SC2016  # apt-get expands these
  uri=$(apt-get indextargets --format '$(REPO_URI) $(CODENAME) $(COMPONENT)' 2>/dev/null |
    awk '$2 ~ /^(bookworm|trixie)$/ && $3 == "main" {print $1; exit}')
  [[ -n $uri ]] || skip "apt has no Debian archive here (after apt-get update)"
  debootstrap=(debootstrap --variant=minbase "$release")
fi

work=$(mktemp -d "${TMPDIR:-/var/tmp}/bare-machine.XXXXXX")
root=$work/root
# The command's namespace unmounts by itself, so only files need removal.
trap 'rm -rf --one-file-system "$work"' EXIT

# The packages are kept in a tarball between runs, if the cache folder is writable.
tarball=${XDG_CACHE_HOME:-$HOME/.cache}/roundel/$release-minbase.tar
if [[ -f $tarball ]]; then
  say "unpacking $tarball"
  mkdir "$root"
  tar -xpf "$tarball" -C "$root" --numeric-owner
else
  say "debootstrap from $uri"
  script=()
  [[ $release != noble ]] || script=(/usr/share/debootstrap/scripts/gutsy)
  "${debootstrap[@]}" "$root" "$uri" "${script[@]}" >"$work/log" 2>&1 || {
    tail -n 20 "$work/log"
    grep -q -E 'mknod|mount|permission|not permitted' "$work/log" && skip "debootstrap is not allowed here"
    exit 1
  }
  if mkdir -p "${tarball%/*}" && tar -cf "$tarball.$$" -C "$root" --numeric-owner .; then
    mv "$tarball.$$" "$tarball"
  fi
fi

# shellcheck disable=SC2016  # for the shell there
printf '#!/bin/sh\nexec g++ "$@" -O0 -DROUNDEL_FEW_TARGETS\n' >"$root/usr/local/bin/g++-O0"
chmod +x "$root/usr/local/bin/g++-O0"
echo force-unsafe-io >"$root/etc/dpkg/dpkg.cfg.d/unsafe-io"  # durability is not needed
printf '127.0.0.1 localhost\n' >"$root/etc/hosts"
cp -L /etc/resolv.conf "$root/etc/resolv.conf"
printf '#!/bin/sh\nexit 101\n' >"$root/usr/sbin/policy-rc.d"  # packages start no daemons
chmod +x "$root/usr/sbin/policy-rc.d"
if [[ -d /etc/apt/apt.conf.d ]]; then  # the proxy of apt on this machine, if there is one
  apt-config dump Acquire::http Acquire::https 2>/dev/null >"$root/etc/apt/apt.conf.d/99machine"
fi
git clone -q --no-local "$source_dir" "$root/roundel"
[[ -z $packages ]] || {
  mkdir "$root/packages"
  cp "$packages"/*.deb "$root/packages"
}

say "running: $commands"
start=$SECONDS
# shellcheck disable=SC2016  # expanded by the inner shell
unshare -m --propagation private bash -euc '
  mount -t proc proc "$0/proc"
  mount -t sysfs -o ro sysfs "$0/sys"
  mount --rbind /dev "$0/dev"
  if [[ -n $2 ]]; then
    mkdir -p "$0$2"
    mount --bind -o ro "$2" "$0$2"
    [[ $2 == /usr/local/cuda ]] || ln -sfn "$2" "$0/usr/local/cuda"
  fi
  exec chroot "$0" env -i PATH=/usr/sbin:/usr/bin:/sbin:/bin HOME=/root TERM=dumb \
    bash -euc "cd /roundel; $1" </dev/null' "$root" "$commands" "$toolkit" || {
  say "FAILED with exit code $?"
  exit 1
}
say "passed in $((SECONDS - start)) s"
