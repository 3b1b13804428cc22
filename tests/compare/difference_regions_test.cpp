#include "renderer/compare/difference_regions.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "renderer/compare/difference_image.h"
#include "tests/compare/sample_pictures.h"

namespace roundel {
namespace {

std::vector<DifferenceRegion> places_of(const Picture& a, const Picture& b,
                                        const Tolerance& tolerance = {}) {
  return difference_regions(a, b, difference_image(a, b, tolerance));
}

Picture picture_with(const std::vector<std::tuple<int, int, int>>& changes) {
  Image image = plain_image(100, 60);
  for (const auto& [x, y, delta] : changes)
    image.bytes[static_cast<std::size_t>((y * 100 + x) * 3 + 1)] =
        static_cast<std::uint8_t>(100 + delta);
  return picture_of(std::move(image), {});
}

TEST(DifferenceRegions, AreEmptyForEqualPictures) {
  EXPECT_TRUE(places_of(picture_with({}), picture_with({})).empty());
}

TEST(DifferenceRegions, JoinNeighboursAndBeginWithTheLargestDifference) {
  const auto places =
      places_of(picture_with({}),
                picture_with({{2, 3, 5}, {20, 3, -7}, {19, 4, 7}, {99, 59, 90}, {50, 30, 7}}));
  ASSERT_EQ(places.size(), 3u);
  EXPECT_EQ(places[0].peak_x, 99);
  EXPECT_EQ(places[0].peak_y, 59);
  EXPECT_EQ(places[0].peak, 90);
  EXPECT_EQ(places[1].pixels, 3u);  // more than the third's
  EXPECT_EQ(places[1].peak_x, 20);  // the first of two
  EXPECT_EQ(places[1].peak_y, 3);
  EXPECT_EQ(places[1].box.x, 2);
  EXPECT_EQ(places[1].box.y, 3);
  EXPECT_EQ(places[1].box.width, 19);
  EXPECT_EQ(places[1].box.height, 2);
  EXPECT_EQ(places[2].peak_x, 50);
}

TEST(DifferenceRegions, ExistOnlyAboveTheLimits) {
  Tolerance tolerance;
  tolerance.max_delta = 5;
  const auto places =
      places_of(picture_with({}), picture_with({{2, 3, 5}, {60, 30, 6}}), tolerance);
  ASSERT_EQ(places.size(), 1u);
  EXPECT_EQ(places[0].peak_x, 60);
}

TEST(DifferenceRegions, NanOnOneSideIsTheLargestDifference) {
  Picture a;
  a.width = 64, a.height = 1, a.channels = 1;
  a.samples = Picture::Samples::kFloats;
  a.floats = Buffer<float>(64);
  std::fill(a.floats.begin(), a.floats.end(), 1.0f);
  Picture b = copy_of(a);
  b.floats[5] = 1000;
  a.floats[40] = b.floats[40] = std::numeric_limits<float>::quiet_NaN();
  b.floats[60] = std::numeric_limits<float>::quiet_NaN();
  const auto places = places_of(a, b);
  ASSERT_EQ(places.size(), 2u);
  EXPECT_EQ(places[0].peak_x, 60);
  EXPECT_TRUE(std::isinf(places[0].peak));
  EXPECT_EQ(places[1].peak, 999);
}

}  // namespace
}  // namespace roundel
