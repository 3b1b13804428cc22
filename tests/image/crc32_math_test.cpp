#include "renderer/image/crc32_math.h"

#include <gtest/gtest.h>
#include <libdeflate.h>

#include <cstring>
#include <random>
#include <vector>

namespace roundel::crc32 {
namespace {

/// Returns the CRC before the final inversion, and without the initial one.
std::uint32_t crc_of_words(const std::vector<std::uint8_t>& bytes, std::size_t begin,
                           std::size_t end) {
  static constexpr WordTables kTables;
  std::uint32_t crc = 0;
  for (std::size_t at = begin; at < end; at += 4) {
    std::uint32_t word = 0;
    std::memcpy(&word, bytes.data() + at, 4);
    if (at == 0) word = ~word;  // the inversion
    crc = add_word(kTables.bytes, crc, word);
  }
  return crc;
}

TEST(Crc32Math, CombinesCrcsOfPieces) {
  std::mt19937 random(3);
  for (int k = 0; k < 200; ++k) {
    std::vector<std::uint8_t> bytes(4 * (1 + random() % 500));
    for (std::uint8_t& byte : bytes) byte = static_cast<std::uint8_t>(random());
    const std::size_t piece = 4 * (1 + random() % 50);
    std::uint32_t sum = 0;
    for (std::size_t begin = 0; begin < bytes.size(); begin += piece) {
      const std::size_t end = std::min(begin + piece, bytes.size());
      sum ^= product(crc_of_words(bytes, begin, end), power(8 * (bytes.size() - end)));
    }
    ASSERT_EQ(~sum, libdeflate_crc32(0, bytes.data(), bytes.size())) << k;
  }
}

TEST(Crc32Math, LeadingZerosKeepTheCrc) {
  std::vector<std::uint8_t> bytes(64, 0);
  bytes[40] = 17;
  EXPECT_EQ(crc_of_words(bytes, 8, 64), crc_of_words(bytes, 40, 64));
}

TEST(Crc32Math, PowersAreProductsOfX) {
  std::uint32_t a = kOne;
  for (std::uint64_t bits = 0; bits < 100; ++bits, a = times_x(a)) ASSERT_EQ(power(bits), a);
  EXPECT_EQ(power(1'000'000), product(power(999'999), power(1)));
}

}  // namespace
}  // namespace roundel::crc32
