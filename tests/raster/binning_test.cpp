#include <random>

#include "renderer/raster/cpu/bin_circles.h"
#include "tests/raster/testing.h"

namespace roundel {
namespace {

using testing::random_circles;

bool covers(const Shape& shape, int x, int y, float s) {
  using L = ScalarLanes;
  const float dx = shape.x - scalar::pixel_center<L>(static_cast<float>(x), s);
  const float dy = shape.y - scalar::pixel_center<L>(static_cast<float>(y), s);
  return shape.radius > 0 && scalar::squared_distance<L>(dx, dy) <= shape.radius * shape.radius;
}

TEST(Binning, NoCoveredPixelLiesOutsideTheBoundsOrTheBinTest) {
  std::mt19937 engine(5);
  std::uniform_real_distribution<float> unit(0, 1);
  for (const auto& [width, height] :
       {std::pair{17, 3}, {63, 65}, {1, 1}, {300, 7}, {64, 64}, {5000, 1}}) {
    const TileGrid grid = TileGrid::make(width, height, 16);
    for (int i = 0; i < 500; ++i) {
      const float radius = std::exp2(unit(engine) * 24 - 16);
      Shape shape{
          unit(engine) * static_cast<float>(width) / static_cast<float>(height) * 1.2f - 0.1f,
          unit(engine) * 1.2f - 0.1f, 0, radius};
      if (i % 3 == 0) {  // tangent to a pixel centre, or to where rounding says it is
        const int x = static_cast<int>(unit(engine) * static_cast<float>(width - 1));
        shape.x = scalar::pixel_center<ScalarLanes>(static_cast<float>(x), grid.s) + radius;
      }
      const PixelRect bounds = grid.pixel_bounds(shape);
      for (int y = 0; y < height; ++y) {
        for (int x = 0; x < width; ++x) {
          if (!covers(shape, x, y, grid.s)) continue;
          ASSERT_TRUE(x >= bounds.x0 && x <= bounds.x1 && y >= bounds.y0 && y <= bounds.y1);
          ASSERT_TRUE(may_cover(shape, grid.bin_pixels(x / 16, y / 16), grid.s));
        }
      }
    }
  }
}

TEST(Binning, ListsHoldEveryOverlapInPaintOrderAndNothingTwice) {
  const Circles circles = random_circles(5000, 0.1f, 0.5f, 0);
  const TileGrid grid = TileGrid::make(200, 150, 32);
  cpu::BinLists lists;
  std::vector<std::uint8_t> finished(static_cast<std::size_t>(grid.num_bins()), 0);
  finished[3] = 1;
  ASSERT_TRUE(
      cpu::bin_circles(circles.shapes.span(), {}, grid, finished, ~std::uint64_t{0}, lists));
  ASSERT_EQ(lists.offsets.size(), static_cast<std::size_t>(grid.num_bins()) + 1);
  EXPECT_TRUE(lists.list(3).empty());
  for (int bin = 0; bin < grid.num_bins(); ++bin) {
    const PixelRect pixels = grid.bin_pixels(bin % grid.bins_x, bin / grid.bins_x);
    std::vector<std::uint32_t> expected;
    for (std::uint32_t i = 0; bin != 3 && i < circles.count(); ++i) {
      bool any = false;
      for (int y = pixels.y0; y <= pixels.y1; ++y)
        for (int x = pixels.x0; x <= pixels.x1; ++x) any |= covers(circles.shapes[i], x, y, grid.s);
      if (any) expected.push_back(i);
    }
    const auto list = lists.list(static_cast<std::size_t>(bin));
    EXPECT_TRUE(std::is_sorted(list.begin(), list.end(), std::less_equal<>()));
    EXPECT_TRUE(std::includes(list.begin(), list.end(), expected.begin(), expected.end())) << bin;
  }
}

TEST(Binning, TooManyOverlapsAreRefusedNotWritten) {
  const Circles circles = random_circles(100, 1.0f, 0.5f, 0);
  const TileGrid grid = TileGrid::make(256, 256, 16);
  cpu::BinLists lists;
  const std::vector<std::uint8_t> finished(256, 0);
  EXPECT_FALSE(cpu::bin_circles(circles.shapes.span(), {}, grid, finished, 10, lists));
  EXPECT_EQ(lists.indices.size(), 0u);
}

TEST(Binning, CirclesThatMissEveryPixelCentreAreNotListed) {
  const auto listed = [](Shape shape) {
    return count_overlaps(testing::make_circles({{shape, {}}}), 64, 64, 16);
  };
  const float corner = 32.0f / 64;  // between four pixels
  EXPECT_EQ(listed({corner, corner, 0, 0.1f / 64}), 0u);
  EXPECT_EQ(listed({corner, corner, 0, 0.8f / 64}), 4u);
  EXPECT_EQ(listed({-1, 0.5f, 0, 0.5f}), 0u);
  EXPECT_EQ(listed({0.5f, 0.5f, 0, 0}), 0u);
  EXPECT_EQ(listed({0.5f, 0.5f, 0, -1}), 0u);
  EXPECT_EQ(listed({0.5f, 0.5f, 0, 1e15f}), 16u);
}

}  // namespace
}  // namespace roundel
