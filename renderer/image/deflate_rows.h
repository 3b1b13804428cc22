#pragma once
#include <cstddef>
#include <cstdint>
#include <functional>

#include "renderer/image/deflate_block.h"
#include "renderer/image/png_format.h"

/// Loops over the rows of a DeflateBlock, compiled for each vector instruction set.
namespace roundel::deflate {

/// Counts of a sample or of all rows.
struct Counts {
  std::uint32_t symbols[png_format::kNumSymbols] = {};
  std::uint32_t distances[2] = {};  ///< 1 and P

  void add(const Counts& other) {
    for (std::size_t k = 0; k < png_format::kNumSymbols; ++k) symbols[k] += other.symbols[k];
    for (std::size_t k = 0; k < 2; ++k) distances[k] += other.distances[k];
  }
};

/// Bits of a symbol with extra bits and distance, shifted left by 6, and their number in the low 6
/// bits, all that a shift count uses.
using Symbol = std::uint64_t;
inline Symbol make_symbol(std::uint64_t bits, std::uint64_t count) {
  return bits << 6 | count;
}

struct SymbolTables {
  std::uint8_t lengths[png_format::kNumSymbols];
  Symbol literals[257];                                  ///< and the end of the block
  Symbol matches[png_format::kMaxMatchLength + 1];       ///< with the previous pixel
  Symbol byte_matches[png_format::kMaxMatchLength + 1];  ///< with the previous byte
  Symbol pairs[65536];  ///< two literals, the first in the low byte: fill_pairs()

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

/// Capacity for a segment's symbols, in bytes, plus a word, since words are written.
inline std::size_t max_coded_bytes(std::size_t segment_bytes) {
  return (segment_bytes + 1) * png_format::kMaxCodeBits / 8 + 16;
}

/// Adds the symbols of rows [first, end), or of the sample's rows with these numbers.
void count_rows(const PngRows& rows, std::size_t first, std::size_t end, bool is_sample,
                Counts& counts);
void fill_pairs(SymbolTables& tables);
/// Codes a part and sets its bits and checksum. False if it exceeds `capacity` bytes.
bool code_part(const PngRows& rows, const SymbolTables& tables, bool is_last_block,
               DeflateBlock::Part& part, std::uint8_t* out, std::size_t capacity);
/// Calls `take` with each of rows [first, end), filtered.
void filter_rows(const PngRows& rows, std::size_t first, std::size_t end,
                 const std::function<void(std::size_t, const std::uint8_t*)>& take);

}  // namespace roundel::deflate
