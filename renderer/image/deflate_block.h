#pragma once
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "renderer/base/buffer.h"

namespace roundel {

/// Rows of a picture, top to bottom.
struct PngRows {
  /// Row after row; where `is_filtered`, each begins with its filter byte, and kReadBehind bytes
  /// can be read behind the last one, whatever they are.
  const std::uint8_t* bytes;
  std::size_t count;
  std::size_t row_bytes;  ///< with a filter byte, in either case
  std::size_t pixel_bytes;
  bool is_filtered;
  const std::uint8_t* above = nullptr;  ///< the row above the first one; null: zeros

  static constexpr std::size_t kReadBehind = 8;
  std::size_t size() const { return count * row_bytes; }  ///< filtered bytes
  /// Rows from `first` on, `most` of them or what is left.
  PngRows part(std::size_t first, std::size_t most) const {
    PngRows rows = *this;
    const std::size_t stride = is_filtered ? row_bytes : row_bytes - 1;
    rows.bytes += first * stride;
    rows.count = std::min(most, count - first);
    if (first > 0) rows.above = rows.bytes - stride;
    return rows;
  }
};

/// A block of the stream that png_format.h describes: made by all threads, its size known before it
/// is written.
class DeflateBlock {
 public:
  /// `rows` must stay until it is written, unless it is coded. Throws std::bad_alloc.
  DeflateBlock(const PngRows& rows, bool is_last);
  std::size_t size() const { return size_; }
  /// Then its rows are not needed any more.
  bool is_coded() const { return !is_stored_; }
  /// Writes size() bytes, once: gives back what was coded.
  void write(std::uint8_t* out);
  /// Of the filtered rows, from `before` on.
  std::uint32_t adler(std::uint32_t before) const;

  /// Some rows, coded by one thread.
  struct Part {
    std::size_t first, end;  ///< rows
    std::uint64_t bits = 0;
    std::uint32_t adler = 1;
    Buffer<std::uint8_t> coded = {};  ///< its bits
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
