#pragma once
#include <cuda_runtime_api.h>

#include <cstddef>
#include <cstdint>
#include <type_traits>

#include "renderer/image/crc32_math.h"
#include "renderer/image/png_format.h"

/// Stages that pack a picture in device memory as image/png_format.h says, in one block: the data
/// of a file's IDAT chunk.
namespace roundel::cuda {

/// A symbol's bits, above their number in the low six bits.
using PngSymbol = std::uint32_t;
inline constexpr int kMaxPiecePixels = static_cast<int>(png_format::piece_pixels(3));

struct PngSymbols {
  PngSymbol literals[png_format::kEndOfBlock + 1];
  PngSymbol matches[kMaxPiecePixels + 1];       ///< repeat the previous pixel; by number of pixels
  PngSymbol byte_matches[kMaxPiecePixels + 1];  ///< repeat the previous byte
};
/// A picture's code, and what it was made of.
struct PngCode {
  PngSymbols symbols;
  std::uint32_t counts[png_format::kNumSymbols];
  std::uint8_t lengths[png_format::kNumSymbols];
};

inline constexpr std::uint32_t kAdlerModulus = 65521;
/// State once all segments are coded; finally the CRC.
struct PngState {
  std::uint64_t end_bit;  ///< end of the symbols in PngArgs::stream
  /// Sum of the filtered bytes, and their sum weighted by the distance to the end, modulo
  /// kAdlerModulus.
  std::uint64_t sum, weighted_sum;
  std::uint32_t crc;   ///< before its last inversion
  std::uint32_t size;  ///< bytes of IDAT's data
};

/// Bytes that a thread adds to the CRC, threads of a block, bytes of a block.
inline constexpr std::uint32_t kCrcUnit = 16, kCrcUnits = 256, kCrcChunk = kCrcUnit * kCrcUnits;
struct PngPowers {
  crc32::WordTables words;
  std::uint32_t units[kCrcUnits];  ///< [k]: x to the power of k units' bits
};

/// "IDAT", zlib's header, the block's fixed bits.
struct PngFixedWords {
  std::uint32_t words[(48 + png_format::kFixedBits + 31) / 32];
  bool operator==(const PngFixedWords&) const = default;
};

struct PngArgs {
  /// [height · width · pixel_bytes], top row first; aligned to four bytes, readable up to a
  /// multiple of four.
  const std::uint8_t* pixels = nullptr;
  std::uint32_t width = 0, height = 0, pixel_bytes = 3;
  std::uint32_t possible_lengths = 0;  ///< bit k: length symbol 257 + k is possible
  PngFixedWords fixed_words{};         ///< first in the stream
  bool begins_early = false;           ///< all kernels except the first, see launch()
  std::uint32_t* counts = nullptr;     ///< [kNumSymbols], 0 before and after
  PngCode* code = nullptr;
  std::uint64_t* scan_words = nullptr;  ///< [num_segments()], see look_back()
  PngState* state = nullptr;
  PngState* state_copy = nullptr;  ///< in main memory
  /// "IDAT" and its data, from each word's lowest bit on.
  std::uint32_t* stream = nullptr;  ///< [stream_words()]
  const PngPowers* powers = nullptr;
  const std::uint32_t* chunks = nullptr;  ///< [num_chunks()], [k]: x to the power of k chunks' bits

  bool operator==(const PngArgs&) const = default;
  ROUNDEL_HOST_DEVICE std::uint64_t row_bytes() const {  // with the filter byte
    return std::uint64_t{width} * pixel_bytes + 1;
  }
  ROUNDEL_HOST_DEVICE std::uint64_t filtered_bytes() const { return height * row_bytes(); }
  ROUNDEL_HOST_DEVICE std::uint32_t row_segments() const {
    constexpr auto kPixels = static_cast<std::uint32_t>(png_format::kSegmentPixels);
    return (width + kPixels - 1) / kPixels;
  }
  ROUNDEL_HOST_DEVICE std::uint32_t num_segments() const { return height * row_segments(); }
  /// Bytes before IDAT's data; before the block.
  static constexpr std::uint32_t kType = 4, kBlock = kType + 2;
  static constexpr std::uint32_t kAdler = 4;
  /// First bit of the first segment in the stream.
  ROUNDEL_HOST_DEVICE std::uint32_t first_bit() const {
    return static_cast<std::uint32_t>(std::size_t{8} * kBlock +
                                      png_format::header_bits(pixel_bytes));
  }
  /// Bytes of the stream if the block is stored, which is the maximum.
  ROUNDEL_HOST_DEVICE std::uint64_t max_bytes() const {
    return kBlock + png_format::stored_bytes(filtered_bytes()) + kAdler;
  }
  ROUNDEL_HOST_DEVICE std::uint32_t stream_words() const {  // a word past the end may be read
    return static_cast<std::uint32_t>(max_bytes() / 4 + 2);
  }
  ROUNDEL_HOST_DEVICE std::uint32_t num_chunks() const {
    return static_cast<std::uint32_t>((max_bytes() + kCrcChunk - 1) / kCrcChunk);
  }
};

/// f(bytes of a pixel) with a constant: 3, 4, 6 or 8.
template <typename F>
auto with_pixel_bytes(std::uint32_t pixel_bytes, const F& f) {
  switch (pixel_bytes) {
    case 3:
      return f(std::integral_constant<int, 3>());
    case 4:
      return f(std::integral_constant<int, 4>());
    case 6:
      return f(std::integral_constant<int, 6>());
    default:
      return f(std::integral_constant<int, 8>());
  }
}

void count_sample(const PngArgs& args, cudaStream_t stream);
/// Makes the code and the block's header; clears what later stages add to.
void make_code(const PngArgs& args, cudaStream_t stream);
void code_segments(const PngArgs& args, cudaStream_t stream);
/// Stores the block if that is smaller; ends the stream and makes its CRC.
void end_stream(const PngArgs& args, cudaStream_t stream);
/// Runs all stages, then copies the state to main memory.
void pack_png(const PngArgs& args, cudaStream_t stream);

}  // namespace roundel::cuda
