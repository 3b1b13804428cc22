#include <gtest/gtest.h>

#include <cmath>

#include "renderer/raster/pixel_walk.h"

namespace roundel {
namespace {

using L = ScalarLanes;

TEST(PixelMath, FalloffMatchesTheExponential) {
  for (float t = 0.0f; t <= 1.0f; t += 1.0f / 65536) {
    EXPECT_NEAR(scalar::falloff<L>(t), std::exp(-4 * static_cast<double>(t)), 4e-7) << t;
  }
  EXPECT_EQ(scalar::falloff<L>(0.0f), 1.0f);
  EXPECT_EQ(scalar::falloff<L>(1.0f), scalar::kRimFalloff);
}

TEST(PixelMath, NearSqrtIsWithinItsBound) {
  EXPECT_EQ(scalar::near_sqrt<L>(0.0f), 0.0f);
  for (float t = 0x1p-40f; t < 0x1p40f; t *= 1.0001f) {
    const double root = std::sqrt(static_cast<double>(t));
    ASSERT_NEAR(scalar::near_sqrt<L>(t) / root, 1, 1.2e-6) << t;
  }
}

TEST(PixelMath, AlphaZeroKeepsEveryBit) {
  scalar::PixelState<L> state{0.1f, 0.2f, 0.3f, 0.7f};
  scalar::composite<L>(state, 0.0f, 1e6f, 1.0f, 5.0f);
  EXPECT_EQ(state.red, 0.1f);
  EXPECT_EQ(state.green, 0.2f);
  EXPECT_EQ(state.blue, 0.3f);
  EXPECT_EQ(state.transmittance, 0.7f);
}

TEST(PixelMath, CompositingFollowsTheFrameContract) {
  scalar::PixelState<L> state{0.1f, 0.2f, 0.3f, 0.7f};
  scalar::composite<L>(state, 0.3f, 0.9f, 0.8f, 0.7f);
  const float weight = 0.7f * 0.3f;
  EXPECT_EQ(state.red, std::fma(weight, 0.9f, 0.1f));
  EXPECT_EQ(state.green, std::fma(weight, 0.8f, 0.2f));
  EXPECT_EQ(state.blue, std::fma(weight, 0.7f, 0.3f));
  EXPECT_EQ(state.transmittance, 0.7f * (1.0f - 0.3f));
}

TEST(PixelMath, StoppedPixelsStayUnchanged) {
  PixelWalk walk = PixelWalk::at(0, 0, ImageSettings());
  const float opaque = scalar::kOpaqueTransmittance;
  walk.state = {0, 0, 0, opaque, opaque, opaque};
  walk.blend({0.0f, 0.0f, 0, 1}, {1, 1, 1, 0.5f}, 1, {});
  EXPECT_EQ(walk.state.red, 0.0f);
  EXPECT_EQ(walk.state.red_transmittance, opaque);
}

TEST(PixelMath, SnowFollowsTheColourTable) {
  const float table[5][3] = {{1, 1, 1}, {1, 1, 1}, {.8f, .9f, 1}, {.8f, .9f, 1}, {.8f, .8f, 1}};
  const SnowRamp ramp = snow_ramp(BlendSpace::kDisplay);
  const float radius = 0.02f;
  for (int i = 0; i <= 1000; ++i) {
    const float distance = radius * static_cast<float>(i) / 1000.0f;
    float alpha, color[3] = {0, 0, 1};
    const float dx2 = 0.36f * distance * distance, dy2 = distance * distance - dx2;
    const float inverse_r2 = scalar::inverse_square(radius);
    scalar::snow_color<L>(ramp, (dx2 + dy2) * inverse_r2, color[0], color[1]);
    alpha = scalar::falloff_alpha<L>(dx2, dy2, inverse_r2, 0.4f, false);
    const double d = static_cast<double>(i) / 1000.0;
    const int entry = std::min(static_cast<int>(4 * d), 3);
    for (int channel = 0; channel < 3; ++channel) {
      const double low = table[entry][channel], high = table[entry + 1][channel];
      EXPECT_NEAR(color[channel], low + (high - low) * (4 * d - entry), 1e-6) << i;
    }
    EXPECT_NEAR(alpha, 0.4 * std::exp(-4 * d * d), 1e-6) << i;
  }
}

TEST(PixelMath, SoftAlphaGoesFromTheCentresToZero) {
  for (float alpha = 1; alpha > 0x1p-12f; alpha *= 1 - 0x1p-17f) {
    const float center = scalar::falloff_alpha<L>(0, 0, 1, alpha, true);
    ASSERT_LE(center, alpha);
    ASSERT_GE(center, alpha * (1 - 0x1p-21f));
    for (const float x2 : {0.0f, 0.3f, 0.5f, 1.0f}) {
      const float rim = scalar::falloff_alpha<L>(x2, 1 - x2, 1, alpha, true);
      ASSERT_GE(rim, 0);
      ASSERT_LE(rim, 1e-7f);
    }
  }
  for (int i = 0; i <= 1000; ++i) {
    const double d2 = i / 1000.0, e4 = std::exp(-4.0);
    EXPECT_NEAR(scalar::falloff_alpha<L>(0.3f * static_cast<float>(d2),
                                         0.7f * static_cast<float>(d2), 1, 0.8f, true),
                0.8 * (std::exp(-4 * d2) - e4) / (1 - e4), 1e-6);
  }
}

TEST(PixelMath, ZeroUnlessAndClampHandleSpecialValues) {
  EXPECT_EQ(L::clamp(std::nanf(""), 0.0f, 1.0f), 0.0f);
  EXPECT_EQ(L::clamp(2.0f, 0.0f, 1.0f), 1.0f);
  EXPECT_EQ(L::saturate(std::nanf("")), 0.0f);
  EXPECT_EQ(L::saturate(-1.0f), 0.0f);
  EXPECT_EQ(L::saturate(2.0f), 1.0f);
}

}  // namespace
}  // namespace roundel
