#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdlib>
#include <filesystem>
#include <vector>

#include "circles_testing.h"
#include "renderer/circles/glibc_random.h"
#include "renderer/circles/snow_step.h"
#include "sha256.h"
#include "tests/data/table_values.h"

namespace roundel {
namespace {

constexpr std::size_t kFlakes = 100'000;
const char* const kReferenceFlakes =
    ROUNDEL_SOURCE_DIR "/../shared/reference/data/snow_seed1_step300.npy";

Scene snow() {
  return scene_of({classic_layer("snow")});
}

bool in_view(float x, float y, float radius) {
  return x + radius > 0 && x - radius < 1 && y + radius > 0 && y - radius < 1;
}

std::size_t count_in_view(const Circles& circles) {
  std::size_t count = 0;
  for (const Shape& s : circles.shapes) count += in_view(s.x, s.y, s.radius);
  return count;
}

int ulps_between(float a, float b) {
  return std::abs(std::bit_cast<std::int32_t>(a) - std::bit_cast<std::int32_t>(b));
}

/// The reference's depths come from its platform's powf, ours from the binary64 pow: 71 differ by
/// one unit in the last place. A radius follows from the flake's depth and its draw.
TEST(Snow, DepthsAndRadiiMatchTheReference) {
  if (!std::filesystem::exists(kReferenceFlakes)) GTEST_SKIP() << "needs the reference data";
  const std::vector<double> reference = values_of(*open_table(kReferenceFlakes));
  ASSERT_EQ(reference.size(), 4 * kFlakes);
  const Circles circles = circles_of(snow());
  GlibcRandom stream(1);
  stream.skip(kFlakes);
  int depths = 0, radii = 0;
  for (std::size_t i = 0; i < kFlakes; ++i) {
    const float z = static_cast<float>(reference[4 * i + 2]);
    const float radius = static_cast<float>(reference[4 * i + 3]);
    const int difference = ulps_between(circles.shapes[i].z, z);
    ASSERT_LE(difference, 1) << "flake " << i;
    depths += difference;
    radii += circles.shapes[i].radius != radius;
    const float size = .08f - .0075f + (.015f * stream.uniform());
    const float of_depth = (1.0f - z) * size + (z * size / 15.0f);
    ASSERT_EQ(z < .02f ? of_depth * 3.0f : std::max(of_depth, .0075f), radius) << "flake " << i;
    stream.skip(2);
  }
  EXPECT_EQ(depths, 71);
  EXPECT_EQ(radii, 54);
}

TEST(Snow, SpreadMatchesTheReference) {
  if (kAddressSanitized) GTEST_SKIP() << "compares millions of numbers";
  if (!std::filesystem::exists(kReferenceFlakes)) GTEST_SKIP() << "needs the reference data";
  const std::vector<double> reference = values_of(*open_table(kReferenceFlakes));
  const Circles circles = circles_of(snow(), 300);
  // Flakes in view, by height in fifths; the last one: above.
  double ours[6] = {}, theirs[6] = {};
  const auto count = [](double* counts, float x, float y, float radius) {
    const bool seen = in_view(x, y, radius);
    ++counts[seen ? std::clamp(static_cast<int>(y * 5), 0, 4) : 5];
  };
  for (std::size_t i = 0; i < kFlakes; ++i) {
    const Shape& s = circles.shapes[i];
    count(ours, s.x, s.y, s.radius);
    count(theirs, static_cast<float>(reference[4 * i]), static_cast<float>(reference[4 * i + 1]),
          static_cast<float>(reference[4 * i + 3]));
  }
  for (int part = 0; part < 6; ++part)  // two samples: four standard deviations of their difference
    EXPECT_NEAR(ours[part], theirs[part], 4 * std::sqrt(2 * theirs[part])) << "part " << part;
}

TEST(Snow, FlakesFollowTheStepFunction) {
  const Circles start = circles_of(snow());
  const Circles end = circles_of(snow(), 200);
  for (std::size_t i = 0; i < kFlakes; i += i < 40 || i > kFlakes - 40 ? 1 : 37) {
    const Shape& s = start.shapes[i];
    SnowFlake flake = {s.x, s.y, 0, 0};
    const auto hash = snow_flake_hash(static_cast<std::uint32_t>(i), s.z);
    const float force = snow_force_scale(s.z);
    for (std::uint32_t step = 1; step <= 200; ++step) step_snow(flake, s.radius, force, hash, step);
    ASSERT_EQ(flake.x, end.shapes[i].x) << i;
    ASSERT_EQ(flake.y, end.shapes[i].y) << i;
  }
}

TEST(Snow, SnowsingleIsFrame751OnEveryFrameAndPlatform) {
  if (kAddressSanitized) GTEST_SKIP() << "compares millions of numbers";
  const Scene still = scene_of({classic_layer("snowsingle")});
  const Circles expected = circles_of(snow(), 751);
  CircleSource source(still, CircleUse::kList);
  for (const std::int64_t frame : {0, 5, 0, 10'000'000}) {
    Circles circles;
    source.generate(frame, circles);
    EXPECT_TRUE(same_bits(circles, expected)) << frame;
  }
  EXPECT_GT(count_in_view(expected), 15'000u);
  EXPECT_LT(count_in_view(expected), 35'000u);
  const std::vector<float> rows = rows_of(expected);
  EXPECT_EQ(sha256_of(std::span<const float>(rows)),
            "cd4d70b7399a03b8080ec957b4f04418fdd43cc8b41b8d9b95edcd53d2d82ba0");
}

TEST(Snow, FlakesReturnAtTheTopWithAnotherX) {
  std::vector<float> positions;
  for (std::uint32_t step = 1; step <= 50; ++step) {
    SnowFlake flake = {.5f, -.1f, 0, -1};
    step_snow(flake, .05f, snow_force_scale(.5f), snow_flake_hash(17, .5f), step);
    EXPECT_EQ(flake.y, 1.35f + .05f);
    EXPECT_EQ(flake.velocity_y, 0);
    EXPECT_LE(std::fabs(flake.velocity_x), 2);
    EXPECT_GE(flake.x, 0);
    EXPECT_LE(flake.x, 1);
    positions.push_back(flake.x);
  }
  std::sort(positions.begin(), positions.end());
  EXPECT_EQ(std::adjacent_find(positions.begin(), positions.end()), positions.end());
}

TEST(Snow, CellsRoundDown) {
  EXPECT_EQ(floor_to_int(-0.25f), -1);
  EXPECT_EQ(floor_to_int(-1.0f), -1);
  EXPECT_EQ(floor_to_int(-1.5f), -2);
  EXPECT_EQ(floor_to_int(0.0f), 0);
  EXPECT_EQ(floor_to_int(2.99f), 2);
  EXPECT_EQ(signed_unit(0), -1.0f);
  EXPECT_EQ(signed_unit(0x80000000u), 0.0f);
  EXPECT_LT(signed_unit(0xffffffffu), 1.0f);
}

}  // namespace
}  // namespace roundel
