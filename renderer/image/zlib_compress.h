#pragma once

namespace roundel {

/// From now on, what this thread compresses are pixels of so many bytes, 3 or 4: the distance at
/// which repetitions are looked for. stb_image_write does not tell its compressor.
void set_pixel_bytes(int bytes);

/// The compressor inside stb_image_write (STBIW_ZLIB_COMPRESS): `data_size` bytes to a zlib stream
/// of `*out_size` bytes in memory from malloc, or null when memory runs out. `quality` is not used.
/// The result depends on the data alone.
unsigned char* zlib_compress(unsigned char* data, int data_size, int* out_size, int quality);

}  // namespace roundel
