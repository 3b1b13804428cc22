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
configure_options=()  # for the file that sources this one
progress_seconds=10   # interval of the lines about progress

note() { printf 'roundel: %s\n' "$*" >&2; }
# Prints a note with the minutes and seconds since the start.
progress() { note "$(printf '%d:%02d' $((SECONDS / 60)) $((SECONDS % 60)))" "$@"; }
die() {
  note "$@"
  exit 1
}

# is_current TARGET SOURCE...: true if the target was built with these settings after the last change to the sources (a
# removed file changes its folder) and its programs still exist. The stamp has the settings in its first line and a
# program in each of the others.
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

# A build without CUDA is out of date once nvcc is installed.
# shellcheck disable=SC2046  # in one line
settings() { echo "preset=$preset cuda=${ROUNDEL_CUDA:-}" nvcc: $(type -P nvcc /usr/local/cuda/bin/nvcc); }

# shellcheck source=/dev/null  # of the machine
system_name() { (source /etc/os-release && echo "$PRETTY_NAME") 2>/dev/null || echo "this system"; }

# missing_packages NAME...: prints the missing ones, in one line; nothing without dpkg.
missing_packages() {
  type -P dpkg-query >/dev/null || return 0
  comm -13 \
    <(dpkg-query -W -f '${db:Status-Status} ${Package}\n' "$@" 2>/dev/null |
      sed -n 's/^installed //p' | sort -u) \
    <(printf '%s\n' "$@" | sort -u) | paste -sd ' '
}

# install_packages NAME...: installs the missing ones.
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
  progress "installing $missing"
  # A failed update may still leave usable lists.
  "${as_root[@]}" env LC_ALL=C apt-get -q update &>"$log" || true
  # shellcheck disable=SC2086  # names without spaces
  "${as_root[@]}" env LC_ALL=C DEBIAN_FRONTEND=noninteractive apt-get -qy -o DPkg::Lock::Timeout=600 \
    install --no-install-recommends $missing 2>&1 | tee -a "$log" | show_progress && return
  unknown=$(sed -n 's/^E: Unable to locate package //p' "$log" | sort -u | paste -sd ' ')
  if grep -qE 'Could not resolve|Could not connect|Temporary failure|Failed to fetch' "$log"; then
    die "cannot reach the archive of packages: check the network and try again; apt's output is in $log"
  elif [[ -n $unknown ]]; then
    die "$(system_name) has no $unknown: expected Debian 12, Debian 13 or Ubuntu 24.04; apt's output is in $log"
  elif grep -qE "No space left|enough free space" "$log"; then
    die "the disk is too full for $missing: free some; apt's output is in $log"
  fi
  die "could not install $missing; apt's output is in $log"
}

# Dies if CMake is older than Debian 12's.
check_cmake() {
  local version
  version=$(cmake --version 2>/dev/null | sed -n '1s/^cmake version //p') || return 0
  [[ $version =~ ^([0-9]+)\.([0-9]+) ]] || return 0
  ((BASH_REMATCH[1] * 1000 + BASH_REMATCH[2] >= 3025)) ||
    die "expected CMake 3.25 or newer, as Debian 12 and Ubuntu 24.04 have it, got $version ($(type -P cmake))"
}

# Prints the free megabytes in the build folder; a large number if that is unknown.
free_megabytes() {
  local free
  free=$(df --output=avail -BM "$build_dir" 2>/dev/null | sed -n '2s/[^0-9]//gp') || true
  echo "${free:-1000000}"
}

# check_space TARGET: dies if a first build does not fit on the disk.
check_space() {
  local needed=1000 free
  [[ $1 != roundel ]] || needed=200
  free=$(free_megabytes)
  [[ -e $build_dir/.built-$1 ]] || ((free >= needed)) ||
    die "$build_dir has $free MB free, but building takes $needed MB: free some, or make build a link to a larger disk"
}

# Prints how long a first build of the target takes and how much disk; processor seconds and megabytes as measured on
# Debian 12 and 13.
announce() {
  local seconds=1500 disk=1000 packages_disk=1100 processors packages_note=''
  [[ $1 != roundel ]] || seconds=210 disk=200 packages_disk=900
  [[ ${ROUNDEL_CUDA:-} == OFF || -z $(type -P nvcc /usr/local/cuda/bin/nvcc) ]] || seconds=$((seconds + 150))
  processors=$(nproc)
  [[ ${ROUNDEL_INSTALL:-} == OFF || -z $(missing_packages "${packages[@]}") ]] ||
    packages_note=", after up to $packages_disk MB of packages"
  note "building $1 for the first time takes about $((seconds / processors / 60 + 1)) min ($processors processors)" \
    "and $disk MB in build/$preset$packages_note"
}

# Prints a line about the progress of apt or ninja, whose output is stdin, every ten seconds.
show_progress() {
  local line status=0 step='' packages='' got=0 unpacked=0 configured=0 next=$((SECONDS + progress_seconds))
  while ((status == 0 || status > 128)); do  # above 128: no line for ten seconds
    status=0
    IFS= read -r -t "$progress_seconds" line || status=$?
    if ((status != 0)); then
      :
    elif [[ $line =~ ^\[([0-9]+/[0-9]+)\] ]]; then
      step="built ${BASH_REMATCH[1]}"
    elif [[ $line =~ ^([0-9]+)\ upgraded,\ ([0-9]+)\ newly\ installed ]]; then
      packages="$((BASH_REMATCH[1] + BASH_REMATCH[2])) packages"
    elif [[ $line == Get:* ]]; then
      step="downloaded $((++got)) of $packages"
    elif [[ $line == Unpacking\ * ]]; then
      step="unpacked $((++unpacked)) of $packages"
    elif [[ $line == Setting\ up\ * ]]; then
      step="set up $((++configured)) of $packages"
    fi
    if ((SECONDS >= next)) && [[ -n $step ]]; then
      progress "$step"
      next=$((SECONDS + progress_seconds))
    fi
  done
}

# logged NAME COMMAND...: keeps the output in NAME.log, and shows it after an unknown failure.
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
  [[ -e $build_dir/.built-$target ]] || announce "$target"
  exec {lock}>"$source_dir/build/.lock"
  flock "$lock"
  if ! is_current "$target" "$@"; then
    # Dated before the build, so that changes during the build make it out of date.
    touch "$build_dir/.starting"
    install_packages "${packages[@]}"
    check_cmake
    progress "configuring build/$preset"
    logged configure cmake -S "$source_dir" --preset "$preset" "${configure_options[@]}" \
      ${ROUNDEL_CUDA:+"-DROUNDEL_CUDA=$ROUNDEL_CUDA"}
    progress "building $target"
    logged build cmake --build "$build_dir" --target "$target"
    {
      settings
      find "$build_dir" -name CMakeFiles -prune -o -type f -executable -printf '%P\n'
    } >"$build_dir/.building"
    touch -r "$build_dir/.starting" "$build_dir/.building"
    mv "$build_dir/.building" "$build_dir/.built-$target"
    progress "built $target"
  fi
  exec {lock}>&-
}

# shellcheck disable=SC2034  # used by the files that source this one
sources=("$source_dir"/{CMakeLists.txt,CMakePresets.json,cmake,renderer,tools/roundel})
