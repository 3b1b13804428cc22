#pragma once
#include <cstddef>
#include <cstdint>
#include <functional>

#include "renderer/image/deflate_block.h"
#include "renderer/image/png_format.h"

/// What goes through the rows of a DeflateBlock, compiled for each vector instruction set.
namespace roundel::deflate {

/// Symbols of a sample, or of all rows.
struct Counts {
  std::uint32_t symbols[png_format::kNumSymbols] = {};
  std::uint32_t distances[2] = {};  ///< 1 and P

  void add(const Counts& other) {
    for (std::size_t k = 0; k < png_format::kNumSymbols; ++k) symbols[k] += other.symbols[k];
    for (std::size_t k = 0; k < 2; ++k) distances[k] += other.distances[k];
  }
};

/// Bits of a symbol, extra bits and distance included, above their number, which has the low six
/// bits: those that count in a shift count.
using Symbol = std::uint64_t;
inline Symbol make_symbol(std::uint64_t bits, std::uint64_t count) {
  return bits << 6 | count;
}

/// The code of a block.
struct SymbolTables {
  std::uint8_t lengths[png_format::kNumSymbols];
  Symbol literals[257];                                ///< and the end of the block
  Symbol matches[png_format::kLongestMatch + 1];       ///< with the pixel before
  Symbol byte_matches[png_format::kLongestMatch + 1];  ///< with the byte before
  Symbol pairs[65536];  ///< of literals, the first one in the low byte: fill_pairs()

  SymbolTables(const Counts& sample, std::size_t pixel_bytes) {
    Counts counts = sample;
    png_format::add_possible(pixel_bytes, counts.symbols);
    png_format::code_lengths(counts.symbols, lengths);
    std::uint32_t codes[png_format::kNumSymbols];
    png_format::make_codes(lengths, codes);
    for (std::size_t k = 0; k <= png_format::kEndOfBlock; ++k)
      literals[k] = make_symbol(codes[k], lengths[k]);
    for (std::size_t k = 1; k <= png_format::piece_pixels(pixel_bytes); ++k) {
      const std::size_t length = k * pixel_bytes, symbol = png_format::length_symbol(length);
      const auto with_distance = [&](std::size_t distance) {
        const png_format::Bits match =
            png_format::match_bits(length, distance, {codes[symbol], lengths[symbol]});
        return make_symbol(match.bits, match.count);
      };
      matches[length] = with_distance(pixel_bytes);
      byte_matches[length] = with_distance(1);
    }
  }
};

/// Bytes of room that a segment's symbols can take, and a word more, which is written at once.
inline std::size_t most_coded(std::size_t segment_bytes) {
  return (segment_bytes + 1) * png_format::kLongestCode / 8 + 16;
}

/// Adds the symbols of rows [first, end), or of the rows of the sample with these numbers.
void count_rows(const PngRows& rows, std::size_t first, std::size_t end, bool is_sample,
                Counts& counts);
void fill_pairs(SymbolTables& tables);
/// False where the part's `room` bytes do not do; sets its bits and checksum.
bool code_part(const PngRows& rows, const SymbolTables& tables, bool is_last_block,
               DeflateBlock::Part& part, std::uint8_t* out, std::size_t room);
/// Gives rows [first, end) to `take`, filtered.
void filter_rows(const PngRows& rows, std::size_t first, std::size_t end,
                 const std::function<void(std::size_t, const std::uint8_t*)>& take);

}  // namespace roundel::deflate
