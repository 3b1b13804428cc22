#include "renderer/raster/frame_estimate.h"

#include "tests/raster/testing.h"

namespace roundel {
namespace {

using testing::Disc;
using testing::image_of;
using testing::make_circles;

TEST(FrameEstimate, OpaqueDiscsInFrontHideTheRest) {
  std::vector<Disc> discs(10000, {{0.5f, 0.5f, 0, 0.001f}, {1, 1, 1, 0.5f}});
  discs.resize(10100, {{0.5f, 0.5f, 0, 2.0f}, {1, 1, 1, 1.0f}});
  const FrameEstimate estimate = estimate_frame(make_circles(discs), image_of(100, 100), 32, 3);
  EXPECT_LE(estimate.front_circles, 100U);
  EXPECT_GE(estimate.front_circles, 1U);
  EXPECT_DOUBLE_EQ(estimate.front_tiles_per_circle, 16.0);  // 4 × 4 tiles
}

TEST(FrameEstimate, FaintCirclesAreAllNeeded) {
  const Circles circles = testing::random_circles(5000, 0.01f, 0.01f, 0.5);
  const FrameEstimate estimate = estimate_frame(circles, image_of(256, 256), 32, 3);
  EXPECT_EQ(estimate.front_circles, 5000U);
  EXPECT_EQ(estimate.front_tiles_per_circle, estimate.tiles_per_circle);
}

TEST(FrameEstimate, AHotSpotMakesALongList) {
  Circles circles = testing::random_circles(100'000, 0.01f, 0.01f, 0);
  const ImageSettings image = image_of(1024, 1024);
  EXPECT_EQ(estimate_frame(circles, image, 32, 3).longest_list, 0);
  for (std::size_t i = 0; i < circles.count(); i += 2)
    circles.shapes[i].x = circles.shapes[i].y = 0.51f;
  const double longest = estimate_frame(circles, image, 32, 3).longest_list;
  EXPECT_GT(longest, 10'000);
  EXPECT_LT(longest, 50'000);
}

TEST(FrameEstimate, NoCirclesAreNoTrouble) {
  const FrameEstimate estimate = estimate_frame(Circles{}, image_of(5, 5), 32, 3);
  EXPECT_EQ(estimate.front_circles, 0U);
  EXPECT_EQ(estimate.tiles_per_circle, 0.0);
}

}  // namespace
}  // namespace roundel
