#pragma once

namespace roundel {

/// The compressor inside stb_image_write (STBIW_ZLIB_COMPRESS): `data_size` bytes to a zlib stream
/// of
/// `*out_size` bytes in memory from malloc, or null when memory runs out. `quality` is not used.
///
/// The result depends on the data alone: see the .cpp file for how that was checked.
unsigned char* zlib_compress(unsigned char* data, int data_size, int* out_size, int quality);

}  // namespace roundel
