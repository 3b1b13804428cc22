#pragma once
#include <cstdint>

#include "renderer/base/buffer.h"

namespace roundel {

/// From now on, what this thread compresses are pixels of so many bytes, 3 or 4: the distance at
/// which repetitions are looked for. stb_image_write does not tell its compressor.
void set_pixel_bytes(int bytes);

/// The memory of these pixels is given up when this thread begins to compress next, which is when
/// stb_image_write has made its filtered rows and needs no pixels any more. Null: of none.
void free_when_filtered(Buffer<std::uint8_t>* pixels);

/// The compressor inside stb_image_write (STBIW_ZLIB_COMPRESS): `data_size` bytes to a zlib stream
/// of `*out_size` bytes in memory from malloc, or null when memory runs out. `quality` is not used.
/// The result depends on the data alone.
unsigned char* zlib_compress(unsigned char* data, int data_size, int* out_size, int quality);

}  // namespace roundel
