#pragma once
#include <cstdint>
#include <functional>
#include <span>
#include <vector>

#include "renderer/base/buffer.h"
#include "renderer/image/files.h"
#include "renderer/image/png_format.h"

namespace roundel {

/// All bytes before IDAT: signature, IHDR, sRGB and the text chunks.
std::vector<std::uint8_t> png_head(const PngShape& shape, const ImageMetadata& metadata);
/// All bytes after IDAT's data: its CRC, and IEND.
std::vector<std::uint8_t> png_tail(std::uint32_t crc);
/// Appends the high byte first.
void append_u32(std::vector<std::uint8_t>& out, std::uint32_t value);

class DeflateBlock;

/// Encodes a PNG file from runs of rows, on all threads, and writes it as it is made. Holds a block
/// or two of png_format.h in memory if the file has an IDAT chunk for each, or the whole file if it
/// has one IDAT. The bytes equal those of encode_png.
class PngStream {
 public:
  using Write = std::function<void(std::span<const std::uint8_t>)>;
  /// `max_one_idat`: changed by tests only.
  PngStream(const PngShape& shape, const ImageMetadata& metadata, Write write,
            std::uint64_t max_one_idat = png_format::kMaxOneIdat);

  /// Rows of a block. All calls of add() except the last get whole blocks.
  std::size_t rows_of_block() const;
  /// Adds the next `count` rows of an Image. Throws the errors of `write`. `free_rows` is called
  /// once the rows are no longer needed.
  void add(
      const std::uint8_t* rows, std::size_t count, const std::function<void()>& free_rows = [] {});
  /// Call it after the last row.
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
  std::vector<Piece> pieces_;  ///< pieces of the next IDAT chunk
};

}  // namespace roundel
