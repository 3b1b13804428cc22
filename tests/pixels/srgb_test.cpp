#include "renderer/pixels/srgb.h"

#include <gtest/gtest.h>

#include <bit>
#include <cmath>
#include <cstdint>
#include <limits>

#include "renderer/pixels/quantize.h"

namespace roundel {
namespace {

long double expected_linear(long double c) {
  return c <= 0.04045L ? c / 12.92L : std::pow((c + 0.055L) / 1.055L, 2.4L);
}
long double expected_srgb(long double c) {
  return c <= 0.0031308L ? c * 12.92L : 1.055L * std::pow(c, 1 / 2.4L) - 0.055L;
}

/// Returns the distance from the exact value in units of the result's last place.
double ulps(float got, long double expected) {
  const float next = std::nextafter(got, std::numeric_limits<float>::infinity());
  return static_cast<double>(std::abs(got - expected) / (static_cast<long double>(next) - got));
}

TEST(Srgb, BothDirectionsAreRoundedAlmostExactly) {
  double worst = 0;
  for (std::uint32_t bits = 1; bits < std::bit_cast<std::uint32_t>(1000.0f); bits += 4001) {
    const float c = std::bit_cast<float>(bits);
    if (c < 1e-30f) continue;  // subnormal results have their own spacing
    worst = std::max(worst, ulps(srgb_to_linear(c), expected_linear(c)));
    worst = std::max(worst, ulps(linear_to_srgb(c), expected_srgb(c)));
  }
  EXPECT_LT(worst, 0.5001);
}

TEST(Srgb, BothDirectionsAreMonotonic) {
  // A sample of the whole range, and every float around the two joints of the curve.
  const auto check = [](float from, float to, std::uint32_t stride) {
    float linear = -1, srgb = -1;
    for (std::uint32_t bits = std::bit_cast<std::uint32_t>(from);
         bits < std::bit_cast<std::uint32_t>(to); bits += stride) {
      const float c = std::bit_cast<float>(bits);
      ASSERT_GE(srgb_to_linear(c), linear) << c;
      ASSERT_GE(linear_to_srgb(c), srgb) << c;
      linear = srgb_to_linear(c);
      srgb = linear_to_srgb(c);
    }
  };
  check(0, 1e6f, 2003);
  check(0.0404f, 0.0405f, 1);
  check(0.00313f, 0.003132f, 1);
  check(0.9999f, 1.0001f, 1);
}

TEST(Srgb, All256CodesRoundTrip) {
  for (int code = 0; code <= 255; ++code) {
    const float c = static_cast<float>(code) / 255.0f;
    EXPECT_EQ(quantize(linear_to_srgb(srgb_to_linear(c))), code);
  }
}

TEST(Srgb, HasTheRightEnds) {
  EXPECT_EQ(srgb_to_linear(0), 0);
  EXPECT_EQ(linear_to_srgb(0), 0);
  EXPECT_EQ(srgb_to_linear(1), 1);
  EXPECT_EQ(linear_to_srgb(1), 1);
  for (float c : {-1e-30f, -1.0f, -std::numeric_limits<float>::infinity(),
                  std::numeric_limits<float>::quiet_NaN()}) {
    EXPECT_EQ(srgb_to_linear(c), 0);
    EXPECT_EQ(linear_to_srgb(c), 0);
  }
  EXPECT_EQ(srgb_to_linear(std::numeric_limits<float>::infinity()),
            std::numeric_limits<float>::infinity());
  EXPECT_EQ(linear_to_srgb(std::numeric_limits<float>::infinity()),
            std::numeric_limits<float>::infinity());
  EXPECT_NEAR(srgb_to_linear(2), 4.9538, 1e-3);  // ((2 + 0.055)/1.055)^2.4: the power law goes on
}

}  // namespace
}  // namespace roundel
