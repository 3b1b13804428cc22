#pragma once
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "renderer/base/buffer.h"

namespace roundel {

/// Top to bottom.
struct PngRows {
  /// Rows in sequence. If `is_filtered`, each begins with its filter byte, and kReadBehind bytes
  /// after the last row are readable.
  const std::uint8_t* bytes;
  std::size_t count;
  std::size_t row_bytes;  ///< with a filter byte
  std::size_t pixel_bytes;
  bool is_filtered;
  const std::uint8_t* above = nullptr;  ///< the row above the first one; null: zeros

  static constexpr std::size_t kReadBehind = 8;
  std::size_t size() const { return count * row_bytes; }  ///< filtered bytes
  PngRows part(std::size_t first, std::size_t max_rows) const {
    PngRows rows = *this;
    const std::size_t stride = is_filtered ? row_bytes : row_bytes - 1;
    rows.bytes += first * stride;
    rows.count = std::min(max_rows, count - first);
    if (first > 0) rows.above = rows.bytes - stride;
    return rows;
  }
};

/// A block of the stream in png_format.h, coded by all threads. Its size is known before it is
/// written.
class DeflateBlock {
 public:
  /// `rows` must outlive write() unless is_coded(). Throws std::bad_alloc.
  DeflateBlock(const PngRows& rows, bool is_last);
  std::size_t size() const { return size_; }
  bool is_coded() const { return !is_stored_; }
  /// Writes size() bytes, once, and frees the coded bytes.
  void write(std::uint8_t* out);
  /// Continues `before` with the filtered rows.
  std::uint32_t adler(std::uint32_t before) const;

  struct Part {
    std::size_t first, end;  ///< rows
    std::uint64_t bits = 0;
    std::uint32_t adler = 1;
    Buffer<std::uint8_t> coded = {};
  };

 private:
  void write_coded(std::uint8_t* out);
  void write_stored(std::uint8_t* out) const;

  PngRows rows_;
  bool is_last_, is_stored_ = false;
  std::vector<Part> parts_;
  std::size_t size_ = 0;
};

}  // namespace roundel
