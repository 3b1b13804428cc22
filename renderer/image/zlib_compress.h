#pragma once
#include <cstddef>
#include <cstdint>

#include "renderer/base/buffer.h"

namespace roundel {

/// Values for the compressor that stb_image_write does not pass; set for one thread.
struct ZlibInput {
  std::size_t row_bytes;    ///< with the filter byte
  std::size_t pixel_bytes;  ///< 3 or 4
  /// Pixels to free when compressing begins, since stb_image_write has then made its filtered rows.
  /// These are freed later if possible. May be null.
  Buffer<std::uint8_t>* pixels_to_free;
};
void set_zlib_input(const ZlibInput& input);

/// Compressor of stb_image_write (STBIW_ZLIB_COMPRESS): packs `data_size` bytes of filtered rows,
/// with PngRows::kReadBehind readable bytes after them, into a zlib stream of `*out_size` bytes
/// from malloc, as in png_format.h. Returns null if memory runs out. `quality` is ignored.
unsigned char* zlib_compress(unsigned char* data, int data_size, int* out_size, int quality);

}  // namespace roundel
