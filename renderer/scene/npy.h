#pragma once
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "renderer/base/input_file.h"
#include "renderer/scene/npy_header.h"

namespace roundel {

/// A two-dimensional C-order little-endian float32 or float64 array in an .npy file (format
/// versions 1 to 3), open for the life of the object: hash and values come from one file, whatever
/// takes its name in the meantime. Errors while reading are InputFile's.
class NpyArray {
 public:
  /// Throws Error(kInvalidScene) "PATH: …" when the file is missing, is no such array, or is
  /// shorter or longer than its header says; nothing is allocated in proportion to what a header
  /// claims.
  explicit NpyArray(const std::string& path);

  std::uint64_t rows() const { return header_.rows; }
  std::uint64_t columns() const { return header_.columns; }
  /// True for float64, false for float32.
  bool is_double() const { return header_.is_double; }

  /// Fills `values` with the whole rows from `first_row` on, as doubles (exact for both types);
  /// values.size() is a multiple of columns(). From many threads at once.
  void read_rows(std::uint64_t first_row, std::span<double> values) const;
  /// All elements, row by row.
  std::vector<double> values() const;
  /// XXH3 of all bytes of the file, which is read once.
  std::uint64_t content_hash() const;
  /// Throws Error(kRuntimeFailure) "PATH: has changed while it was read" where what has been read
  /// need not be what was hashed.
  void check_unchanged() const { file_.check_unchanged(); }

 private:
  InputFile file_;
  NpyHeader header_;
};

/// Writes a float32 [rows, columns] array, atomically. Throws Error.
void write_npy(const std::string& path, std::span<const float> values, std::uint64_t rows,
               std::uint64_t columns);

}  // namespace roundel
