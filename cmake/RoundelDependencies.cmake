# All Debian/Ubuntu packages; tools/packages.sh has the list of their names.
find_package(Threads REQUIRED)
find_package(TBB REQUIRED)
set(Boost_USE_STATIC_LIBS ON)  # one library less to load at every start
find_package(Boost REQUIRED CONFIG COMPONENTS program_options)
find_package(fmt REQUIRED)
find_package(nlohmann_json REQUIRED)
find_package(FastFloat REQUIRED)
find_package(OpenEXR REQUIRED)
find_package(yaml-cpp REQUIRED)
if(NOT TARGET yaml-cpp::yaml-cpp)  # the name of version 0.8
  add_library(yaml-cpp::yaml-cpp ALIAS yaml-cpp)
endif()
find_package(PkgConfig REQUIRED)
pkg_check_modules(hwy REQUIRED libhwy)
# highway_dispatch.cpp replaces functions of Highway's library. Compare with it before adding a version here:
# these functions, the instructions of each target (HWY_TARGET_STR_*), `roundel selftest` and the goldens.
set(highway_versions 1.0.3 1.0.7 1.2.0)  # Debian 12, Ubuntu 24.04, Debian 13
option(ROUNDEL_ANY_HIGHWAY "Build with a version of Highway that was not compared" OFF)
if(NOT hwy_VERSION IN_LIST highway_versions AND NOT ROUNDEL_ANY_HIGHWAY)
  list(JOIN highway_versions ", " compared)
  message(FATAL_ERROR "Highway ${hwy_VERSION} was found, but only ${compared} were compared with what Roundel relies on: "
                      "install one of these (libhwy-dev), or add -DROUNDEL_ANY_HIGHWAY=ON, build and run `roundel selftest`")
endif()
pkg_check_modules(libdeflate REQUIRED IMPORTED_TARGET libdeflate)
find_package(PNG REQUIRED)
pkg_check_modules(xxhash REQUIRED IMPORTED_TARGET libxxhash)
pkg_check_modules(libjpeg IMPORTED_TARGET libjpeg)             # optional, and so is
pkg_check_modules(libwebp IMPORTED_TARGET libwebp libwebpdemux)  # this one: for roundel diff
find_path(STB_INCLUDE_DIR stb_image_write.h PATH_SUFFIXES stb REQUIRED)

# Open MPI for several machines; optional.
set(ROUNDEL_MPI "AUTO" CACHE STRING "Build with MPI: ON, OFF or AUTO (when it is found)")
set_property(CACHE ROUNDEL_MPI PROPERTY STRINGS AUTO ON OFF)
set(ROUNDEL_HAS_MPI OFF)
if(NOT ROUNDEL_MPI STREQUAL "OFF")
  set(MPI_CXX_SKIP_MPICXX ON)
  find_package(MPI COMPONENTS CXX)
  if(MPI_CXX_FOUND)
    set(ROUNDEL_HAS_MPI ON)
  elseif(ROUNDEL_MPI STREQUAL "ON")
    message(FATAL_ERROR "ROUNDEL_MPI=ON, but MPI was not found")
  endif()
endif()
message(STATUS "MPI: ${ROUNDEL_HAS_MPI}")
