#include "renderer/image/zlib_compress.h"

#include <isa-l/igzip_lib.h>
#include <libdeflate.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <memory>

// Why igzip, why level 0 and why tables of our own. 1024x1024 RGB frames behind the filter Up, one
// core, relative to libdeflate 1.14 level 1; the times are the best of several on a busy machine,
// so take them for rough:
//
//                        rand10k         rand1M
//                        time   size     time   size
//   libdeflate level 1   1      1.00     1      1.00
//   igzip level 1        1/2.8  1.10     1/2.1  1.02
//   igzip level 0        1/3.2  1.30     1/2.6  1.26   its own tables; noise grows by a fifth
//   igzip level 0        1/3.1  1.14     1/2.4  1.05   these tables
//
// The same frame must be the same file. igzip's level 3 chooses other matches on AVX2 and AVX-512;
// levels 1 and 2 give another stream once in some 10,000 runs, by where the memory they get lies.
// Level 0 gave the same bytes in 100,000 streams encoded from shuffled addresses; with these tables
// also in 20,000 such, and in 3,000 streams on a Nehalem, a Haswell and qemu's newest processor, on
// AVX-512 natively, and with ISA-L 2.30 and 2.31. (Without SSE 4.2 it has another hash function and
// so other bytes.) libdeflate is the same on all processors, but its versions 1.14 and 1.23 differ.
// The test Png.BytesAreKnown stands guard.

namespace roundel {
namespace {

/// Huffman tables for circles behind the filter Up: literals fall off on both sides of 0, short
/// matches are the most frequent. The weights were searched for over the classic scenes: rand10k
/// and rand1M come within 4 % of tables made for each, micro2M, nearly noise, within 15 %. All in
/// integers: the tables are part of what a file's bytes depend on.
isal_hufftables make_tables() {
  isal_huff_histogram histogram{};
  std::uint64_t* const literals = histogram.lit_len_histogram;
  std::uint64_t weight = 60000;
  for (int distance = 0; distance <= 128; ++distance) {  // from 0, modulo 256
    literals[distance] = weight + 400;
    if (distance > 0) literals[256 - distance] = weight + 400;
    weight = weight * 230 / 256;
  }
  constexpr int kEndOfBlock = 256;
  constexpr int kLength3 = 257;
  constexpr int kLength258 = 285;
  literals[kEndOfBlock] = 1;
  literals[kLength3] = 64;  // igzip looks for 4 bytes and more
  weight = 120000;
  for (int code = kLength3 + 1; code < kLength258; ++code) {
    literals[code] = weight + 64;
    weight = weight * 220 / 256;
  }
  literals[kLength258] = 6000;
  for (int code = 0; code < ISAL_DEF_DIST_SYMBOLS; ++code) {
    histogram.dist_histogram[code] = code == 0 || code == 2 ? 6000 : 3000;  // distances 1 and 3
  }
  isal_hufftables tables{};
  isal_create_hufftables(&tables, &histogram);
  return tables;
}

/// The raw deflate stream and its Adler-32. 0 when it does not fit.
std::size_t deflate_into(unsigned char* out, std::size_t out_size, unsigned char* data,
                         std::size_t size) {
  static isal_hufftables tables = make_tables();
  const auto stream = std::make_unique<isal_zstream>();  // 100 KB: not on a stack
  isal_deflate_init(stream.get());
  stream->level = 0;
  stream->gzip_flag = IGZIP_ZLIB_NO_HDR;
  if (isal_deflate_set_hufftables(stream.get(), &tables, IGZIP_HUFFTABLE_CUSTOM) != COMP_OK)
    return 0;
  stream->next_in = data;
  stream->avail_in = static_cast<std::uint32_t>(size);
  stream->next_out = out;
  stream->avail_out = static_cast<std::uint32_t>(out_size);
  stream->end_of_stream = 1;
  if (isal_deflate(stream.get()) != COMP_OK) return 0;
  return stream->internal_state.state == ZSTATE_END ? stream->total_out : 0;
}

}  // namespace

unsigned char* zlib_compress(unsigned char* data, int data_size, int* out_size, int /*quality*/) {
  const auto size = static_cast<std::size_t>(data_size);
  constexpr std::size_t kHeader = 2;
  const std::size_t stored_size = size + 5 * (size / 65535 + 1) + kHeader + 4;
  constexpr std::size_t kSlack = 1024;  // igzip stops short of the end of its output
  const std::size_t capacity = stored_size + kSlack;
  auto* out = static_cast<unsigned char*>(std::malloc(capacity));
  if (out == nullptr) return nullptr;

  // igzip's own zlib header says its level in some versions and not in others.
  out[0] = 0x78;
  out[1] = 0x01;
  std::size_t written = deflate_into(out + kHeader, capacity - kHeader, data, size);
  if (written != 0 && written + kHeader <= stored_size) {
    *out_size = static_cast<int>(written + kHeader);
    return out;
  }
  // Noise: stored, which is what libdeflate's level 0 does.
  const std::unique_ptr<libdeflate_compressor, void (*)(libdeflate_compressor*)> store(
      libdeflate_alloc_compressor(0), libdeflate_free_compressor);
  written = store ? libdeflate_zlib_compress(store.get(), data, size, out, capacity) : 0;
  if (written == 0) {
    std::free(out);
    return nullptr;
  }
  *out_size = static_cast<int>(written);
  return out;
}

}  // namespace roundel
