#pragma once
#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>
#include <string>

namespace roundel {

/// A table in an HDF5 file, as the helper program sees it.
struct Hdf5File {
  std::string description;  ///< for Roundel (hdf5_protocol.h)
  /// Reads a run's records from this byte on, and the texts that they refer to. Throws Error
  /// without the file's path.
  std::function<void(std::uint64_t run, std::uint64_t offset, std::span<std::byte> records,
                     std::string& texts)>
      read;
};

/// Opens the table `dataset`, or the one at the root, with libhdf5; for one thread only. Throws
/// Error(kInvalidScene) without the file's path.
Hdf5File open_hdf5_file(int descriptor, std::uint64_t file_bytes, const std::string& dataset);

}  // namespace roundel
