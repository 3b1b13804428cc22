#pragma once
#include <algorithm>
#include <cstddef>
#include <cstdint>

#include "renderer/base/host_device.h"

/// Exact packing of this program's PNG files: all encoders write equal pixels as equal bytes.
/// Thousands of threads can do it, too.
///
/// **Pixels.** RGB or RGBA of 8 or 16 bits (big-endian): P = 3, 4, 6 or 8 bytes. Every row has the
/// filter Up; the row above the first one is 0.
///
/// **Chunks.** IHDR, sRGB (perceptual), tEXt four times, IDAT, IEND. Up to kMaxIdatBytes filtered
/// bytes are one IDAT; larger pictures have one for each block. The zlib stream begins with 78 01.
///
/// **Blocks.** block_rows() rows make a block, the last one has the rest; up to kBlockBytes
/// filtered bytes are one block. A block is coded, or stored if that is smaller (coded_bytes() >
/// stored_bytes()). Blocks begin at whole bytes: a coded one that is not the last ends with an
/// empty stored block.
///
/// **Tokens.** A row is cut into segments of kSegmentPixels pixels, each coded alone. The filter
/// byte is a literal before the first segment. A segment's first pixel is P literals. Two or more
/// consecutive pixels whose filtered bytes equal those of the previous pixel form a run; all others
/// are P literals. A run is cut into pieces of piece_pixels(); the last piece has the rest
/// (possibly one pixel). A piece is a match: with distance 1 if the pixel's bytes are all equal,
/// else with distance P.
///
/// **Code.** A coded block is one dynamic block of deflate (RFC 1951). Its literal and length code
/// is the code_lengths() of the symbols of its rows sample_row(0), sample_row(1)…, plus one for
/// each possible symbol: all literals, the end, lengths k·P of a piece. Distances 1 and P have one
/// bit each. Code lengths have four bits each, without repetition codes, so that the header has
/// header_bits().
namespace roundel::png_format {

inline constexpr std::size_t kSegmentPixels = 1024;
inline constexpr std::size_t kMaxMatchLength = 258;
inline constexpr std::size_t kNumSymbols = 286;  ///< literals, the end of the block, 29 lengths
inline constexpr std::size_t kEndOfBlock = 256;
inline constexpr unsigned kMaxCodeBits = 15;  ///< bits
inline constexpr std::size_t kBlockBytes = std::size_t{64} << 20;
inline constexpr std::uint64_t kMaxIdatBytes = 2'000'000'000;  ///< limit of stb_image_write
inline constexpr std::uint8_t kFilterUp = 2;
inline constexpr std::uint8_t kZlibHeader[2] = {0x78, 0x01};
inline constexpr std::size_t kMaxStored = 65535;  ///< bytes of a stored block

ROUNDEL_HOST_DEVICE constexpr std::size_t piece_pixels(std::size_t pixel_bytes) {
  return kMaxMatchLength / pixel_bytes;
}

/// `row_bytes` includes the filter byte.
ROUNDEL_HOST_DEVICE constexpr std::size_t block_rows(std::size_t row_bytes) {
  return row_bytes < kBlockBytes ? kBlockBytes / row_bytes : 1;
}

/// The row of the k-th group of eight that is in the sample, if the block has it. Its place in the
/// group varies, because pictures have grids.
ROUNDEL_HOST_DEVICE constexpr std::size_t sample_row(std::uint32_t k) {
  return std::size_t{8} * k + ((k * 2654435769U) >> 29);
}

/// Symbol of a match of 3 to 258 bytes (RFC 1951, 3.2.5). Its extra bits are the low extra_bits()
/// of length - 3.
ROUNDEL_HOST_DEVICE constexpr std::size_t length_symbol(std::size_t length) {
  if (length == kMaxMatchLength) return 285;
  std::size_t rest = length - 3, extra = 0;
  if (rest < 8) return 257 + rest;
  while (rest >> extra >= 8) ++extra;
  return 257 + 4 * extra + (rest >> extra);
}
ROUNDEL_HOST_DEVICE constexpr unsigned extra_bits(std::size_t symbol) {
  return symbol < 265 || symbol == 285 ? 0 : static_cast<unsigned>((symbol - 261) / 4);
}

/// Adds one to each possible symbol, since a sample may lack it.
ROUNDEL_HOST_DEVICE constexpr void add_possible(std::size_t pixel_bytes,
                                                std::uint32_t (&counts)[kNumSymbols]) {
  for (std::size_t symbol = 0; symbol <= kEndOfBlock; ++symbol) ++counts[symbol];
  std::size_t last = 0;
  for (std::size_t k = 1; k <= piece_pixels(pixel_bytes); ++k) {
    const std::size_t symbol = length_symbol(k * pixel_bytes);
    if (symbol != last) ++counts[symbol];
    last = symbol;
  }
}

/// Distance symbols of the header, up to that of distance P.
ROUNDEL_HOST_DEVICE constexpr std::size_t num_distances(std::size_t pixel_bytes) {
  return pixel_bytes <= 4 ? pixel_bytes : pixel_bytes <= 6 ? 5 : 6;
}
/// Bits of a distance, first one lowest, and their number. Distance 1 is 0. Distance P is 1, and an
/// extra bit if P > 4: it is the second distance of the symbols for 5, 6 and 7, 8.
ROUNDEL_HOST_DEVICE constexpr unsigned distance_bits(std::size_t distance) {
  return distance == 1 ? 0 : distance <= 4 ? 1 : 3;
}
ROUNDEL_HOST_DEVICE constexpr unsigned distance_bit_count(std::size_t distance) {
  return distance <= 4 ? 1 : 2;
}

ROUNDEL_HOST_DEVICE constexpr std::uint32_t reversed(std::uint32_t bits, unsigned count) {
  std::uint32_t result = 0;
  for (unsigned k = 0; k < count; ++k, bits >>= 1) result = result << 1 | (bits & 1);
  return result;
}

/// Lengths of an optimal code of at most kMaxCodeBits bits, by package-merge (Larmore & Hirschberg
/// 1990); unused symbols have 0. Requires two symbols or more, and a sum of counts below 2^28.
/// Leaves are ordered by (count, symbol), and come before packages of equal weight.
inline void code_lengths(const std::uint32_t (&counts)[kNumSymbols],
                         std::uint8_t (&lengths)[kNumSymbols]) {
  std::uint64_t leaves[kNumSymbols];  // count, then symbol
  std::size_t n = 0;
  for (std::size_t symbol = 0; symbol < kNumSymbols; ++symbol) {
    lengths[symbol] = 0;
    if (counts[symbol] > 0) leaves[n++] = std::uint64_t{counts[symbol]} << 16 | symbol;
  }
  std::sort(leaves, leaves + n);
  // A level's list merges the leaves with pairs of the lower level's list.
  std::uint32_t list[2 * kNumSymbols], below[2 * kNumSymbols];
  bool is_leaf[kMaxCodeBits][2 * kNumSymbols];
  std::size_t size = 0;
  for (auto& level : is_leaf) {
    std::copy(list, list + size, below);
    const std::size_t packages = size / 2;
    size = n + packages;
    for (std::size_t k = 0, leaf = 0, package = 0; k < size; ++k) {
      const std::uint32_t package_weight =
          package < packages ? below[2 * package] + below[2 * package + 1] : 0;
      level[k] = package == packages || (leaf < n && leaves[leaf] >> 16 <= package_weight);
      list[k] = level[k] ? static_cast<std::uint32_t>(leaves[leaf++] >> 16) : package_weight;
      package += !level[k];
    }
  }
  // A leaf's length is the number of lists that have it among the items of the first 2n - 2 items
  // of the last list. These are the first items of every list.
  std::size_t taken = 2 * n - 2;
  for (std::size_t level = kMaxCodeBits; level-- > 0;) {
    std::size_t num_leaves = 0;
    for (std::size_t k = 0; k < taken; ++k) num_leaves += is_leaf[level][k];
    for (std::size_t k = 0; k < num_leaves; ++k) ++lengths[leaves[k] & 0xffff];
    taken = 2 * (taken - num_leaves);
  }
}

/// Canonical code of these lengths (RFC 1951, 3.2.2), first bits lowest.
inline void make_codes(const std::uint8_t (&lengths)[kNumSymbols],
                       std::uint32_t (&codes)[kNumSymbols]) {
  std::uint32_t next[kMaxCodeBits + 2] = {};
  for (const std::uint8_t length : lengths) next[length + 1] += length > 0;
  for (unsigned length = 1; length <= kMaxCodeBits; ++length)
    next[length + 1] = (next[length + 1] + next[length]) << 1;
  for (std::size_t symbol = 0; symbol < kNumSymbols; ++symbol)
    codes[symbol] = lengths[symbol] > 0 ? reversed(next[lengths[symbol]]++, lengths[symbol]) : 0;
}

/// Bits, the first one lowest, and their number.
struct Bits {
  std::uint32_t bits;
  unsigned count;
};
/// Appends extra bits and distance to the code of a match.
ROUNDEL_HOST_DEVICE constexpr Bits match_bits(std::size_t length, std::size_t distance, Bits code) {
  const unsigned extra = extra_bits(length_symbol(length));
  const auto rest = static_cast<std::uint32_t>(length - 3) & ((1U << extra) - 1);
  const unsigned count = code.count + extra;
  return {code.bits | rest << code.count | distance_bits(distance) << count,
          count + distance_bit_count(distance)};
}

/// Bits of a coded block before its header_lengths() lengths: kind, numbers of codes, and code of
/// code lengths.
inline constexpr unsigned kFixedBits = 3 + 5 + 5 + 4 + 19 * 3;
ROUNDEL_HOST_DEVICE constexpr std::size_t header_lengths(std::size_t pixel_bytes) {
  return kNumSymbols + num_distances(pixel_bytes);
}
ROUNDEL_HOST_DEVICE constexpr std::size_t header_bits(std::size_t pixel_bytes) {
  return kFixedBits + 4 * header_lengths(pixel_bytes);
}
/// Calls put(bits, count), first bit lowest.
template <typename Put>
ROUNDEL_HOST_DEVICE constexpr void put_fixed_bits(std::size_t pixel_bytes, bool is_last,
                                                  const Put& put) {
  put(is_last ? 1U : 0U, 1);
  put(2U, 2);  // dynamic
  put(static_cast<std::uint32_t>(kNumSymbols - 257), 5);
  put(static_cast<std::uint32_t>(num_distances(pixel_bytes) - 1), 5);
  put(19U - 4, 4);
  // The repetitions 16, 17 and 18 come first, without a code; 0 to 15 have four bits.
  for (unsigned k = 0; k < 19; ++k) put(k < 3 ? 0U : 4U, 3);
}
/// Four bits of the header's k-th length.
ROUNDEL_HOST_DEVICE constexpr std::uint32_t header_length(
    std::size_t k, const std::uint8_t (&lengths)[kNumSymbols], std::size_t pixel_bytes) {
  const bool is_distance =
      k == kNumSymbols || k == kNumSymbols + num_distances(pixel_bytes) - 1;  // 1 or P
  return reversed(k < kNumSymbols ? lengths[k] : is_distance ? 1 : 0, 4);
}
template <typename Put>
ROUNDEL_HOST_DEVICE constexpr void put_header(const std::uint8_t (&lengths)[kNumSymbols],
                                              std::size_t pixel_bytes, bool is_last,
                                              const Put& put) {
  put_fixed_bits(pixel_bytes, is_last, put);
  for (std::size_t k = 0; k < header_lengths(pixel_bytes); ++k)
    put(header_length(k, lengths, pixel_bytes), 4);
}

/// Bytes of a coded block; `bits` include header and end.
ROUNDEL_HOST_DEVICE constexpr std::size_t coded_bytes(std::uint64_t bits, bool is_last) {
  return static_cast<std::size_t>(is_last ? (bits + 7) / 8 : (bits + 3 + 7) / 8 + 4);
}
/// The k-th byte of the header of a stored block of at most kMaxStored bytes.
inline constexpr std::size_t kStoredHeader = 5;
ROUNDEL_HOST_DEVICE constexpr std::uint8_t stored_header(std::size_t k, std::size_t size,
                                                         bool is_last) {
  if (k == 0) return is_last;
  const std::size_t word = k <= 2 ? size : ~size;
  return static_cast<std::uint8_t>(k % 2 == 1 ? word : word >> 8);
}

ROUNDEL_HOST_DEVICE constexpr std::size_t stored_bytes(std::size_t size) {
  return size + kStoredHeader * ((size + kMaxStored - 1) / kMaxStored);
}

/// Upper bound for all blocks of a picture.
ROUNDEL_HOST_DEVICE constexpr std::size_t max_bytes(std::size_t rows, std::size_t row_bytes) {
  const std::size_t blocks = rows / block_rows(row_bytes) + 1;
  return stored_bytes(rows * row_bytes) + 5 * blocks;
}

}  // namespace roundel::png_format
