#pragma once
#include <cstddef>
#include <cstdint>

#include "renderer/base/buffer.h"

namespace roundel {

/// What stb_image_write does not tell its compressor, from now on, in this thread.
struct ZlibInput {
  std::size_t row_bytes;    ///< with the filter byte
  std::size_t pixel_bytes;  ///< 3 or 4
  /// Whose memory is given up when compressing begins, which is when stb_image_write has made its
  /// filtered rows and needs no pixels any more; then the rows' memory is given up, too, where it
  /// can be. Null: nobody's.
  Buffer<std::uint8_t>* pixels_to_free;
};
void set_zlib_input(const ZlibInput& input);

/// The compressor inside stb_image_write (STBIW_ZLIB_COMPRESS): `data_size` bytes of filtered rows,
/// with PngRows::kReadBehind bytes behind them that can be read, to a zlib stream of `*out_size`
/// bytes in memory from malloc, as png_format.h describes it; null when memory runs out. `quality`
/// is not used.
unsigned char* zlib_compress(unsigned char* data, int data_size, int* out_size, int quality);

}  // namespace roundel
