# shellcheck shell=bash
# Sourced by tools/run and tools/test: installs packages, configures and builds, each when needed.
# Messages go to stderr, since stdout belongs to the program that is run.
#   ROUNDEL_PRESET   preset to build, release if unset; the folder is build/PRESET
#   ROUNDEL_CUDA     ON, OFF or AUTO instead of the preset's choice
#   ROUNDEL_INSTALL  OFF: never install packages

self=$(realpath "${BASH_SOURCE[0]}")
source_dir=${self%/*/*}
preset=${ROUNDEL_PRESET:-release}
build_dir=$source_dir/build/$preset
configure_options=()  # of the file that sources this one

note() { printf 'roundel: %s\n' "$*" >&2; }
die() {
  note "$@"
  exit 1
}

# is_current TARGET SOURCE...: true if the target was built with these settings after the last
# change to the sources (a file that went changes its folder) and its programs are still there. The
# stamp has the settings in its first line and a program in each of the others.
is_current() {
  local stamp=$build_dir/.built-$1 lines program
  shift
  [[ -f $stamp ]] || return 1
  mapfile -t lines <"$stamp"
  [[ ${lines[0]:-} == "$(settings)" ]] || return 1
  for program in "${lines[@]:1}"; do
    [[ -e $build_dir/$program ]] || return 1
  done
  [[ -z $(find "$@" -newer "$stamp" -print -quit 2>&1) ]]
}

# A build without CUDA is out of date once nvcc is there.
# shellcheck disable=SC2046  # in one line
settings() { echo "preset=$preset cuda=${ROUNDEL_CUDA:-}" nvcc: $(type -P nvcc /usr/local/cuda/bin/nvcc); }

# shellcheck source=/dev/null  # of the machine
system_name() { (source /etc/os-release && echo "$PRETTY_NAME") 2>/dev/null || echo "this system"; }

# missing_packages NAME...: those that are not installed, in one line; none without dpkg.
missing_packages() {
  type -P dpkg-query >/dev/null || return 0
  comm -13 \
    <(dpkg-query -W -f '${db:Status-Status} ${Package}\n' "$@" 2>/dev/null |
      sed -n 's/^installed //p' | sort -u) \
    <(printf '%s\n' "$@" | sort -u) | paste -sd ' '
}

# install_packages NAME...: installs what is missing.
install_packages() {
  [[ ${ROUNDEL_INSTALL:-} != OFF ]] || return 0
  local missing unknown as_root=() log=$build_dir/packages.log
  if ! type -P dpkg-query >/dev/null || ! type -P apt-get >/dev/null; then
    die "this is no Debian or Ubuntu; install the equivalents of these packages and set" \
      "ROUNDEL_INSTALL=OFF: $*"
  fi
  missing=$(missing_packages "$@")
  [[ -n $missing ]] || return 0
  if ((EUID != 0)); then
    command -v sudo >/dev/null ||
      die "neither root nor sudo here; as root, run: apt-get install $missing"
    as_root=(sudo)
  fi
  note "installing $missing"
  # A failed update may still leave usable lists.
  "${as_root[@]}" apt-get -q update &>"$log" || true
  # shellcheck disable=SC2086  # names without spaces
  "${as_root[@]}" env DEBIAN_FRONTEND=noninteractive apt-get -qy -o DPkg::Lock::Timeout=600 \
    install --no-install-recommends $missing &>>"$log" && return
  unknown=$(sed -n 's/^E: Unable to locate package //p' "$log" | sort -u | paste -sd ' ')
  if grep -qE 'Could not resolve|Could not connect|Temporary failure|Failed to fetch' "$log"; then
    die "cannot reach the archive of packages: check the network and try again; apt's output is in $log"
  elif [[ -n $unknown ]]; then
    die "$(system_name) has no $unknown: expected Debian 12, Ubuntu 24.04 or newer; apt's output is in $log"
  elif grep -qE "No space left|enough free space" "$log"; then
    die "the disk is too full for $missing: free some; apt's output is in $log"
  fi
  die "could not install $missing; apt's output is in $log"
}

# Dies where CMake is too old. Made for Debian 12's and newer ones.
check_cmake() {
  local version
  version=$(cmake --version 2>/dev/null | sed -n '1s/^cmake version //p') || return 0
  [[ $version =~ ^([0-9]+)\.([0-9]+) ]] || return 0
  ((BASH_REMATCH[1] * 1000 + BASH_REMATCH[2] >= 3025)) ||
    die "expected CMake 3.25 or newer, as Debian 12 and Ubuntu 24.04 have it, got $version ($(type -P cmake))"
}

# Megabytes that are free in the build folder; many where that is unknown.
free_megabytes() {
  local free
  free=$(df --output=avail -BM "$build_dir" 2>/dev/null | sed -n '2s/[^0-9]//gp') || true
  echo "${free:-1000000}"
}

# check_space TARGET: dies where a first build does not fit on the disk.
check_space() {
  local needed=1000 free
  [[ $1 != roundel ]] || needed=200
  free=$(free_megabytes)
  [[ -e $build_dir/.built-$1 ]] || ((free >= needed)) ||
    die "$build_dir has $free MB free, but building takes $needed MB: free some, or make build a link to a larger disk"
}

# One line about the build's progress every ten seconds.
show_progress() {
  local line next=$((SECONDS + 10))
  while IFS= read -r line; do
    if ((SECONDS >= next)) && [[ $line =~ ^\[([0-9]+/[0-9]+)\] ]]; then
      note "built ${BASH_REMATCH[1]}"
      next=$((SECONDS + 10))
    fi
  done
}

# logged NAME COMMAND...: keeps the output in NAME.log, shows it when the command fails for a reason
# that is not known.
logged() {
  local log=$build_dir/$1.log missing
  shift
  "$@" </dev/null 2>&1 | tee "$log" | show_progress && return
  if (($(free_megabytes) < 2)) || grep -q 'No space left' "$log"; then
    die "the disk of $build_dir is full: free some; the output is in $log"
  fi
  missing=$(missing_packages "${packages[@]}")
  if [[ $log == */configure.log && -n $missing ]]; then
    die "cannot configure the build, and these packages are missing: apt-get install $missing;" \
      "CMake's output is in $log"
  fi
  cat "$log" >&2
  die "failed: $*"
}

# bring_up_to_date TARGET PACKAGE... -- SOURCE...: builds the target unless it is current.
bring_up_to_date() {
  local target=$1 packages=()
  shift
  while [[ $1 != -- ]]; do
    packages+=("$1")
    shift
  done
  shift
  is_current "$target" "$@" && return 0
  mkdir -p "$build_dir"
  check_space "$target"
  exec {lock}>"$source_dir/build/.lock"
  flock "$lock"
  if ! is_current "$target" "$@"; then
    # Dated before the build: what changes during the build makes it out of date.
    touch "$build_dir/.starting"
    install_packages "${packages[@]}"
    check_cmake
    note "configuring build/$preset"
    logged configure cmake -S "$source_dir" --preset "$preset" "${configure_options[@]}" \
      ${ROUNDEL_CUDA:+"-DROUNDEL_CUDA=$ROUNDEL_CUDA"}
    note "building $target"
    logged build cmake --build "$build_dir" --target "$target"
    {
      settings
      find "$build_dir" -name CMakeFiles -prune -o -type f -executable -printf '%P\n'
    } >"$build_dir/.building"
    touch -r "$build_dir/.starting" "$build_dir/.building"
    mv "$build_dir/.building" "$build_dir/.built-$target"
  fi
  exec {lock}>&-
}

# shellcheck disable=SC2034  # used by the files that source this one
sources=("$source_dir"/{CMakeLists.txt,CMakePresets.json,cmake,renderer,tools/roundel})
