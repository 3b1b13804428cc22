# Refuses untested versions of Highway (hwy_VERSION). raster/cpu/highway_dispatch.cpp replaces functions of its library:
# before adding a version here compare these and the instructions of each target (HWY_TARGET_STR_*), and run `roundel
# selftest` and the tests.
cmake_minimum_required(VERSION 3.25)
set(highway_versions 1.0.3 1.0.7 1.2.0)  # Debian 12, Ubuntu 24.04, Debian 13
option(ROUNDEL_ANY_HIGHWAY "Build with a version of Highway that was not compared" OFF)
if(NOT hwy_VERSION IN_LIST highway_versions AND NOT ROUNDEL_ANY_HIGHWAY)
  list(JOIN highway_versions ", " compared)
  message(FATAL_ERROR "Highway ${hwy_VERSION} was found, but only ${compared} were compared with what Roundel relies on: "
                      "install one of these (libhwy-dev), or add -DROUNDEL_ANY_HIGHWAY=ON, build and run `roundel selftest`")
endif()
