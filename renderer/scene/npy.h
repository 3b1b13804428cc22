#pragma once
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>

#include "renderer/base/input_file.h"

namespace roundel {

/// A two-dimensional C-order little-endian float32 or float64 array in an .npy file (format
/// versions 1 to 3), memory-mapped read-only for the life of the object.
class NpyArray {
 public:
  /// Throws Error(kInvalidScene) "PATH: …" when the file is missing, is no such array, or is
  /// shorter or longer than its header says; nothing is allocated in proportion to what a header
  /// claims.
  explicit NpyArray(const std::string& path);

  std::uint64_t rows() const { return rows_; }
  std::uint64_t columns() const { return columns_; }
  /// Element as double (exact for both types). row < rows(), column < columns().
  double at(std::uint64_t row, std::uint64_t column) const;
  /// All bytes of the file, for hashing.
  std::span<const std::byte> file_bytes() const { return file_.bytes(); }

 private:
  MappedFile file_;
  const std::byte* elements_ = nullptr;
  std::uint64_t rows_ = 0, columns_ = 0;
  bool is_double_ = false;
};

/// Writes a float32 [rows, columns] array, atomically. Throws Error.
void write_npy(const std::string& path, std::span<const float> values, std::uint64_t rows,
               std::uint64_t columns);

}  // namespace roundel
