#include "renderer/raster/frame_estimate.h"

#include <algorithm>
#include <utility>

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
  EXPECT_DOUBLE_EQ(estimate.front_tiles_per_circle, 16.0);
}

TEST(FrameEstimate, FaintCirclesAreAllNeeded) {
  const Circles circles = testing::random_circles(5000, 0.01f, 0.01f, 0.5);
  const FrameEstimate estimate = estimate_frame(circles, image_of(256, 256), 32, 3);
  EXPECT_EQ(estimate.front_circles, 5000U);
  EXPECT_EQ(estimate.front_tiles_per_circle, estimate.tiles_per_circle);
}

TEST(FrameEstimate, HotSpotMakesALongList) {
  Circles circles = testing::random_circles(100'000, 0.01f, 0.01f, 0);
  const ImageSettings image = image_of(1024, 1024);
  EXPECT_EQ(estimate_frame(circles, image, 32, 3).longest_list, 0);
  for (std::size_t i = 0; i < circles.count(); i += 2)
    circles.shapes[i].x = circles.shapes[i].y = 0.51f;
  const double longest = estimate_frame(circles, image, 32, 3).longest_list;
  EXPECT_GT(longest, 10'000);
  EXPECT_LT(longest, 50'000);
}

TEST(FrameEstimate, CirclesAreDenserInSomeSquares) {
  Circles circles = testing::random_circles(100'000, 0.001f, 0.001f, 0);
  const auto densest = [&](int size) {
    return estimate_frame(circles, image_of(size, size), 32, 3).densest_square;
  };
  EXPECT_EQ(densest(1024), 1);
  EXPECT_GT(densest(4096), 1.0 / 16);
  EXPECT_LT(densest(4096), 4.0 / 16);
  for (std::size_t i = 0; i < circles.count(); ++i) {
    if (i % 3 == 0) continue;
    circles.shapes[i].x = 0.6f;
    circles.shapes[i].y = -0.0001f;  // still touches the image
  }
  EXPECT_GT(densest(4096), 0.4);
  EXPECT_LT(densest(4096), 0.8);
  EXPECT_EQ(estimate_frame(Circles{}, image_of(4096, 4096), 32, 3).densest_square, 1);
}

TEST(FrameEstimate, CirclesSortedByPositionAreDenseLocally) {
  Circles circles = testing::random_circles(100'000, 0.001f, 0.001f, 0);
  const auto densest = [&] {
    return estimate_frame(circles, image_of(4096, 4096), 32, 3).densest_square;
  };
  EXPECT_LT(densest(), 4.0 / 16);
  // Strips from bottom to top, each from left to right; none above the image.
  for (Shape& shape : circles.shapes) shape.y = std::min(shape.y, 0.99f);
  std::sort(circles.shapes.begin(), circles.shapes.end(), [](const Shape& a, const Shape& b) {
    const auto strip = [](const Shape& shape) { return static_cast<int>(16 * shape.y); };
    return std::pair(strip(a), a.x) < std::pair(strip(b), b.x);
  });
  EXPECT_GT(densest(), 0.9);
}

TEST(FrameEstimate, FindsTheHeightOfACrowdInFront) {
  Circles circles = testing::random_circles(10'000, 0.5f, 1.0f, 0);
  const ImageSettings image = image_of(1024, 1024);
  EXPECT_EQ(estimate_frame(circles, image, 32, 3).densest_height, 0);
  const auto crowd = [&](std::size_t from, std::size_t to, float y) {
    for (std::size_t i = from; i < to; ++i) {
      circles.shapes[i].x = 0.1f;
      circles.shapes[i].y = y + 0.01f * static_cast<float>(i % 2);
      circles.shapes[i].radius = 0.01f;
    }
  };
  crowd(0, 1000, 0.3f);  // at the back, which is hidden
  EXPECT_EQ(estimate_frame(circles, image, 32, 3).densest_height, 0);
  crowd(9000, 10'000, 0.9f);
  EXPECT_NEAR(estimate_frame(circles, image, 32, 3).densest_height, 0.905, 0.01);
  crowd(9000, 10'000, 1.1f);  // above the image
  EXPECT_EQ(estimate_frame(circles, image, 32, 3).densest_height, 0);
}

TEST(FrameEstimate, AcceptsAnEmptyFrame) {
  const FrameEstimate estimate = estimate_frame(Circles{}, image_of(5, 5), 32, 3);
  EXPECT_EQ(estimate.front_circles, 0U);
  EXPECT_EQ(estimate.tiles_per_circle, 0.0);
  EXPECT_EQ(estimate.densest_height, 0.0);
}

}  // namespace
}  // namespace roundel
