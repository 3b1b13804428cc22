#include "renderer/pixels/quantize.h"

#include <gtest/gtest.h>
#include <tbb/blocked_range.h>
#include <tbb/parallel_reduce.h>

#include <bit>
#include <cmath>
#include <cstdint>
#include <limits>

namespace roundel {
namespace {

/// 255·c + ½ of a binary32 c >= 2⁻²⁰ has at most 24 + 8 + 20 significant bits, so binary64 holds it
/// exactly; below that, the sum rounds to a value still below 1.
int exact(float c) {
  return static_cast<int>(std::floor(static_cast<double>(c) * 255.0 + 0.5));
}

/// Returns how many of the floats with bit patterns first, first + stride and so on, below last,
/// are rounded wrongly.
std::uint64_t count_wrong(std::uint32_t first, std::uint32_t last, std::uint32_t stride) {
  return tbb::parallel_reduce(
      tbb::blocked_range<std::uint32_t>(0, (last - first + stride - 1) / stride), std::uint64_t{0},
      [&](const tbb::blocked_range<std::uint32_t>& range, std::uint64_t count) {
        for (std::uint32_t k = range.begin(); k < range.end(); ++k) {
          const float c = std::bit_cast<float>(first + k * stride);
          count += quantize(c) != exact(c) || quantize_by_fma(c) != exact(c) ? 1 : 0;
        }
        return count;
      },
      [](std::uint64_t a, std::uint64_t b) { return a + b; });
}

TEST(Quantize, FloatsUpTo1AreRoundedExactly) {
  constexpr std::uint32_t kSampled = 251;
#if defined(NDEBUG) && !defined(ROUNDEL_SANITIZED)
  constexpr std::uint32_t kStride = 1;
#else
  constexpr std::uint32_t kStride = kSampled;  // an unoptimised or instrumented build
#endif
  // Five of six floats are far below the first step, at 1/510: a sample of those.
  constexpr auto kTiny = std::bit_cast<std::uint32_t>(0x1p-20f);
  EXPECT_EQ(count_wrong(0, kTiny, kSampled), 0U);
  EXPECT_EQ(count_wrong(kTiny, std::bit_cast<std::uint32_t>(1.0f) + 1, kStride), 0U);
}

TEST(Quantize, BothSidesOfEveryStepAreExact) {
  for (int code = 1; code <= 255; ++code) {
    float c = static_cast<float>((code - 0.5) / 255);
    for (int k = 0; k < 8; ++k) c = std::nextafter(c, 0.0f);
    for (int k = 0; k < 16; ++k, c = std::nextafter(c, 2.0f)) ASSERT_EQ(quantize(c), exact(c)) << c;
  }
}

TEST(Quantize, TheNaiveFormulaIsNotExact) {
  // The reason for the correction step, and a proof that these tests can fail.
  std::uint64_t wrong = 0;
  for (int code = 1; code <= 255; ++code) {
    float c = static_cast<float>((code - 0.5) / 255);
    for (int k = 0; k < 8; ++k) c = std::nextafter(c, 0.0f);
    for (int k = 0; k < 16; ++k, c = std::nextafter(c, 2.0f)) {
      wrong += static_cast<int>(c * 255.0f + 0.5f) != exact(c) ? 1 : 0;
    }
  }
  EXPECT_GT(wrong, 0U);
}

TEST(Quantize, ClampsTo0And1) {
  for (float c :
       {0.0f, -0.0f, -1e-45f, -0.5f, -1.0f, -1e30f, -std::numeric_limits<float>::infinity()}) {
    EXPECT_EQ(quantize(c), 0) << c;
    EXPECT_EQ(quantize_by_fma(c), 0) << c;
  }
  for (float c : {1.0f, std::nextafter(1.0f, 2.0f), 1.5f, 256.0f, 1e30f,
                  std::numeric_limits<float>::infinity()}) {
    EXPECT_EQ(quantize(c), 255) << c;
    EXPECT_EQ(quantize_by_fma(c), 255) << c;
  }
}

TEST(Quantize, NanIs0) {
  for (std::uint32_t bits : {0x7fc00000U, 0xffc00000U, 0x7f800001U, 0x7fffffffU}) {
    EXPECT_EQ(quantize(std::bit_cast<float>(bits)), 0);
    EXPECT_EQ(quantize_by_fma(std::bit_cast<float>(bits)), 0);
  }
}

TEST(Quantize, EveryCodeRoundTrips) {
  for (int code = 0; code <= 255; ++code) {
    EXPECT_EQ(quantize(static_cast<float>(code) / 255.0f), code);
  }
}

}  // namespace
}  // namespace roundel
