#include "renderer/base/math.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdint>
#include <limits>
#include <random>

namespace roundel {
namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();
constexpr double kNan = std::numeric_limits<double>::quiet_NaN();
constexpr double kTolerance = 1e-15;

double relative_error(double got, long double expected) {
  return static_cast<double>(std::abs((got - expected) / expected));
}

TEST(PortableExp, IsWithin1e15OfLongDouble) {
  std::mt19937_64 random(1);
  double worst = 0;
  for (double limit : {700.0, 20.0, 1.0, 1e-3, 1e-10}) {
    std::uniform_real_distribution<double> draw(-limit, limit);
    for (int k = 0; k < 100000; ++k) {
      const double x = draw(random);
      worst =
          std::max(worst, relative_error(portable_exp(x), std::exp(static_cast<long double>(x))));
    }
  }
  EXPECT_LT(worst, kTolerance);
}

TEST(PortableExp, HasTheRightEnds) {
  EXPECT_EQ(portable_exp(0), 1);
  EXPECT_EQ(portable_exp(-0.0), 1);
  EXPECT_EQ(portable_exp(kInfinity), kInfinity);
  EXPECT_EQ(portable_exp(-kInfinity), 0);
  EXPECT_EQ(portable_exp(710), kInfinity);
  EXPECT_EQ(portable_exp(-746), 0);
  EXPECT_TRUE(std::isnan(portable_exp(kNan)));
  EXPECT_LT(relative_error(portable_exp(709.78), std::exp(static_cast<long double>(709.78))),
            kTolerance);
  EXPECT_GT(portable_exp(-744.4), 0);  // subnormal
  EXPECT_NEAR(portable_exp(-740) / std::exp(-740.0), 1, 0.01);
}

TEST(PortableLog, IsWithin1e15OfLongDouble) {
  std::mt19937_64 random(2);
  std::uniform_real_distribution<double> exponent(-700, 700), near_one(-1, 1);
  double worst = 0;
  const auto measure = [&worst](double x) {
    if (x != 1)
      worst =
          std::max(worst, relative_error(portable_log(x), std::log(static_cast<long double>(x))));
  };
  for (int k = 0; k < 200000; ++k) {
    measure(std::exp(exponent(random)));
    for (double scale : {0.5, 1e-3, 1e-9}) measure(1 + scale * near_one(random));
  }
  for (double x : {5e-324, 1e-310, 2.2250738585072014e-308, 1.7976931348623157e308}) measure(x);
  EXPECT_LT(worst, kTolerance);
}

TEST(PortableLog, HasTheRightEnds) {
  EXPECT_EQ(portable_log(1), 0);
  EXPECT_EQ(portable_log(0), -kInfinity);
  EXPECT_EQ(portable_log(-0.0), -kInfinity);
  EXPECT_EQ(portable_log(kInfinity), kInfinity);
  EXPECT_TRUE(std::isnan(portable_log(-1)));
  EXPECT_TRUE(std::isnan(portable_log(kNan)));
}

// The exact bits, which must never change with compiler, flags or platform.
TEST(PortableMath, KnownBits) {
  std::uint64_t hash = 0;
  for (int k = 1; k <= 10000; ++k) {
    hash = hash * 31 + std::bit_cast<std::uint64_t>(portable_exp(k * 0.0625 - 300));
    hash = hash * 31 + std::bit_cast<std::uint64_t>(portable_log(k * 0.001));
  }
  EXPECT_EQ(hash, 6113069582853922301U);
}

}  // namespace
}  // namespace roundel
