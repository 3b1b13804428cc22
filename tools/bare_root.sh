# shellcheck shell=bash
# Sourced. Bare roots: folders with a minimal Debian or Ubuntu, in which commands run as on a fresh machine. They need
# root, the network, debootstrap and about 3 GB. The caller defines skip(), which ends it with a reason.

# Codenames by the names in options and in release/.
declare -A release_of=([debian-12]=bookworm [debian-13]=trixie [ubuntu-24.04]=noble)

# check_bare_roots: skips if this machine does not allow them.
check_bare_roots() {
  local tool
  PATH=$PATH:/usr/sbin:/sbin
  ((EUID == 0)) || skip "not root"
  for tool in debootstrap unshare chroot git; do
    command -v "$tool" >/dev/null || skip "no $tool"
  done
  unshare -m --propagation private true 2>/dev/null || skip "no mount namespaces here"
  chroot / true 2>/dev/null || skip "no chroot here"
}

# make_bare_root SYSTEM FOLDER [URI]: FOLDER must not exist. URI is Ubuntu's archive. The packages are kept in a tarball
# between calls, if the cache folder is writable.
make_bare_root() {
  local release=${release_of[$1]} root=$2 uri=${3:-} script=() options
  local tarball=${XDG_CACHE_HOME:-$HOME/.cache}/roundel/$release-minbase.tar log=$2.log
  if [[ -f $tarball ]]; then
    mkdir "$root"
    tar -xpf "$tarball" -C "$root" --numeric-owner
  else
    if [[ $release == noble ]]; then
      # Debian has neither Ubuntu's keys nor debootstrap's script for this release, which is the same for all since
      # gutsy. Apt inside checks its packages with Ubuntu's own keys.
      options=("--components=main,universe" --no-check-gpg noble)
      script=(/usr/share/debootstrap/scripts/gutsy)
    else
      # The machine's own mirror, which has all releases, in either form of apt's sources.
      # shellcheck disable=SC2016  # apt-get expands these
      uri=$(apt-get indextargets --format '$(REPO_URI) $(CODENAME) $(COMPONENT)' 2>/dev/null |
        awk '$2 ~ /^(bookworm|trixie)$/ && $3 == "main" {print $1; exit}')
      [[ -n $uri ]] || skip "apt has no Debian archive here (after apt-get update)"
      options=("$release")
    fi
    debootstrap --variant=minbase "${options[@]}" "$root" "$uri" "${script[@]}" >"$log" 2>&1 || {
      tail -n 20 "$log"
      grep -q -E 'mknod|mount|permission|not permitted' "$log" && skip "debootstrap is not allowed here"
      exit 1
    }
    if mkdir -p "${tarball%/*}" && tar -cf "$tarball.$$" -C "$root" --numeric-owner .; then
      mv "$tarball.$$" "$tarball"
    fi
  fi
  echo force-unsafe-io >"$root/etc/dpkg/dpkg.cfg.d/unsafe-io"  # durability is not needed
  printf '127.0.0.1 localhost\n' >"$root/etc/hosts"
  cp -L /etc/resolv.conf "$root/etc/resolv.conf"
  printf '#!/bin/sh\nexit 101\n' >"$root/usr/sbin/policy-rc.d"  # packages start no daemons
  chmod +x "$root/usr/sbin/policy-rc.d"
  if [[ -d /etc/apt/apt.conf.d ]]; then  # the proxy of apt on this machine, if there is one
    apt-config dump Acquire::http Acquire::https 2>/dev/null >"$root/etc/apt/apt.conf.d/99machine"
  fi
}

# in_bare_root FOLDER COMMANDS [CUDA_TOOLKIT]: runs bash commands in FOLDER's /roundel, with the toolkit's folder mounted
# read-only. Returns their exit code.
in_bare_root() {
  mkdir -p "$1/roundel"
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
    exec chroot "$0" env -i PATH=/usr/sbin:/usr/bin:/sbin:/bin HOME=/root TERM=dumb DEBIAN_FRONTEND=noninteractive \
      bash -euc "cd /roundel; $1" </dev/null' "$1" "$2" "${3:-}"
}
