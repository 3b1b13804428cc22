#include "renderer/map/scale.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "renderer/base/math.h"
#include "renderer/map/color_map.h"

namespace roundel {
namespace {

constexpr double kNan = std::numeric_limits<double>::quiet_NaN();

double share(ScaleKind kind, std::vector<double> ends, double value, double threshold = 1) {
  const Scale scale{kind, threshold, std::nullopt, std::move(ends)};
  std::vector<double> t{value};
  apply_scale(scale, t, t);
  return t[0];
}

TEST(Scale, LogarithmsToBaseTwoAreWithinTolerance) {
  for (int k = -1074; k < 1024; ++k) EXPECT_EQ(portable_log2(std::ldexp(1.0, k)), k);
  for (double x = 1e-300; x < 1e300; x *= 1.37) {
    const auto exact = static_cast<double>(std::log2(static_cast<long double>(x)));
    EXPECT_NEAR(portable_log2(x), exact, 1e-15 * std::abs(exact) + 1e-16);
  }
  EXPECT_TRUE(std::isnan(portable_log2(-1)));
  EXPECT_EQ(portable_log2(0), -std::numeric_limits<double>::infinity());
}

TEST(Scale, EndsAreExactAndValuesBeyondAreClamped) {
  for (const ScaleKind kind :
       {ScaleKind::kLinear, ScaleKind::kSqrt, ScaleKind::kLog, ScaleKind::kSymlog}) {
    EXPECT_EQ(share(kind, {2, 50}, 2), 0);
    EXPECT_EQ(share(kind, {2, 50}, 50), 1);
    EXPECT_EQ(share(kind, {2, 50}, 1e300), 1);
    EXPECT_EQ(share(kind, {2, 50}, 1e-300), 0);
    EXPECT_EQ(share(kind, {50, 2}, 1e-300), 1) << "downwards";
    EXPECT_EQ(share(kind, {7, 7}, 3), 0.5) << "equal ends";
  }
  EXPECT_EQ(share(ScaleKind::kLog, {1, 16}, 4), 0.5);
  EXPECT_EQ(share(ScaleKind::kSqrt, {0, 16}, 4), 0.5);
  EXPECT_EQ(share(ScaleKind::kSymlog, {-30, 30}, 0, 2), 0.5);
  EXPECT_EQ(share(ScaleKind::kSymlog, {0, 30}, 6, 2), 0.5);
}

TEST(Scale, EndsMayBeTheLargestNumbers) {
  constexpr double kMaxDouble = std::numeric_limits<double>::max();
  EXPECT_EQ(share(ScaleKind::kLinear, {-kMaxDouble, kMaxDouble}, 0), 0.5);
  EXPECT_DOUBLE_EQ(share(ScaleKind::kLinear, {-1.7e308, 1.7e308}, 0.85e308), 0.75);
  EXPECT_EQ(share(ScaleKind::kLinear, {kMaxDouble, -kMaxDouble}, -kMaxDouble), 1) << "downwards";
  EXPECT_EQ(share(ScaleKind::kLinear, {-1e308, 1e308}, -kMaxDouble), 0);
  EXPECT_TRUE(std::isnan(share(ScaleKind::kLinear, {-kMaxDouble, kMaxDouble}, kNan)));
  EXPECT_EQ(share(ScaleKind::kSymlog, {-kMaxDouble, kMaxDouble}, 0, 1e-300), 0.5);
  EXPECT_NEAR(share(ScaleKind::kSymlog, {0, 0x1p900}, 0x1p400, 0x1p-600), 1000.0 / 1500, 1e-15);
  std::vector<double> knots(kRankSteps + 1, -kMaxDouble);
  knots.back() = kMaxDouble;
  EXPECT_EQ(share(ScaleKind::kRank, knots, 0), 255.5 / 256);
}

TEST(Scale, ValuesOutsideTheScalesDomainAreMissing) {
  constexpr double kInfinity = std::numeric_limits<double>::infinity();
  for (const ScaleKind kind :
       {ScaleKind::kLinear, ScaleKind::kSqrt, ScaleKind::kLog, ScaleKind::kSymlog}) {
    for (const double value : {kNan, kInfinity, -kInfinity}) {
      EXPECT_TRUE(std::isnan(share(kind, {1, 2}, value)));
      EXPECT_TRUE(std::isnan(share(kind, {1, 1}, value)));
      EXPECT_FALSE(accepts(kind, value));
    }
  }
  EXPECT_TRUE(std::isnan(share(ScaleKind::kLog, {1, 2}, 0)));
  EXPECT_TRUE(std::isnan(share(ScaleKind::kSqrt, {1, 2}, -1)));
  EXPECT_EQ(share(ScaleKind::kSqrt, {0, 4}, -0.0), 0);
  EXPECT_TRUE(std::isnan(share(ScaleKind::kLinear, {}, 1))) << "no numbers in the data";
}

TEST(Scale, RanksOfEqualValuesAreTheirMiddle) {
  std::vector<double> knots(257);
  for (std::size_t k = 0; k < knots.size(); ++k) knots[k] = k < 129 ? 0 : static_cast<double>(k);
  EXPECT_EQ(share(ScaleKind::kRank, knots, 0), 0.25);
  EXPECT_EQ(share(ScaleKind::kRank, knots, 256), 1);
  EXPECT_EQ(share(ScaleKind::kRank, knots, 192), 0.75);
  EXPECT_EQ(share(ScaleKind::kRank, knots, 192.5), 192.5 / 256);
  EXPECT_EQ(share(ScaleKind::kRank, knots, -1), 0);
  EXPECT_EQ(share(ScaleKind::kRank, knots, 300), 1);
  EXPECT_EQ(share(ScaleKind::kRank, std::vector<double>(257, 5), 5), 0.5);
}

std::vector<DisplayColor> colors_at(const Gradient& gradient, const std::vector<double>& t) {
  std::vector<DisplayColor> colors;
  for (const double place : t) colors.push_back(view_of(gradient).at(place));
  return colors;
}

TEST(Gradient, EndsMatchTheTableAndReadsStayInside) {
  std::vector<double> t{0, 1, 0.5, kNan, 1e-320, std::nextafter(1.0, 0.0)};
  for (const std::string& name : gradient_names()) {
    const Gradient gradient = named_gradient(name);
    ASSERT_EQ(gradient.colors.size(), 256U);
    const std::vector<DisplayColor> colors = colors_at(gradient, t);
    EXPECT_EQ(colors[0].red, static_cast<float>(gradient.colors.front()[0]));
    EXPECT_EQ(colors[1].blue, static_cast<float>(gradient.colors.back()[2]));
    EXPECT_EQ(colors[3], colors[0]);
  }
  std::vector<DisplayColor> one = colors_at({{{0.25, 0.5, 0.75}}, {}}, t);
  EXPECT_EQ(one[2], (DisplayColor{0.25f, 0.5f, 0.75f}));
  one = colors_at({{{0, 0, 0}, {1, 1, 1}}, {0.5, 0.5}}, t);
  EXPECT_EQ(one[0].red, 0);
  EXPECT_EQ(one[1].red, 1);
}

}  // namespace
}  // namespace roundel
