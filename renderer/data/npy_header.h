#pragma once
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "renderer/base/error.h"
#include "renderer/data/element.h"

namespace roundel {

/// An array that is sound, but no column: of Python's objects, of more than two dimensions, without
/// columns or with too many.
class UnsuitedArray : public Error {
 public:
  UnsuitedArray(const std::string& path, std::string reason)
      : Error(ExitCode::kInvalidScene, path + ": " + reason), reason_(std::move(reason)) {}
  /// The message without the path.
  const std::string& reason() const { return reason_; }

 private:
  std::string reason_;
};

/// A number or text of an array's element: all of it, or a field of a structured one.
struct NpyField {
  std::string name;  ///< "position[0]" and "a.b" where fields are arrays or structured themselves
  Element element;
  std::uint64_t offset = 0;  ///< in the array's element, bytes
};

/// What the header of an .npy file says of an array [], [rows] or [rows, columns].
struct NpyHeader {
  std::vector<NpyField> fields;  ///< not structured: one without a name, or "real" and "imag"
  std::uint64_t element_bytes = 0;
  bool is_fortran_order = false;
  bool is_structured = false;
  std::size_t dimensions = 0;  ///< 0 to 2
  std::uint64_t rows = 1, columns = 1;
  std::uint64_t data_offset = 0;  ///< of the first element in the file
};

/// No header ends behind this byte of a file: NumPy itself refuses texts beyond 10,000 bytes unless
/// told otherwise.
inline constexpr std::size_t kMaxNpyHeaderBytes = 12 + 10'000;

/// Reads the header from the first bytes of a file of `file_size` bytes, all of them or at least
/// kMaxNpyHeaderBytes; format versions 1 to 3. Accepted are arrays of numbers, texts or structures
/// of them, whose elements fill the rest of the file exactly; rows are of 1 to kMaxTableRowBytes
/// bytes, and have at most kMaxTableColumns fields. Throws Error(kInvalidScene) "PATH: …", of which
/// some are an UnsuitedArray.
NpyHeader parse_npy_header(std::span<const std::byte> start, std::uint64_t file_size,
                           const std::string& path);

}  // namespace roundel
