#pragma once
#include <cstdint>
#include <functional>
#include <span>
#include <vector>

#include "renderer/base/buffer.h"
#include "renderer/image/files.h"
#include "renderer/image/png_file.h"
#include "renderer/image/png_format.h"

namespace roundel {

/// Bytes before IDAT: signature, IHDR, sRGB and the text chunks.
std::vector<std::uint8_t> png_head(const PngShape& shape, const ImageMetadata& metadata);

class DeflateBlock;

/// Encodes a PNG file on all threads and writes it as it is made. Memory holds a block or two if
/// each block has an IDAT chunk, else the whole file. The bytes equal those of encode_png.
class PngStream {
 public:
  using Write = std::function<void(std::span<const std::uint8_t>)>;
  /// `max_one_idat`: for tests.
  PngStream(const PngShape& shape, const ImageMetadata& metadata, Write write,
            std::uint64_t max_one_idat = png_format::kMaxIdatBytes);

  /// Every call of add() except the last gets whole blocks.
  std::size_t rows_of_block() const;
  /// Adds the next `count` rows of an Image. Throws the errors of `write`. Calls `free_rows` once
  /// the rows are unused.
  void add(
      const std::uint8_t* rows, std::size_t count, const std::function<void()>& free_rows = [] {});
  void finish();

 private:
  /// Part of a chunk's data.
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
  std::vector<std::uint8_t> above_;
  std::uint32_t adler_ = 1;
  std::vector<Piece> pieces_;  ///< the next IDAT chunk's
};

}  // namespace roundel
