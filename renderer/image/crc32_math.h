#pragma once
#include <cstdint>

#include "renderer/base/host_device.h"

/// PNG's CRC-32 as arithmetic, to combine pieces. Bits are the coefficients of a polynomial over
/// GF(2) modulo the CRC's: bit 31 of x^0, bit 0 of x^31. Bits of bytes are in stream order. Without
/// its first and last inversion, a CRC is the sum (exclusive or) of each word times x^(bits from
/// the word's begin to the stream's end).
namespace roundel::crc32 {

inline constexpr std::uint32_t kOne = 1U << 31;

ROUNDEL_HOST_DEVICE constexpr std::uint32_t times_x(std::uint32_t a) {
  return a >> 1 ^ ((0U - (a & 1)) & 0xedb88320U);
}
ROUNDEL_HOST_DEVICE constexpr std::uint32_t product(std::uint32_t a, std::uint32_t b) {
  std::uint32_t sum = 0;
  for (int k = 0; k < 32; ++k, a <<= 1, b = times_x(b)) sum ^= (0U - (a >> 31)) & b;
  return sum;
}
/// Returns x^bits.
ROUNDEL_HOST_DEVICE constexpr std::uint32_t power(std::uint64_t bits) {
  std::uint32_t result = kOne, square = times_x(kOne);
  for (; bits > 0; bits >>= 1, square = product(square, square))
    if (bits & 1) result = product(result, square);
  return result;
}

/// Tables for words of four bytes, the first byte lowest.
struct WordTables {
  std::uint32_t bytes[4][256];  ///< the k-th byte of a word, times x^32

  constexpr WordTables() : bytes{} {
    for (std::uint32_t k = 0; k < 4; ++k)
      for (std::uint32_t value = 0; value < 256; ++value) {
        std::uint32_t a = value;
        for (std::uint32_t bit = 0; bit < 32 - 8 * k; ++bit) a = times_x(a);
        bytes[k][value] = a;
      }
  }
};
/// Appends a word to the CRC `crc`.
ROUNDEL_HOST_DEVICE constexpr std::uint32_t add_word(const std::uint32_t (&bytes)[4][256],
                                                     std::uint32_t crc, std::uint32_t word) {
  crc ^= word;
  return bytes[0][crc & 255] ^ bytes[1][crc >> 8 & 255] ^ bytes[2][crc >> 16 & 255] ^
         bytes[3][crc >> 24];
}

}  // namespace roundel::crc32
