#include "renderer/image/deflate_block.h"

#include <libdeflate.h>
#include <tbb/parallel_for.h>
#include <zlib.h>

#include <algorithm>
#include <atomic>
#include <bit>
#include <cstring>
#include <functional>
#include <memory>
#include <type_traits>

#include "renderer/image/png_format.h"

// Parts of 512 KiB are coded in parallel, two pixels at a time, and put together bit by bit.
// Nothing depends on the number of threads or on the processor; the test Png.BytesAreKnown stands
// guard.
//
// Highway compiles what goes through pixels once for each instruction set: those with BMI2 shift
// without the detour through one fixed register, which takes a third of the time away.
#define HWY_DISABLED_TARGETS (ROUNDEL_DISABLED_TARGETS | HWY_SSE4 | HWY_AVX3)
#define HWY_TARGET_INCLUDE "renderer/image/deflate_block.cpp"
#include "renderer/base/each_highway_target.h"

#ifndef ROUNDEL_DEFLATE_BLOCK
#define ROUNDEL_DEFLATE_BLOCK
namespace roundel {
namespace deflate {

namespace format = png_format;

/// Symbols of a sample, or of all rows.
struct Counts {
  std::uint32_t symbols[format::kNumSymbols] = {};
  std::uint32_t distances[2] = {};  ///< 1 and P

  void add(const Counts& other) {
    for (std::size_t k = 0; k < format::kNumSymbols; ++k) symbols[k] += other.symbols[k];
    for (std::size_t k = 0; k < 2; ++k) distances[k] += other.distances[k];
  }
};

/// Bits of a symbol, extra bits and distance included, above their number, which has the low six
/// bits: those that count in a shift count.
using Symbol = std::uint64_t;
inline Symbol make_symbol(std::uint64_t bits, std::uint64_t count) {
  return bits << 6 | count;
}
HWY_INLINE std::uint64_t bits_of(Symbol symbol) {
  return symbol >> 6;
}
HWY_INLINE std::uint64_t count_of(Symbol symbol) {
  return symbol & 63;
}

/// The code of a block.
struct SymbolTables {
  std::uint8_t lengths[format::kNumSymbols];
  Symbol literals[257];                            ///< and the end of the block
  Symbol matches[format::kLongestMatch + 1];       ///< with the pixel before
  Symbol byte_matches[format::kLongestMatch + 1];  ///< with the byte before
  Symbol pairs[65536];  ///< of literals, the first one in the low byte: fill_pairs()

  SymbolTables(const Counts& sample, std::size_t pixel_bytes) {
    Counts counts = sample;
    format::add_possible(pixel_bytes, counts.symbols);
    format::code_lengths(counts.symbols, lengths);
    std::uint32_t codes[format::kNumSymbols];
    format::make_codes(lengths, codes);
    for (std::size_t k = 0; k <= format::kEndOfBlock; ++k)
      literals[k] = make_symbol(codes[k], lengths[k]);
    for (std::size_t k = 1; k <= format::piece_pixels(pixel_bytes); ++k) {
      const std::size_t length = k * pixel_bytes, symbol = format::length_symbol(length);
      const auto with_distance = [&](std::size_t distance) {
        const format::Bits match =
            format::match_bits(length, distance, {codes[symbol], lengths[symbol]});
        return make_symbol(match.bits, match.count);
      };
      matches[length] = with_distance(pixel_bytes);
      byte_matches[length] = with_distance(1);
    }
  }
};

/// Bytes of room that a segment's symbols can take, and a word more, which is written at once.
inline std::size_t most_coded(std::size_t segment_bytes) {
  return (segment_bytes + 1) * format::kLongestCode / 8 + 16;
}

}  // namespace deflate
}  // namespace roundel
#endif

HWY_BEFORE_NAMESPACE();
namespace roundel::HWY_NAMESPACE {

using namespace deflate;  // NOLINT: its other half

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

/// Bytes of the run that begins with two pixels at `pixel`.
template <std::size_t kPixelBytes>
HWY_INLINE std::size_t run_length(const std::uint8_t* pixel, const std::uint8_t* end) {
  const auto most = static_cast<std::size_t>(end - pixel);
  const auto differing_at = [&](std::size_t at) {
    return load_word(pixel + at) ^ load_word(pixel + at - kPixelBytes);
  };
  constexpr std::size_t kLong = 96;  // most runs are shorter
  std::size_t length = 2 * kPixelBytes;
  while (length < most) {
    while (length >= kLong && length + 32 <= most &&
           (differing_at(length) | differing_at(length + 8) | differing_at(length + 16) |
            differing_at(length + 24)) == 0)
      length += 32;
    const std::uint64_t differing = differing_at(length);
    if (differing != 0) {
      length += static_cast<std::size_t>(std::countr_zero(differing)) / 8;
      break;
    }
    length += sizeof(differing);
  }
  length = std::min(length, most);
  return length - length % kPixelBytes;
}

/// A segment's tokens to the sink: run(bytes, is_one_byte), one_pixel(word) and two_pixels(word),
/// which are literals in the low bytes.
template <std::size_t kPixelBytes, typename Sink>
HWY_INLINE void put_segment(const std::uint8_t* pixel, std::size_t size, Sink& sink) {
  constexpr std::uint64_t kFirst = low_pixels<1, kPixelBytes>();
  // Where these bytes equal those before, a run may begin at the second pixel.
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
      // The pixel moved on by a byte is itself where all its bytes are equal.
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

/// run() by pieces.
template <std::size_t kPixelBytes, typename Put>
HWY_INLINE void put_pieces(std::size_t length, const Put& put) {
  constexpr std::size_t kPiece = format::piece_pixels(kPixelBytes) * kPixelBytes;
  for (; length >= kPiece; length -= kPiece) put(kPiece);
  if (length > 0) put(length);
}

template <std::size_t kPixelBytes>
struct SymbolCounter {
  Counts& counts;

  void literals(std::uint64_t word, std::size_t count) {
    for (std::size_t k = 0; k < count; ++k, word >>= 8) ++counts.symbols[word & 255];
  }
  void one_pixel(std::uint64_t word) { literals(word, kPixelBytes); }
  void two_pixels(std::uint64_t word) { literals(word, 2 * kPixelBytes); }
  void run(std::size_t length, bool is_one_byte) {
    put_pieces<kPixelBytes>(length, [&](std::size_t piece) {
      ++counts.symbols[format::length_symbol(piece)];
      ++counts.distances[!is_one_byte];
    });
  }
};

/// Writes symbols, the first in the low bits of the first byte, where there is room for them.
template <std::size_t kPixelBytes>
class SymbolWriter {
 public:
  SymbolWriter(std::uint8_t* out, const SymbolTables& tables)
      : tables_(tables), begin_(out), out_(out) {}

  static constexpr std::uint64_t kMostBits = 56;
  /// At most kMostBits.
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
  /// Each of at most 30 bits.
  HWY_INLINE void put_all(Symbol a, Symbol b, Symbol c) {
    const std::uint64_t two = count_of(a) + count_of(b), three = two + count_of(c);
    if (three > kMostBits) {  // rare
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

/// Goes through rows, filtering them on the way where they are not.
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
  SymbolCounter<kPixelBytes> counter{counts};
  RowReader reader(rows);
  for (std::size_t k = first; k < end; ++k) {
    const std::size_t y = is_sample ? format::sample_row(static_cast<std::uint32_t>(k)) : k;
    if (y >= rows.count) return;
    const std::uint8_t* const row = reader.row(y);
    counter.literals(row[0], 1);
    for (std::size_t at = 1; at < rows.row_bytes; at += kSegment)
      put_segment<kPixelBytes>(row + at, std::min(kSegment, rows.row_bytes - at), counter);
  }
}

/// False where the part's `room` bytes do not do; sets its bits and checksum.
template <std::size_t kPixelBytes>
bool code_part(const PngRows& rows, const SymbolTables& tables, bool is_last_block,
               DeflateBlock::Part& part, std::uint8_t* out, std::size_t room) {
  constexpr std::size_t kSegment = format::kSegmentPixels * kPixelBytes;
  SymbolWriter<kPixelBytes> writer(out, tables);
  if (part.first == 0) {
    format::put_header(tables.lengths, kPixelBytes, is_last_block,
                       [&](std::uint32_t bits, unsigned count) { writer.put(bits, count); });
  }
  RowReader reader(rows);
  part.adler = 1;
  for (std::size_t y = part.first; y < part.end; ++y) {
    const std::uint8_t* const row = reader.row(y);
    part.adler = libdeflate_adler32(part.adler, row, rows.row_bytes);
    writer.literal(row[0]);
    for (std::size_t at = 1; at < rows.row_bytes; at += kSegment) {
      const std::size_t size = std::min(kSegment, rows.row_bytes - at);
      if (writer.bits() / 8 + most_coded(size) > room) return false;
      put_segment<kPixelBytes>(row + at, size, writer);
    }
  }
  if (part.end == rows.count) writer.end_block();
  part.bits = writer.bits();
  return true;
}

/// f(bytes of a pixel) with a constant.
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
          DeflateBlock::Part& part, std::uint8_t* out, std::size_t room) {
  return with_pixel_bytes(rows.pixel_bytes, [&](auto bytes) {
    return code_part<decltype(bytes)::value>(rows, tables, is_last_block, part, out, room);
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
using namespace deflate;  // NOLINT: its other half

HWY_EXPORT(count);
HWY_EXPORT(code);
HWY_EXPORT(filter_rows);
HWY_EXPORT(fill_pairs);

constexpr std::size_t kPartBytes = std::size_t{1} << 19;

/// Sums over [0, count) in pieces of `piece`, each of which adds to counts of its own.
template <typename Add>
Counts sum_counts(std::size_t count, std::size_t piece, const Add& add) {
  const std::size_t pieces = (count + piece - 1) / piece;
  std::vector<Counts> counts(pieces);
  tbb::parallel_for(std::size_t{0}, pieces, [&](std::size_t k) {
    add(k * piece, std::min(count, (k + 1) * piece), counts[k]);
  });
  for (std::size_t k = 1; k < pieces; ++k) counts[0].add(counts[k]);
  return counts[0];
}

/// Of the block's header, symbols and end.
std::uint64_t coded_bits(const Counts& all, const SymbolTables& tables, std::size_t pixel_bytes) {
  std::uint64_t bits = format::header_bits(pixel_bytes) + tables.lengths[format::kEndOfBlock];
  for (std::size_t k = 0; k < format::kNumSymbols; ++k)
    bits += std::uint64_t{all.symbols[k]} * (tables.lengths[k] + format::extra_bits(k));
  return bits + all.distances[0] +
         std::uint64_t{all.distances[1]} * format::distance_bit_count(pixel_bytes);
}

/// Copies whole bytes out of `in`, moved up by `shift` bits, to `out`: bytes [first, end) of them.
void copy_shifted(std::uint8_t* out, const std::uint8_t* in, std::size_t first, std::size_t end,
                  unsigned shift) {
  if (shift == 0) {
    if (end > first) std::memcpy(out + first, in + first, end - first);
    return;
  }
  std::size_t k = first;
  for (; k + 8 <= end; k += 8) {
    std::uint64_t word = 0;
    std::memcpy(&word, in + k, 8);
    word = word << shift | static_cast<unsigned>(in[k - 1] >> (8 - shift));
    std::memcpy(out + k, &word, 8);
  }
  for (; k < end; ++k)
    out[k] = static_cast<std::uint8_t>(in[k] << shift | in[k - 1] >> (8 - shift));
}

}  // namespace

DeflateBlock::DeflateBlock(const PngRows& rows, bool is_last) : rows_(rows), is_last_(is_last) {
  const auto count_rows = HWY_DYNAMIC_DISPATCH(count);
  const auto code_rows = HWY_DYNAMIC_DISPATCH(code);
  const std::size_t part_rows = std::max<std::size_t>(kPartBytes / rows.row_bytes, 1);
  const Counts sample = sum_counts(
      (rows.count + 7) / 8, part_rows,
      [&](std::size_t k, std::size_t end, Counts& sum) { count_rows(rows, k, end, true, sum); });
  const auto tables = std::make_unique<SymbolTables>(sample, rows.pixel_bytes);
  HWY_DYNAMIC_DISPATCH(fill_pairs)(*tables);

  for (std::size_t y = 0; y < rows.count; y += part_rows)
    parts_.push_back({y, std::min(rows.count, y + part_rows)});
  // Room for the rows as they are, and that of a segment more.
  const std::size_t segment =
      std::min(rows.row_bytes, format::kSegmentPixels * rows.pixel_bytes + 1);
  const std::size_t slack = most_coded(segment) + 256;
  const auto code_all = [&](std::size_t times) {
    const std::size_t room = times * part_rows * rows.row_bytes + slack;
    std::atomic<bool> fits = true;
    tbb::parallel_for(std::size_t{0}, parts_.size(), [&](std::size_t k) {
      if (!fits) return;
      Buffer<std::uint8_t> coded(room);
      if (!code_rows(rows, *tables, is_last, parts_[k], coded.data(), room)) {
        fits = false;
        return;
      }
      // Most parts need little of the room, and new memory takes as long as coding does. The byte
      // behind the last bits, all zeros, is read when the parts are moved up by up to seven bits.
      parts_[k].coded = Buffer<std::uint8_t>(parts_[k].bits / 8 + 2);
      std::copy_n(coded.data(), parts_[k].coded.size(), parts_[k].coded.data());
    });
    return fits.load();
  };
  const std::size_t stored = format::stored_bytes(rows.size());
  if (code_all(1)) {
    std::uint64_t bits = 0;
    for (const Part& part : parts_) bits += part.bits;
    size_ = format::coded_bytes(bits, is_last);
  } else {
    const Counts all = sum_counts(
        rows.count, part_rows,
        [&](std::size_t y, std::size_t end, Counts& sum) { count_rows(rows, y, end, false, sum); });
    size_ = format::coded_bytes(coded_bits(all, *tables, rows.pixel_bytes), is_last);
    if (size_ <= stored) code_all(2);  // no code has over 15 bits
  }
  if (size_ <= stored) return;
  is_stored_ = true;
  size_ = stored;
  const auto filter = HWY_DYNAMIC_DISPATCH(filter_rows);
  tbb::parallel_for(std::size_t{0}, parts_.size(), [&](std::size_t k) {
    parts_[k].coded = {};
    parts_[k].adler = 1;
    filter(rows, parts_[k].first, parts_[k].end, [&](std::size_t, const std::uint8_t* row) {
      parts_[k].adler = libdeflate_adler32(parts_[k].adler, row, rows.row_bytes);
    });
  });
}

std::uint32_t DeflateBlock::adler(std::uint32_t before) const {
  uLong sum = before;
  for (const Part& part : parts_) {
    sum = adler32_combine(sum, part.adler,
                          static_cast<z_off_t>((part.end - part.first) * rows_.row_bytes));
  }
  return static_cast<std::uint32_t>(sum);
}

void DeflateBlock::write(std::uint8_t* out) const {
  if (is_stored_) {
    write_stored(out);
  } else {
    write_coded(out);
  }
}

void DeflateBlock::write_coded(std::uint8_t* out) const {
  // Whole bytes in parallel; then those that parts share, and the end.
  std::vector<std::uint64_t> begins(parts_.size() + 1);  // bits
  for (std::size_t k = 0; k < parts_.size(); ++k) begins[k + 1] = begins[k] + parts_[k].bits;
  tbb::parallel_for(std::size_t{0}, parts_.size(), [&](std::size_t k) {
    const unsigned shift = begins[k] % 8;
    const std::uint64_t byte = begins[k] / 8;
    copy_shifted(out + byte, parts_[k].coded.data(), shift > 0, begins[k + 1] / 8 - byte, shift);
  });
  for (const std::uint64_t begin : begins)
    if (begin % 8 > 0) out[begin / 8] = 0;
  for (std::size_t k = 0; k < parts_.size(); ++k) {
    const std::uint8_t* const in = parts_[k].coded.data();
    const unsigned shift = begins[k] % 8;
    const std::uint64_t byte = begins[k] / 8, bytes = begins[k + 1] / 8 - byte;
    if (shift > 0) out[byte] |= static_cast<std::uint8_t>(in[0] << shift);
    if (begins[k + 1] % 8 == 0 || (bytes == 0 && shift > 0)) continue;
    out[byte + bytes] |= static_cast<std::uint8_t>(in[bytes] << shift |
                                                   (shift > 0 ? in[bytes - 1] >> (8 - shift) : 0));
  }
  const std::size_t end = (begins.back() + 7) / 8;
  std::memset(out + end, 0, size_ - end);
  if (!is_last_) out[size_ - 1] = out[size_ - 2] = 0xff;  // of no stored bytes
}

void DeflateBlock::write_stored(std::uint8_t* out) const {
  const auto filter = HWY_DYNAMIC_DISPATCH(filter_rows);
  const std::size_t size = rows_.size();
  const auto copy_row = [&](std::size_t y, const std::uint8_t* row) {
    std::size_t at = y * rows_.row_bytes;
    for (std::size_t left = rows_.row_bytes; left > 0;) {
      const std::size_t piece = at / format::kMaxStored, inside = at % format::kMaxStored;
      std::uint8_t* const header = out + format::kStoredHeader * piece + at;
      if (inside == 0) {
        const std::size_t length = std::min(format::kMaxStored, size - at);
        for (std::size_t k = 0; k < format::kStoredHeader; ++k)
          header[k] = format::stored_header(k, length, is_last_ && at + length == size);
      }
      const std::size_t count = std::min(left, format::kMaxStored - inside);
      std::memcpy(header + format::kStoredHeader, row, count);
      row += count;
      at += count;
      left -= count;
    }
  };
  tbb::parallel_for(std::size_t{0}, parts_.size(), [&](std::size_t k) {
    filter(rows_, parts_[k].first, parts_[k].end, copy_row);
  });
}

}  // namespace roundel
#endif  // HWY_ONCE
