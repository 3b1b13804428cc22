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

/// A valid array, but not a column: Python objects, more than two dimensions, zero or too many
/// columns.
class UnsuitedArray : public Error {
 public:
  UnsuitedArray(const std::string& path, std::string reason)
      : Error(ExitCode::kInvalidScene, path + ": " + reason), reason_(std::move(reason)) {}
  /// The message without the path.
  const std::string& reason() const { return reason_; }

 private:
  std::string reason_;
};

/// A number or text: an array's element or its field.
struct NpyField {
  std::string name;  ///< "position[0]", "a.b" for arrays or structures in fields
  Element element;
  std::uint64_t offset = 0;  ///< in the element, bytes
};

/// Header for an array [], [rows] or [rows, columns].
struct NpyHeader {
  std::vector<NpyField> fields;  ///< unstructured: one without a name, or "real" and "imag"
  std::uint64_t element_bytes = 0;
  bool is_fortran_order = false;
  bool is_structured = false;
  std::size_t dimensions = 0;  ///< 0 to 2
  std::uint64_t rows = 1, columns = 1;
  std::uint64_t data_offset = 0;  ///< first element's offset in the file
};

/// Headers end before this byte: NumPy's default limit is 10,000 bytes of text.
inline constexpr std::size_t kMaxNpyHeaderBytes = 12 + 10'000;

/// Parses the header. `start`: the whole file or at least kMaxNpyHeaderBytes; format versions 1 to
/// 3. Arrays of numbers, texts or structures of them must fill the file exactly, with rows of 1 to
/// kMaxTableRowBytes bytes and at most kMaxTableColumns fields. Throws Error(kInvalidScene) "PATH:
/// …", perhaps an UnsuitedArray.
NpyHeader parse_npy_header(std::span<const std::byte> start, std::uint64_t file_size,
                           const std::string& path);

}  // namespace roundel
