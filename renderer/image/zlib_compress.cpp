#include "renderer/image/zlib_compress.h"

#include <isa-l/igzip_lib.h>
#include <libdeflate.h>
#include <tbb/parallel_for.h>

#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <utility>
#include <vector>

#include "renderer/base/buffer.h"

// A deflate stream with one Huffman code, made from a sample of the data, in blocks that are made
// in parallel. Behind the filter Up circles are runs of equal pixels and noise between them: the
// only matches looked for are with the pixel before, two pixels at a time, and everything else is
// literals, which are written in pairs. Pixels of equal bytes, most of all the zeros where nothing
// changes, are matched with the byte before: a run of one byte is what decoders are fastest at. The
// same bytes on every processor and for any number of threads, since nothing here depends on them;
// the test Png.BytesAreKnown stands guard. ISA-L makes the code from its histogram and writes the
// blocks' header, in plain C and integers.
//
// Highway compiles all of it once for each instruction set: those with BMI2 shift without the
// detour through one fixed register, which takes a third of the time away.
#define HWY_DISABLED_TARGETS (ROUNDEL_DISABLED_TARGETS | HWY_SSE4 | HWY_AVX3)
#define HWY_TARGET_INCLUDE "renderer/image/zlib_compress.cpp"
#include "renderer/base/each_highway_target.h"

HWY_BEFORE_NAMESPACE();
namespace roundel::HWY_NAMESPACE {

constexpr std::size_t kLongestMatch = 258;
constexpr std::size_t kWord = 8;
/// A match is looked for while so many bytes are left, so that nothing is read beyond the end.
constexpr std::size_t kMargin = kLongestMatch + kWord;

HWY_INLINE std::uint64_t load_word(const unsigned char* bytes) {
  static_assert(std::endian::native == std::endian::little);
  std::uint64_t word = 0;
  std::memcpy(&word, bytes, kWord);
  return word;
}

/// How many of the first bytes are those that lie kPixel bytes before them; at least kWord more can
/// be read behind the longest match.
template <std::size_t kPixel>
HWY_INLINE std::size_t match_length(const unsigned char* bytes) {
  std::size_t length = 0;
  std::uint64_t differing = 0;
  while (length < kLongestMatch) {
    differing = load_word(bytes + length) ^ load_word(bytes + length - kPixel);
    if (differing != 0) break;
    length += kWord;
  }
  if (differing != 0) length += static_cast<std::size_t>(std::countr_zero(differing)) / 8;
  return std::min(length, kLongestMatch);
}

/// Gives data[begin, end) to the sink: match(length, distance) where two pixels or more repeat the
/// one before them, two_pixels(word) for others in the low bytes of a word, bytes(begin, end) at
/// the two ends of all data, which has `size` bytes. False as soon as the sink is full.
template <std::size_t kPixel, typename Sink>
HWY_INLINE bool for_each_token(const unsigned char* data, std::size_t begin, std::size_t end,
                               std::size_t size, Sink& sink) {
  constexpr std::uint64_t kTwoPixels = ~std::uint64_t{0} >> (64 - 16 * kPixel);
  constexpr std::uint64_t kOnePixel = ~std::uint64_t{0} >> (64 - 8 * kPixel);
  std::size_t i = begin;
  if (i == 0) {
    i = std::min(kPixel, end);
    if (!sink.bytes(data, i)) return false;
  }
  const std::size_t last = std::min(end - std::min(end, 2 * kPixel - 1),
                                    size - std::min(size, kMargin - 1));  // whole tokens below it
  while (i < last) {
    const std::uint64_t word = load_word(data + i);
    if (((word ^ load_word(data + i - kPixel)) & kTwoPixels) == 0) {
      const std::size_t length = std::min(match_length<kPixel>(data + i), end - i);
      // The pixel moved on by a byte is itself where all its bytes are equal.
      const bool is_one_byte = ((word ^ word >> 8) & kOnePixel >> 8) == 0;
      if (!sink.match(length, is_one_byte ? 1 : kPixel)) return false;
      i += length;
    } else {
      if (!sink.two_pixels(word)) return false;
      i += 2 * kPixel;
    }
  }
  return i >= end || sink.bytes(data + i, end - i);
}

/// 3 to 258 in the 29 codes of deflate (RFC 1951, 3.2.5), from 257 on.
std::size_t length_code(std::size_t length) {
  if (length == kLongestMatch) return 285;
  const std::size_t rest = length - 3;
  if (rest < 8) return 257 + rest;
  const auto extra_bits = static_cast<std::size_t>(std::bit_width(rest)) - 3;
  return 257 + 4 * extra_bits + (rest >> extra_bits);
}

/// Counts symbols; one of each to begin with, since a sample may lack it.
template <std::size_t kPixel>
struct SymbolCounter {
  isal_huff_histogram histogram{};

  SymbolCounter() {
    std::fill(std::begin(histogram.lit_len_histogram), std::end(histogram.lit_len_histogram), 1);
    histogram.dist_histogram[0] = 1;  // distances 1 to 4 are codes 0 to 3
    histogram.dist_histogram[kPixel - 1] = 1;
  }
  bool match(std::size_t length, std::size_t distance) {
    ++histogram.lit_len_histogram[length_code(length)];
    ++histogram.dist_histogram[distance - 1];
    return true;
  }
  bool two_pixels(std::uint64_t word) {
    for (std::size_t k = 0; k < 2 * kPixel; ++k, word >>= 8)
      ++histogram.lit_len_histogram[word & 255];
    return true;
  }
  bool bytes(const unsigned char* begin, std::size_t count) {
    for (std::size_t k = 0; k < count; ++k) ++histogram.lit_len_histogram[begin[k]];
    return true;
  }
};

/// A code for the data, from 4 KiB in every 32.
template <std::size_t kPixel>
isal_hufftables make_code(const unsigned char* data, std::size_t size) {
  constexpr std::size_t kSample = 4096, kDistance = 32768;
  SymbolCounter<kPixel> counter;
  for (std::size_t begin = 0; begin < size; begin += kDistance)
    for_each_token<kPixel>(data, begin, std::min(begin + kSample, size), size, counter);
  isal_hufftables code{};
  isal_create_hufftables(&code, &counter.histogram);
  return code;
}

/// Bits of a symbol, extra bits and distance included, above their number, which has the low six
/// bits: those that count in a shift count.
using Symbol = std::uint64_t;
Symbol make_symbol(std::uint64_t bits, std::uint64_t count) {
  return bits << 6 | count;
}
HWY_INLINE std::uint64_t bits_of(Symbol symbol) {
  return symbol >> 6;
}
HWY_INLINE std::uint64_t count_of(Symbol symbol) {
  return symbol & 63;
}

struct SymbolTables {
  Symbol literals[257];                    ///< and the end of the block
  Symbol matches[kLongestMatch + 1];       ///< with the pixel before
  Symbol byte_matches[kLongestMatch + 1];  ///< with the byte before
  Symbol pairs[65536];                     ///< of literals, the first one in the low byte

  SymbolTables(const isal_hufftables& code, std::size_t pixel) {
    for (std::size_t k = 0; k <= 256; ++k)
      literals[k] = make_symbol(code.lit_table[k], code.lit_table_sizes[k]);
    for (std::size_t length = 3; length <= kLongestMatch; ++length) {
      constexpr unsigned kCountBits = 5;  // of ISA-L's entries, below the bits
      const std::uint32_t entry = code.len_table[length - 3];
      const std::uint32_t count = entry & ((1U << kCountBits) - 1);
      const auto with_distance = [&](std::size_t distance) {
        return make_symbol(entry >> kCountBits | code.dcodes[distance - 1] << count,
                           count + code.dcodes_sizes[distance - 1]);
      };
      matches[length] = with_distance(pixel);
      byte_matches[length] = with_distance(1);
    }
    for (std::size_t high = 0; high < 256; ++high) {
      const std::uint64_t bits = bits_of(literals[high]), count = count_of(literals[high]);
      Symbol* const row = pairs + 256 * high;
      for (std::size_t low = 0; low < 256; ++low)
        row[low] = literals[low] + count + (bits << (count_of(literals[low]) + 6));
    }
  }
};

/// Writes symbols, the first in the low bits of the first byte.
template <std::size_t kPixel>
class SymbolWriter {
 public:
  SymbolWriter(unsigned char* out, std::size_t size, const SymbolTables& tables)
      : tables_(tables), begin_(out), out_(out), last_(out + size - kWord) {}

  static constexpr std::uint64_t kMostBits = 56;
  /// At most kMostBits. False when there is no space for them.
  HWY_INLINE bool put(std::uint64_t bits, std::uint64_t count) {
    if (out_ > last_) return false;
    word_ |= bits << count_;
    count_ += count;
    std::memcpy(out_, &word_, kWord);
    out_ += count_ / 8;
    word_ >>= count_ & ~std::uint64_t{7};
    count_ &= 7;
    return true;
  }
  HWY_INLINE bool put(Symbol symbol) { return put(bits_of(symbol), count_of(symbol)); }

  HWY_INLINE bool match(std::size_t length, std::size_t distance) {
    return put((distance == 1 ? tables_.byte_matches : tables_.matches)[length]);
  }
  HWY_INLINE bool two_pixels(std::uint64_t word) {
    const Symbol* const pairs = tables_.pairs;
    const Symbol a = pairs[word & 0xffff], b = pairs[word >> 16 & 0xffff],
                 c = pairs[word >> 32 & 0xffff];
    if constexpr (kPixel == 3) return put_all(a, b, c);
    return put_all(a, b, 0) && put_all(c, pairs[word >> 48], 0);
  }
  /// Each of at most 30 bits.
  HWY_INLINE bool put_all(Symbol a, Symbol b, Symbol c) {
    const std::uint64_t two = count_of(a) + count_of(b), three = two + count_of(c);
    if (three > kMostBits) return put(a) && put(b) && put(c);  // rare
    return put(bits_of(a) | bits_of(b) << count_of(a) | bits_of(c) << two, three);
  }
  bool bytes(const unsigned char* begin, std::size_t count) {
    for (std::size_t k = 0; k < count; ++k)
      if (!put(tables_.literals[begin[k]])) return false;
    return true;
  }
  /// Begins a block with the code in `code`.
  bool begin_block(const isal_hufftables& code, bool is_last) {
    const std::uint32_t size = code.deflate_hdr_count;
    for (std::uint32_t k = 0; k < size; ++k)
      if (!put(k == 0 ? (code.deflate_hdr[0] & ~1U) | is_last : code.deflate_hdr[k], 8))
        return false;
    return put(code.deflate_hdr[size], code.deflate_hdr_extra_bits);
  }
  /// Ends it, and but for the last one goes on to a whole byte, by an empty block of stored bytes.
  bool end_block(bool is_last) {
    if (!put(tables_.literals[256])) return false;
    return is_last || (put(0, 3) && put(0, (8 - count_) % 8) && put(0xffff0000, 32));
  }
  std::size_t size() const { return static_cast<std::size_t>(out_ - begin_) + (count_ > 0); }

 private:
  const SymbolTables& tables_;
  unsigned char* begin_;
  unsigned char* out_;
  unsigned char* last_;  ///< where a word still fits
  std::uint64_t word_ = 0, count_ = 0;
};

constexpr std::size_t kBlock = std::size_t{1} << 19;  ///< bytes of a block before compression

template <std::size_t kPixel>
std::size_t deflate_pixels(unsigned char* out, std::size_t out_size, const unsigned char* data,
                           std::size_t size) {
  const isal_hufftables code = make_code<kPixel>(data, size);
  const auto tables = std::make_unique<SymbolTables>(code, kPixel);
  const std::size_t num_blocks = std::max<std::size_t>((size + kBlock - 1) / kBlock, 1);
  // Every block is made where it has as much room as its data, and then moved up.
  const auto room_of = [&](std::size_t block) {
    return block + 1 < num_blocks ? kBlock : out_size - block * kBlock;
  };
  std::vector<std::size_t> sizes(num_blocks);
  const auto make_block = [&](std::size_t block) {
    const std::size_t begin = block * kBlock, end = std::min(begin + kBlock, size);
    const bool is_last = block + 1 == num_blocks;
    SymbolWriter<kPixel> writer(out + begin, room_of(block), *tables);
    const bool fits = writer.begin_block(code, is_last) &&
                      for_each_token<kPixel>(data, begin, end, size, writer) &&
                      writer.end_block(is_last);
    sizes[block] = fits ? writer.size() : 0;
  };
  tbb::parallel_for(std::size_t{0}, num_blocks, make_block);
  std::size_t total = 0;
  for (std::size_t block = 0; block < num_blocks; ++block) {
    if (sizes[block] == 0) return 0;
    std::memmove(out + total, out + block * kBlock, sizes[block]);
    total += sizes[block];
  }
  return total;
}

/// The raw deflate stream of filtered rows with 3 or 4 bytes a pixel. 0 when it does not fit.
std::size_t deflate_into(unsigned char* out, std::size_t out_size, const unsigned char* data,
                         std::size_t size, int pixel_bytes) {
  return pixel_bytes == 4 ? deflate_pixels<4>(out, out_size, data, size)
                          : deflate_pixels<3>(out, out_size, data, size);
}

}  // namespace roundel::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace roundel {
namespace {
HWY_EXPORT(deflate_into);
thread_local int pixel_bytes = 3;
thread_local Buffer<std::uint8_t>* pixels_to_free = nullptr;
}  // namespace

void set_pixel_bytes(int bytes) {
  pixel_bytes = bytes;
}

void free_when_filtered(Buffer<std::uint8_t>* pixels) {
  pixels_to_free = pixels;
}

unsigned char* zlib_compress(unsigned char* data, int data_size, int* out_size, int /*quality*/) {
  if (pixels_to_free != nullptr) *std::exchange(pixels_to_free, nullptr) = {};
  const auto size = static_cast<std::size_t>(data_size);
  constexpr std::size_t kHeader = 2, kChecksum = 4;
  const std::size_t stored_size = size + 5 * (size / 65535 + 1) + kHeader + kChecksum;
  auto* out = static_cast<unsigned char*>(try_allocate_block(stored_size));
  if (out == nullptr) return nullptr;

  out[0] = 0x78;
  out[1] = 0x01;
  std::size_t written = HWY_DYNAMIC_DISPATCH(deflate_into)(
      out + kHeader, stored_size - kHeader - kChecksum, data, size, pixel_bytes);
  if (written != 0) {
    written += kHeader;
    const std::uint32_t checksum = libdeflate_adler32(1, data, size);
    for (int shift = 24; shift >= 0; shift -= 8)
      out[written++] = static_cast<unsigned char>(checksum >> shift);
    *out_size = static_cast<int>(written);
    return out;
  }
  // Noise: stored, which is what libdeflate's level 0 does.
  const std::unique_ptr<libdeflate_compressor, void (*)(libdeflate_compressor*)> store(
      libdeflate_alloc_compressor(0), libdeflate_free_compressor);
  written = store ? libdeflate_zlib_compress(store.get(), data, size, out, stored_size) : 0;
  if (written == 0) {
    std::free(out);
    return nullptr;
  }
  *out_size = static_cast<int>(written);
  return out;
}

}  // namespace roundel
#endif  // HWY_ONCE
