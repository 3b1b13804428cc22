#include "renderer/image/zlib_compress.h"

#include <isa-l/igzip_lib.h>
#include <libdeflate.h>

#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <memory>

// A deflate stream of one block with a Huffman code of its own, made from a sample of the data.
// Behind the filter Up circles are runs of equal pixels and noise between them: the only match
// looked for is the pixel before, everything else is a literal. The same bytes on every processor,
// since nothing here depends on it; the test Png.BytesAreKnown stands guard. ISA-L makes the code
// from its histogram and writes the block's header, in plain C and integers.

namespace roundel {
namespace {

thread_local int pixel_bytes = 3;

constexpr std::size_t kLongestMatch = 258;
constexpr std::size_t kWord = 8;
/// A match is looked for while so many bytes are left, so that nothing is read beyond the end.
constexpr std::size_t kMargin = kLongestMatch + kWord;

std::uint64_t load_word(const unsigned char* bytes) {
  static_assert(std::endian::native == std::endian::little);
  std::uint64_t word = 0;
  std::memcpy(&word, bytes, kWord);
  return word;
}

/// Goes through data[begin, end): match(length) where the bytes repeat the pixel before them, at
/// least one pixel long, literals(bytes, count) elsewhere. data[0, begin) is what came before, and
/// data has `size` bytes. False as soon as a call returns false.
template <typename Match, typename Literals>
bool for_each_token(const unsigned char* data, std::size_t begin, std::size_t end, std::size_t size,
                    std::size_t pixel, const Match& match, const Literals& literals) {
  const std::uint64_t pixel_mask = (std::uint64_t{1} << (8 * pixel)) - 1;
  std::size_t i = begin;
  const auto step = [&](std::size_t count) {
    count = std::min(count, end - i);
    i += count;
    return literals(data + i - count, count);
  };
  while (i < end && i < pixel)
    if (!step(pixel)) return false;
  while (i < end && i + kMargin <= size) {
    std::uint64_t differing = load_word(data + i) ^ load_word(data + i - pixel);
    if ((differing & pixel_mask) != 0) {
      if (!step(pixel)) return false;
      continue;
    }
    std::size_t length = 0;
    while (differing == 0 && length + kWord <= kLongestMatch) {
      length += kWord;
      differing = load_word(data + i + length) ^ load_word(data + i + length - pixel);
    }
    if (differing != 0) length += static_cast<std::size_t>(std::countr_zero(differing)) / 8;
    length = std::min(length, kLongestMatch);
    if (!match(length)) return false;
    i += length;
  }
  while (i < end)
    if (!step(pixel)) return false;
  return true;
}

/// 3 to 258 in the 29 codes of deflate (RFC 1951, 3.2.5), from 257 on.
std::size_t length_code(std::size_t length) {
  if (length == kLongestMatch) return 285;
  const std::size_t rest = length - 3;
  if (rest < 8) return 257 + rest;
  const auto extra_bits = static_cast<std::size_t>(std::bit_width(rest)) - 3;
  return 257 + 4 * extra_bits + (rest >> extra_bits);
}

/// From 4 KiB in every 32, and one of each symbol that they may lack.
isal_hufftables make_code(const unsigned char* data, std::size_t size, std::size_t pixel) {
  constexpr std::size_t kSample = 4096, kDistance = 32768;
  isal_huff_histogram histogram{};
  std::fill(std::begin(histogram.lit_len_histogram), std::end(histogram.lit_len_histogram), 1);
  std::uint64_t* const counts = histogram.lit_len_histogram;
  for (std::size_t begin = 0; begin < size; begin += kDistance) {
    for_each_token(
        data, begin, std::min(begin + kSample, size), size, pixel,
        [&](std::size_t length) {
          ++counts[length_code(length)];
          return true;
        },
        [&](const unsigned char* bytes, std::size_t count) {
          for (std::size_t k = 0; k < count; ++k) ++counts[bytes[k]];
          return true;
        });
  }
  histogram.dist_histogram[pixel - 1] = 1;  // distances 1 to 4 are codes 0 to 3
  isal_hufftables code{};
  isal_create_hufftables(&code, &histogram);
  return code;
}

class BitWriter {
 public:
  BitWriter(unsigned char* out, std::size_t size) : begin_(out), out_(out), end_(out + size) {}

  /// At most 64 − 7 bits between two calls of flush().
  void put(std::uint64_t bits, unsigned count) {
    word_ |= bits << count_;
    count_ += count;
  }
  /// False when there is no space for further bits.
  bool flush() {
    if (out_ + kWord > end_) return false;
    std::memcpy(out_, &word_, kWord);
    out_ += count_ / 8;
    word_ >>= count_ & ~7U;
    count_ &= 7;
    return true;
  }
  std::size_t size() const { return static_cast<std::size_t>(out_ - begin_) + (count_ + 7) / 8; }

 private:
  unsigned char* begin_;
  unsigned char* out_;
  unsigned char* end_;
  std::uint64_t word_ = 0;
  unsigned count_ = 0;
};

/// A symbol's bits and their number, extra bits and distance included.
struct Symbol {
  std::uint32_t bits;
  std::uint32_t count;
};

/// The raw deflate stream. 0 when it does not fit.
std::size_t deflate_into(unsigned char* out, std::size_t out_size, const unsigned char* data,
                         std::size_t size) {
  const auto pixel = static_cast<std::size_t>(pixel_bytes);
  const isal_hufftables code = make_code(data, size, pixel);
  Symbol literal_symbols[257];
  for (std::size_t k = 0; k <= 256; ++k)
    literal_symbols[k] = {code.lit_table[k], code.lit_table_sizes[k]};
  Symbol match_symbols[kLongestMatch + 1] = {};
  for (std::size_t length = 3; length <= kLongestMatch; ++length) {
    constexpr unsigned kCountBits = 5;  // of ISA-L's entries, below the bits
    const std::uint32_t entry = code.len_table[length - 3];
    const std::uint32_t count = entry & ((1U << kCountBits) - 1);
    const std::uint32_t distance = code.dcodes[pixel - 1];
    match_symbols[length] = {entry >> kCountBits | distance << count,
                             count + code.dcodes_sizes[pixel - 1]};
  }

  BitWriter writer(out, out_size);
  const unsigned char* const header = code.deflate_hdr;
  for (std::uint32_t k = 0; k < code.deflate_hdr_count; ++k) {
    writer.put(k == 0 ? header[0] | 1U : header[k], 8);  // 1: it is the last block
    if (!writer.flush()) return 0;
  }
  writer.put(header[code.deflate_hdr_count], code.deflate_hdr_extra_bits);
  if (!writer.flush()) return 0;
  const bool fits = for_each_token(
      data, 0, size, size, pixel,
      [&](std::size_t length) {
        writer.put(match_symbols[length].bits, match_symbols[length].count);
        return writer.flush();
      },
      [&](const unsigned char* bytes, std::size_t count) {
        if (count == 3) {  // the usual case, without the loop's waiting from one to the next
          const Symbol &a = literal_symbols[bytes[0]], &b = literal_symbols[bytes[1]],
                       &c = literal_symbols[bytes[2]];
          writer.put(a.bits | std::uint64_t{b.bits} << a.count |
                         std::uint64_t{c.bits} << (a.count + b.count),
                     a.count + b.count + c.count);
          return writer.flush();
        }
        for (std::size_t k = 0; k < count; ++k) {
          const Symbol& symbol = literal_symbols[bytes[k]];
          if (k == 3 && !writer.flush()) return false;  // three symbols of up to 15 bits fit
          writer.put(symbol.bits, symbol.count);
        }
        return writer.flush();
      });
  constexpr std::size_t kEndOfBlock = 256;
  writer.put(literal_symbols[kEndOfBlock].bits, literal_symbols[kEndOfBlock].count);
  const std::size_t written = writer.size();
  return fits && writer.flush() ? written : 0;
}

}  // namespace

void set_pixel_bytes(int bytes) {
  pixel_bytes = bytes;
}

unsigned char* zlib_compress(unsigned char* data, int data_size, int* out_size, int /*quality*/) {
  const auto size = static_cast<std::size_t>(data_size);
  constexpr std::size_t kHeader = 2, kChecksum = 4;
  const std::size_t stored_size = size + 5 * (size / 65535 + 1) + kHeader + kChecksum;
  auto* out = static_cast<unsigned char*>(std::malloc(stored_size));
  if (out == nullptr) return nullptr;

  out[0] = 0x78;
  out[1] = 0x01;
  std::size_t written = deflate_into(out + kHeader, stored_size - kHeader - kChecksum, data, size);
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
