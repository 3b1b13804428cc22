#include "renderer/image/deflate_rows.h"

#include <libdeflate.h>

#include <algorithm>
#include <bit>
#include <cstring>
#include <memory>
#include <type_traits>

// Two pixels at a time. The processor does not change the bytes (test Png.BytesAreKnown).
//
// Highway compiles this for each instruction set: BMI2 shifts without a fixed register, which saves
// a third of the time.
#define HWY_DISABLED_TARGETS (ROUNDEL_DISABLED_TARGETS | HWY_SSE4 | HWY_AVX3)
#define HWY_TARGET_INCLUDE "renderer/image/deflate_rows.cpp"
#include "renderer/base/each_highway_target.h"

HWY_BEFORE_NAMESPACE();
namespace roundel::HWY_NAMESPACE {

using namespace deflate;  // NOLINT: used by both halves
namespace format = png_format;

HWY_INLINE std::uint64_t bits_of(Symbol symbol) {
  return symbol >> 6;
}
HWY_INLINE std::uint64_t count_of(Symbol symbol) {
  return symbol & 63;
}

HWY_INLINE std::uint64_t load_word(const std::uint8_t* bytes) {
  static_assert(std::endian::native == std::endian::little);
  std::uint64_t word = 0;
  std::memcpy(&word, bytes, sizeof(word));
  return word;
}

template <std::size_t kPixels, std::size_t kPixelBytes>
constexpr std::uint64_t low_pixels() {
  return ~std::uint64_t{0} >> (64 - 8 * kPixels * kPixelBytes);
}

/// The run begins with two pixels at `pixel`. Pixels up to `end` are whole.
template <std::size_t kPixelBytes>
HWY_INLINE std::size_t run_length(const std::uint8_t* pixel, const std::uint8_t* end) {
  const auto most = static_cast<std::size_t>(end - pixel);
  const auto differing_at = [&](std::size_t at) {
    return load_word(pixel + at) ^ load_word(pixel + at - kPixelBytes);
  };
  const auto whole_pixels = [&](std::size_t at, std::uint64_t differing) {
    const auto same = static_cast<std::uint32_t>(at) +
                      static_cast<std::uint32_t>(std::countr_zero(differing)) / 8;
    return std::min<std::size_t>(same - same % kPixelBytes, most);
  };
  constexpr std::size_t kLong = 96;  // most runs are shorter
  std::size_t length = 2 * kPixelBytes;
  for (const std::size_t few = std::min(most, kLong); length < few; length += 8)
    if (const std::uint64_t differing = differing_at(length); differing != 0)
      return whole_pixels(length, differing);
  while (length + 32 <= most && (differing_at(length) | differing_at(length + 8) |
                                 differing_at(length + 16) | differing_at(length + 24)) == 0)
    length += 32;
  for (; length < most; length += 8)
    if (const std::uint64_t differing = differing_at(length); differing != 0)
      return whole_pixels(length, differing);
  return most;
}

/// Calls run(bytes, is_one_byte), one_pixel(word) and two_pixels(word), with literals in the low
/// bytes.
template <std::size_t kPixelBytes, typename Sink>
HWY_INLINE void put_segment(const std::uint8_t* pixel, std::size_t size, Sink& sink) {
  constexpr std::uint64_t kFirst = low_pixels<1, kPixelBytes>();
  // Bytes that must equal those before for a run to begin at the second pixel.
  constexpr std::uint64_t kMayBegin = ~kFirst;
  const std::uint8_t* const end = pixel + size;
  sink.one_pixel(load_word(pixel));
  pixel += kPixelBytes;
  while (pixel + 2 * kPixelBytes <= end) {
    const std::uint64_t word = load_word(pixel);
    const std::uint64_t differing = word ^ load_word(pixel - kPixelBytes);
    bool is_run;
    if constexpr (kPixelBytes <= 4) {
      is_run = (differing & low_pixels<2, kPixelBytes>()) == 0;
    } else {
      is_run = (differing & kFirst) == 0 && ((load_word(pixel + kPixelBytes) ^ word) & kFirst) == 0;
    }
    if (is_run) {
      // A pixel shifted by a byte equals itself if all its bytes are equal.
      const bool is_one_byte = ((word ^ word >> 8) & kFirst >> 8) == 0;
      const std::size_t length = run_length<kPixelBytes>(pixel, end);
      sink.run(length, is_one_byte);
      pixel += length;
    } else if (kPixelBytes > 4 || (differing & kMayBegin) == 0) {
      sink.one_pixel(word);
      pixel += kPixelBytes;
    } else {
      if constexpr (kPixelBytes <= 4) sink.two_pixels(word);
      pixel += 2 * kPixelBytes;
    }
  }
  if (pixel < end) sink.one_pixel(load_word(pixel));
}

template <std::size_t kPixelBytes, typename Put>
HWY_INLINE void put_pieces(std::size_t length, const Put& put) {
  constexpr std::size_t kPiece = format::piece_pixels(kPixelBytes) * kPixelBytes;
  for (; length >= kPiece; length -= kPiece) put(kPiece);
  if (length > 0) put(length);
}

/// Four consecutive bytes have separate counts: most are equal, and a count must be written before
/// it is read again.
template <std::size_t kPixelBytes>
class SymbolCounter {
 public:
  HWY_INLINE void literals(std::uint64_t word, std::size_t count) {
    for (std::size_t k = 0; k < count; ++k, word >>= 8) ++literals_[k % kTables][word & 255];
  }
  HWY_INLINE void one_pixel(std::uint64_t word) { literals(word, kPixelBytes); }
  HWY_INLINE void two_pixels(std::uint64_t word) { literals(word, 2 * kPixelBytes); }
  HWY_INLINE void run(std::size_t length, bool is_one_byte) {
    put_pieces<kPixelBytes>(length,
                            [&](std::size_t piece) { ++matches_[is_one_byte ? 0 : 1][piece]; });
  }
  void add_to(Counts& counts) const {
    for (const auto& table : literals_)
      for (std::size_t byte = 0; byte < 256; ++byte) counts.symbols[byte] += table[byte];
    for (std::size_t k = 0; k < 2; ++k) {
      for (std::size_t length = kPixelBytes; length <= format::kMaxMatchLength; ++length) {
        counts.symbols[format::length_symbol(length)] += matches_[k][length];
        counts.distances[k] += matches_[k][length];
      }
    }
  }

 private:
  static constexpr std::size_t kTables = 4;
  std::uint32_t literals_[kTables][256] = {};
  std::uint32_t matches_[2][format::kMaxMatchLength + 1] = {};  // with distance 1 and P, by length
};

/// Writes symbols, the first in the low bits of the first byte, while they fit.
template <std::size_t kPixelBytes>
class SymbolWriter {
 public:
  SymbolWriter(std::uint8_t* out, const SymbolTables& tables)
      : tables_(tables), begin_(out), out_(out) {}

  static constexpr std::uint64_t kMaxBits = 56;
  HWY_INLINE void put(std::uint64_t bits, std::uint64_t count) {
    word_ |= bits << count_;
    count_ += count;
    std::memcpy(out_, &word_, sizeof(word_));
    out_ += count_ / 8;
    word_ >>= count_ & ~std::uint64_t{7};
    count_ &= 7;
  }
  HWY_INLINE void put(Symbol symbol) { put(bits_of(symbol), count_of(symbol)); }

  HWY_INLINE void run(std::size_t length, bool is_one_byte) {
    const Symbol* const matches = is_one_byte ? tables_.byte_matches : tables_.matches;
    put_pieces<kPixelBytes>(length, [&](std::size_t piece) { put(matches[piece]); });
  }
  HWY_INLINE void one_pixel(std::uint64_t word) {
    const Symbol* const pairs = tables_.pairs;
    if constexpr (kPixelBytes == 3) {
      put_all(pairs[word & 0xffff], tables_.literals[word >> 16 & 0xff], 0);
    } else if constexpr (kPixelBytes == 4) {
      put_all(pairs[word & 0xffff], pairs[word >> 16 & 0xffff], 0);
    } else {
      three_pairs(word);
      if constexpr (kPixelBytes == 8) put(pairs[word >> 48]);
    }
  }
  HWY_INLINE void two_pixels(std::uint64_t word) {
    three_pairs(word);
    if constexpr (kPixelBytes == 4) put(tables_.pairs[word >> 48]);
  }
  void literal(std::uint8_t byte) { put(tables_.literals[byte]); }
  void end_block() { put(tables_.literals[format::kEndOfBlock]); }
  std::uint64_t bits() const { return static_cast<std::uint64_t>(out_ - begin_) * 8 + count_; }

 private:
  HWY_INLINE void three_pairs(std::uint64_t word) {
    const Symbol* const pairs = tables_.pairs;
    put_all(pairs[word & 0xffff], pairs[word >> 16 & 0xffff], pairs[word >> 32 & 0xffff]);
  }
  /// At most 30 bits each.
  HWY_INLINE void put_all(Symbol a, Symbol b, Symbol c) {
    const std::uint64_t two = count_of(a) + count_of(b), three = two + count_of(c);
    if (three > kMaxBits) {  // rare
      put(a);
      put(b);
      put(c);
      return;
    }
    put(bits_of(a) | bits_of(b) << count_of(a) | bits_of(c) << two, three);
  }

  const SymbolTables& tables_;
  std::uint8_t* begin_;
  std::uint8_t* out_;
  std::uint64_t word_ = 0, count_ = 0;
};

/// Filters unfiltered rows.
class RowReader {
 public:
  explicit RowReader(const PngRows& rows) : rows_(rows) {
    if (!rows.is_filtered)
      filtered_ = std::make_unique<std::uint8_t[]>(rows.row_bytes + PngRows::kReadBehind);
  }
  /// With its filter byte.
  const std::uint8_t* row(std::size_t y) {
    if (rows_.is_filtered) return rows_.bytes + y * rows_.row_bytes;
    const std::size_t size = rows_.row_bytes - 1;
    const std::uint8_t* const row = rows_.bytes + y * size;
    const std::uint8_t* const above = y > 0 ? row - size : rows_.above;
    std::uint8_t* const out = filtered_.get();
    out[0] = format::kFilterUp;
    if (above == nullptr) {
      std::memcpy(out + 1, row, size);
    } else {
      for (std::size_t k = 0; k < size; ++k)
        out[k + 1] = static_cast<std::uint8_t>(row[k] - above[k]);
    }
    return out;
  }

 private:
  const PngRows& rows_;
  std::unique_ptr<std::uint8_t[]> filtered_;
};

void fill_pairs(SymbolTables& tables) {
  for (std::size_t high = 0; high < 256; ++high) {
    const Symbol* const literals = tables.literals;
    const std::uint64_t bits = bits_of(literals[high]), count = count_of(literals[high]);
    Symbol* const row = tables.pairs + 256 * high;
    for (std::size_t low = 0; low < 256; ++low)
      row[low] = literals[low] + count + (bits << (count_of(literals[low]) + 6));
  }
}

template <std::size_t kPixelBytes>
void count_rows(const PngRows& rows, std::size_t first, std::size_t end, bool is_sample,
                Counts& counts) {
  constexpr std::size_t kSegment = format::kSegmentPixels * kPixelBytes;
  SymbolCounter<kPixelBytes> counter;
  RowReader reader(rows);
  for (std::size_t k = first; k < end; ++k) {
    const std::size_t y = is_sample ? format::sample_row(static_cast<std::uint32_t>(k)) : k;
    if (y >= rows.count) break;
    const std::uint8_t* const row = reader.row(y);
    counter.literals(row[0], 1);
    for (std::size_t at = 1; at < rows.row_bytes; at += kSegment)
      put_segment<kPixelBytes>(row + at, std::min(kSegment, rows.row_bytes - at), counter);
  }
  counter.add_to(counts);
}

template <std::size_t kPixelBytes>
bool code_part(const PngRows& rows, const SymbolTables& tables, bool is_last_block,
               DeflateBlock::Part& part, std::uint8_t* out, std::size_t capacity) {
  constexpr std::size_t kSegment = format::kSegmentPixels * kPixelBytes;
  SymbolWriter<kPixelBytes> writer(out, tables);
  if (part.first == 0) {
    format::put_header(tables.lengths, kPixelBytes, is_last_block,
                       [&](std::uint32_t bits, unsigned count) { writer.put(bits, count); });
  }
  RowReader reader(rows);
  part.adler = 1;
  if (rows.is_filtered) {  // one call; a call per row takes twice as long
    part.adler =
        libdeflate_adler32(1, reader.row(part.first), (part.end - part.first) * rows.row_bytes);
  }
  for (std::size_t y = part.first; y < part.end; ++y) {
    const std::uint8_t* const row = reader.row(y);
    if (!rows.is_filtered) part.adler = libdeflate_adler32(part.adler, row, rows.row_bytes);
    writer.literal(row[0]);
    for (std::size_t at = 1; at < rows.row_bytes; at += kSegment) {
      const std::size_t size = std::min(kSegment, rows.row_bytes - at);
      if (writer.bits() / 8 + max_coded_bytes(size) > capacity) return false;
      put_segment<kPixelBytes>(row + at, size, writer);
    }
  }
  if (part.end == rows.count) writer.end_block();
  part.bits = writer.bits();
  return true;
}

/// Calls f with the bytes of a pixel as a constant.
template <typename F>
auto with_pixel_bytes(std::size_t pixel_bytes, const F& f) {
  using std::integral_constant;
  switch (pixel_bytes) {
    case 3:
      return f(integral_constant<std::size_t, 3>());
    case 4:
      return f(integral_constant<std::size_t, 4>());
    case 6:
      return f(integral_constant<std::size_t, 6>());
    default:
      return f(integral_constant<std::size_t, 8>());
  }
}

void count(const PngRows& rows, std::size_t first, std::size_t end, bool is_sample,
           Counts& counts) {
  with_pixel_bytes(rows.pixel_bytes, [&](auto bytes) {
    count_rows<decltype(bytes)::value>(rows, first, end, is_sample, counts);
  });
}

bool code(const PngRows& rows, const SymbolTables& tables, bool is_last_block,
          DeflateBlock::Part& part, std::uint8_t* out, std::size_t capacity) {
  return with_pixel_bytes(rows.pixel_bytes, [&](auto bytes) {
    return code_part<decltype(bytes)::value>(rows, tables, is_last_block, part, out, capacity);
  });
}

void filter_rows(const PngRows& rows, std::size_t first, std::size_t end,
                 const std::function<void(std::size_t, const std::uint8_t*)>& take) {
  RowReader reader(rows);
  for (std::size_t y = first; y < end; ++y) take(y, reader.row(y));
}

}  // namespace roundel::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace roundel {
namespace {
HWY_EXPORT(count);
HWY_EXPORT(code);
HWY_EXPORT(filter_rows);
HWY_EXPORT(fill_pairs);
}  // namespace

namespace deflate {

void count_rows(const PngRows& rows, std::size_t first, std::size_t end, bool is_sample,
                Counts& counts) {
  HWY_DYNAMIC_DISPATCH(count)(rows, first, end, is_sample, counts);
}

void fill_pairs(SymbolTables& tables) {
  HWY_DYNAMIC_DISPATCH(fill_pairs)(tables);
}

bool code_part(const PngRows& rows, const SymbolTables& tables, bool is_last_block,
               DeflateBlock::Part& part, std::uint8_t* out, std::size_t capacity) {
  return HWY_DYNAMIC_DISPATCH(code)(rows, tables, is_last_block, part, out, capacity);
}

void filter_rows(const PngRows& rows, std::size_t first, std::size_t end,
                 const std::function<void(std::size_t, const std::uint8_t*)>& take) {
  HWY_DYNAMIC_DISPATCH(filter_rows)(rows, first, end, take);
}

}  // namespace deflate
}  // namespace roundel
#endif  // HWY_ONCE
