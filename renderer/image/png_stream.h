#pragma once
#include <cstdint>
#include <functional>
#include <span>
#include <vector>

#include "renderer/base/buffer.h"
#include "renderer/image/files.h"
#include "renderer/image/png_format.h"

namespace roundel {

/// All that stands before IDAT: signature, IHDR, sRGB and the text chunks.
std::vector<std::uint8_t> png_head(const PngShape& shape, const ImageMetadata& metadata);
/// All that stands behind IDAT's data: its CRC, and IEND.
std::vector<std::uint8_t> png_tail(std::uint32_t crc);
/// The high byte first.
void append_u32(std::vector<std::uint8_t>& out, std::uint32_t value);

class DeflateBlock;

/// A PNG file of rows that come some at a time, given out as it is made: by all threads, in memory
/// for a block or two of png_format.h where the file has an IDAT chunk for each; in memory for the
/// whole file where it has one. The same bytes as encode_png's.
class PngStream {
 public:
  using Write = std::function<void(std::span<const std::uint8_t>)>;
  /// `most_of_one_idat`: for tests.
  PngStream(const PngShape& shape, const ImageMetadata& metadata, Write write,
            std::uint64_t most_of_one_idat = png_format::kMaxOneIdat);

  /// Rows of a block. All calls of add() but the last get whole blocks.
  std::size_t rows_of_block() const;
  /// Adds the next `count` rows, as in an Image. Throws what `write` throws. `free_rows` is called
  /// once they are no longer needed.
  void add(
      const std::uint8_t* rows, std::size_t count, const std::function<void()>& free_rows = [] {});
  /// After the last row.
  void finish();

 private:
  /// A part of a chunk's data.
  struct Piece {
    Buffer<std::uint8_t> bytes;
    std::uint32_t crc = 0;
  };
  void add_block(DeflateBlock& block, bool is_first, bool is_last,
                 const std::function<void()>& free_rows);
  void write_idat();

  PngShape shape_;
  Write write_;
  bool has_one_idat_;
  std::size_t rows_done_ = 0;
  std::vector<std::uint8_t> above_;  ///< the row above the next one
  std::uint32_t adler_ = 1;
  std::vector<Piece> pieces_;  ///< of the next IDAT chunk
};

}  // namespace roundel
