#include "renderer/image/zlib_compress.h"

#include <algorithm>
#include <cstdlib>
#include <memory>
#include <new>

#include "renderer/image/deflate_block.h"
#include "renderer/image/png_format.h"

namespace roundel {
namespace {
thread_local ZlibInput input{};
}  // namespace

void set_zlib_input(const ZlibInput& next) {
  input = next;
}

unsigned char* zlib_compress(unsigned char* data, int data_size, int* out_size,
                             int /*quality*/) try {
  const bool saves_memory = input.pixels_to_free != nullptr;
  if (saves_memory) *input.pixels_to_free = {};
  const PngRows rows{data, static_cast<std::size_t>(data_size) / input.row_bytes, input.row_bytes,
                     input.pixel_bytes, true};
  const std::size_t rows_of_block = png_format::block_rows(rows.row_bytes);
  constexpr std::size_t kHeader = 2, kChecksum = 4;
  std::unique_ptr<unsigned char, void (*)(void*)> out(nullptr, std::free);
  std::size_t size = kHeader;
  std::uint32_t adler = 1;
  for (std::size_t first = 0; first < rows.count; first += rows_of_block) {
    const PngRows some = rows.part(first, rows_of_block);
    const bool is_last = first + some.count == rows.count;
    DeflateBlock block(some, is_last);
    if (saves_memory && block.is_coded()) discard_pages(data + first * rows.row_bytes, some.size());
    if (!out) {
      const std::size_t bytes =
          is_last ? block.size() : png_format::max_bytes(rows.count, rows.row_bytes);
      out.reset(static_cast<unsigned char*>(allocate_block(kHeader + bytes + kChecksum)));
      std::copy_n(png_format::kZlibHeader, kHeader, out.get());
    }
    block.write(out.get() + size);
    size += block.size();
    adler = block.adler(adler);
  }
  for (int shift = 24; shift >= 0; shift -= 8)
    out.get()[size++] = static_cast<unsigned char>(adler >> shift);
  *out_size = static_cast<int>(size);
  return out.release();
} catch (const std::bad_alloc&) {
  return nullptr;
}

}  // namespace roundel
