#pragma once
#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>
#include <string>

namespace roundel {

/// A table in an HDF5 file, in the helper program.
struct Hdf5File {
  std::string description;  ///< for Roundel (hdf5_protocol.h)
  /// Reads records from a byte of a run on, and their texts. Throws Error without the file's path.
  std::function<void(std::uint64_t run, std::uint64_t offset, std::span<std::byte> records,
                     std::string& texts)>
      read;
};

/// Opens the table `dataset`, or the one at the root, with libhdf5; for one thread. Throws
/// Error(kInvalidScene) without the file's path.
Hdf5File open_hdf5_file(int descriptor, std::uint64_t file_bytes, const std::string& dataset);

}  // namespace roundel
