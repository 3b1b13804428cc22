#pragma once
#include <cstddef>
#include <cstdint>

#include "renderer/base/buffer.h"

namespace roundel {

/// Input that stb_image_write does not pass to its compressor; set for this thread from the next
/// call on.
struct ZlibInput {
  std::size_t row_bytes;    ///< with the filter byte
  std::size_t pixel_bytes;  ///< 3 or 4
  /// Pixels to free when compressing begins: stb_image_write has then made its filtered rows. The
  /// rows' memory is then freed as well if possible. Null: nothing is freed.
  Buffer<std::uint8_t>* pixels_to_free;
};
void set_zlib_input(const ZlibInput& input);

/// Compressor of stb_image_write (STBIW_ZLIB_COMPRESS): packs `data_size` bytes of filtered rows,
/// followed by PngRows::kReadBehind readable bytes, into a zlib stream of `*out_size` bytes in
/// memory from malloc, as png_format.h describes. Returns null if memory runs out. `quality` is
/// ignored.
unsigned char* zlib_compress(unsigned char* data, int data_size, int* out_size, int quality);

}  // namespace roundel
