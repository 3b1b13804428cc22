// PNG only, in memory, with our compressor, a fast CRC and our memory blocks.
#include <libdeflate.h>

#include <cstddef>
#include <cstdlib>

#include "renderer/base/buffer.h"
#include "renderer/image/deflate_block.h"
#include "renderer/image/zlib_compress.h"

#define STB_IMAGE_WRITE_IMPLEMENTATION
#define STBI_WRITE_NO_STDIO
#define STBIW_ZLIB_COMPRESS roundel::zlib_compress
#define STBIW_CRC32(data, size) libdeflate_crc32(0, data, static_cast<std::size_t>(size))
// The compressor reads past the filtered rows.
#define STBIW_MALLOC(size) \
  roundel::try_allocate_block(static_cast<std::size_t>(size) + roundel::PngRows::kReadBehind)
#define STBIW_REALLOC(block, size) std::realloc(block, static_cast<std::size_t>(size))
#define STBIW_FREE(block) std::free(block)
#include <stb_image_write.h>
