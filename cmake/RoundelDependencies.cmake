# Debian/Ubuntu packages; tools/packages.sh lists their names.
find_package(Threads REQUIRED)
find_package(TBB REQUIRED)
set(Boost_USE_STATIC_LIBS ON)  # one library less to load at every start
find_package(Boost REQUIRED CONFIG COMPONENTS program_options)
find_package(fmt REQUIRED)
find_package(nlohmann_json REQUIRED)
find_package(FastFloat REQUIRED)
find_package(OpenEXR REQUIRED)
find_package(yaml-cpp REQUIRED)
if(NOT TARGET yaml-cpp::yaml-cpp)  # name in version 0.8
  add_library(yaml-cpp::yaml-cpp ALIAS yaml-cpp)
endif()
find_package(PkgConfig REQUIRED)
pkg_check_modules(hwy REQUIRED libhwy)
include(RoundelHighway)
pkg_check_modules(libdeflate REQUIRED IMPORTED_TARGET libdeflate)
find_package(PNG REQUIRED)
pkg_check_modules(xxhash REQUIRED IMPORTED_TARGET libxxhash)
pkg_check_modules(libjpeg IMPORTED_TARGET libjpeg)             # optional
pkg_check_modules(libwebp IMPORTED_TARGET libwebp libwebpdemux)  # optional, for roundel diff
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
