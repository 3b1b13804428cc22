# shellcheck shell=bash
# Packages of Debian 12, Debian 13 and Ubuntu 24.04 that this project needs; all other files use these lists. Sourced.
# shellcheck disable=SC2034  # the lists are used by the files that source this one

# Needed to build roundel (tools/run).
build_packages=(
  g++                           # compiler
  cmake                         # build description, 3.25 or newer
  ninja-build                   # runs the build
  pkgconf                       # finds the libraries without a CMake package
  libtbb-dev                    # threads
  libhwy-dev                    # vector instructions, chosen at run time
  libyaml-cpp-dev               # scene files
  nlohmann-json3-dev            # JSON output
  libboost-program-options-dev  # command line
  libfmt-dev                    # text formatting
  libxxhash-dev                 # fingerprints
  libfast-float-dev             # numbers of CSV files
  libstb-dev                    # PNG encoder
  libdeflate-dev                # checksums, and EXR's compressor
  zlib1g-dev                    # deflated arrays, read from any position
  libpng-dev                    # PNG reader
  libhdf5-dev                   # HDF5 files
  libopenexr-dev                # EXR output
  libjpeg-dev                   # JPEG pictures to compare; optional
  libwebp-dev                   # WebP pictures to compare; optional
  python3                       # makes the man pages
)

# Also needed by the tests (tools/test).
test_packages=(
  "${build_packages[@]}"
  libgtest-dev        # test framework
  pngcheck            # checks the PNG files that roundel writes
  python3-jsonschema  # validates the scenes against scene.schema.json
  python3-yaml        # reads the scenes for it
  python3-numpy       # reads and writes NPY files independently
  python3-h5py        # writes HDF5 files for tests
  git                 # runs the workflows of docs/reports.md
)

# Needed to build the Python module.
python_packages=(
  pybind11-dev   # its C++ side
  python3-dev    # Python's headers
  python3-numpy  # arrays, at run time
)

# Also needed by .ci/run.
ci_packages=(
  "${test_packages[@]}"
  "${python_packages[@]}"
  clang-14             # builds the fuzz targets
  libclang-rt-14-dev   # libFuzzer
  lld-14               # links the sanitizers' programs, faster than the default linker
  clang-format-14      # format check
  clang-tidy-14        # static analysis
  shellcheck           # static analysis of shell scripts
  ccache               # reuses compiled objects
  debootstrap          # makes the bare machine of tests/setup/bare_machine.sh
  valgrind             # counts instructions
  openmpi-bin          # runs ranks of roundel
  libopenmpi-dev       # makes the build include MPI
  dpkg-dev             # finds the packages' dependencies
  zsh                  # completion
  fish                 # completion
  groff-base           # renders man pages
  python3-pip          # installs the Python module from a checkout
  python3-pytest       # its fixture for tests
  iproute2             # two machines for the ranks, as network namespaces
  slurm-wlm            # runs the array of tools/farm
  munge                # Slurm's authentication
  ffmpeg               # makes videos
  chromium             # views reports
  imagemagick          # its numbers for two pictures, to compare with roundel diff's
  openimageio-tools    # the numbers of idiff
  python3-pandas       # columns for the Python module
  python3-matplotlib   # draws the results of roundel-primitives
  g++-aarch64-linux-gnu  # builds for arm64
  qemu-user-static     # runs that program
)

# Needed by .ci/run if npm is missing; apart, because other builds of Node include it.
node_packages=(
  nodejs  # runs tests/report
  npm     # installs its packages
)
