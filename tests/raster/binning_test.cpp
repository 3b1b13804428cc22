#include <tbb/task_arena.h>

#include <random>

#include "renderer/raster/cpu/bin_circles.h"
#include "tests/raster/testing.h"

namespace roundel {
namespace {

using testing::random_circles;

bool covers(const Shape& shape, int x, int y, const TileGrid& grid) {
  using L = ScalarLanes;
  const auto i = static_cast<float>(x), j = static_cast<float>(y);
  const float dx = shape.x - scalar::pixel_center<L>(i, grid.s);
  const float dy = shape.y - scalar::pixel_center<L>(j, grid.s);
  const bool is_inside =
      shape.radius > 0 && scalar::squared_distance<L>(dx, dy) <= shape.radius * shape.radius;
  if (!grid.is_antialiased() || !(shape.radius > 0)) return is_inside;
  const float reach = shape.radius * 1.001f + grid.s;  // pixels farther away are not touched
  if (scalar::squared_distance<L>(dx, dy) > reach * reach) return false;
  return scalar::pixel_share<L>(
             scalar::area_disc<L>(shape.x, shape.y, shape.radius, static_cast<float>(grid.height)),
             i, j, is_inside) > 0;
}

class Binning : public ::testing::TestWithParam<bool> {
 protected:
  static TileGrid grid_of(int width, int height, int tile_size) {
    return TileGrid::make(width, height, tile_size, GetParam());
  }
};
INSTANTIATE_TEST_SUITE_P(Coverage, Binning, testing::coverages(), testing::coverage_name);

TEST_P(Binning, BoundsAndTileTestIncludeEveryCoveredPixel) {
  std::mt19937 engine(5);
  std::uniform_real_distribution<float> unit(0, 1);
  for (const auto& [width, height] :
       {std::pair{17, 3}, {63, 65}, {1, 1}, {300, 7}, {64, 64}, {5000, 1}}) {
    const TileGrid grid = grid_of(width, height, 16);
    for (int i = 0; i < 500; ++i) {
      const float radius = std::exp2(unit(engine) * 24 - 16);
      Shape shape{
          unit(engine) * static_cast<float>(width) / static_cast<float>(height) * 1.2f - 0.1f,
          unit(engine) * 1.2f - 0.1f, 0, radius};
      if (i % 3 == 0) {  // tangent to a pixel centre, up to rounding
        const int x = static_cast<int>(unit(engine) * static_cast<float>(width - 1));
        shape.x = scalar::pixel_center<ScalarLanes>(static_cast<float>(x), grid.s) + radius;
      }
      const PixelRect bounds = grid.pixel_bounds(shape);
      for (int y = 0; y < height; ++y) {
        for (int x = 0; x < width; ++x) {
          if (!covers(shape, x, y, grid)) continue;
          ASSERT_TRUE(x >= bounds.x0 && x <= bounds.x1 && y >= bounds.y0 && y <= bounds.y1);
          ASSERT_TRUE(GetParam() || may_cover(shape, grid.tile_pixels(x / 16, y / 16), grid));
        }
      }
    }
  }
}

bool bin(const Circles& circles, const TileGrid& grid, std::span<const std::uint8_t> done,
         std::uint64_t max_bytes, bool may_copy, cpu::TileLists& lists) {
  Circles none;
  return cpu::bin_circles({circles, 0, circles.count(), none, grid, done, max_bytes, may_copy},
                          lists);
}

/// Returns a tile's list in paint order; lists of copies have the circles' numbers in z.
std::vector<std::uint32_t> list_of(const cpu::TileLists& lists, int tile) {
  std::vector<std::uint32_t> list;
  for (auto slab = lists.slabs.rbegin(); slab != lists.slabs.rend(); ++slab) {
    const auto at = static_cast<std::size_t>(tile);
    for (std::uint32_t i = slab->offsets[at]; i < slab->offsets[at + 1]; ++i)
      list.push_back(slab->shapes != nullptr ? static_cast<std::uint32_t>(slab->shapes[i].z)
                                             : slab->indices[i]);
  }
  std::reverse(list.begin(), list.end());
  return list;
}

bool covers_any(const Shape& shape, const PixelRect& pixels, const TileGrid& grid) {
  // Most circles are farther than two pixels from all of these.
  const float reach = shape.radius * 1.001f + 2 * grid.s;
  const auto is_near = [&](float centre, int first, int last) {
    return centre + reach >= static_cast<float>(first) * grid.s &&
           centre - reach <= static_cast<float>(last + 1) * grid.s;
  };
  if (!is_near(shape.x, pixels.x0, pixels.x1) || !is_near(shape.y, pixels.y0, pixels.y1))
    return false;
  for (int y = pixels.y0; y <= pixels.y1; ++y)
    for (int x = pixels.x0; x <= pixels.x1; ++x)
      if (covers(shape, x, y, grid)) return true;
  return false;
}

/// The tile `done`, if there is one, has no list.
void expect_lists(const cpu::TileLists& lists, const Circles& circles, const TileGrid& grid,
                  int done) {
  std::uint64_t overlaps = 0;
  for (int tile = 0; tile < grid.num_tiles(); ++tile) {
    const PixelRect pixels = grid.tile_pixels(tile % grid.tiles_x, tile / grid.tiles_x);
    std::vector<std::uint32_t> expected;
    for (std::uint32_t i = 0; tile != done && i < circles.count(); ++i) {
      if (!grid.is_antialiased() && !may_cover(circles.shapes[i], pixels, grid)) continue;
      if (covers_any(circles.shapes[i], pixels, grid)) expected.push_back(i);
    }
    const std::vector<std::uint32_t> list = list_of(lists, tile);
    overlaps += list.size();
    EXPECT_EQ(lists.is_empty(static_cast<std::size_t>(tile)), list.empty());
    if (tile == done) {
      EXPECT_TRUE(list.empty());
    }
    EXPECT_TRUE(std::is_sorted(list.begin(), list.end(), std::less_equal<>()));
    EXPECT_TRUE(std::includes(list.begin(), list.end(), expected.begin(), expected.end())) << tile;
  }
  EXPECT_EQ(lists.overlaps, overlaps);
}

TEST_P(Binning, ListsHoldEveryOverlapOnceInPaintOrder) {
  if (kThreadSanitized) GTEST_SKIP() << "compares millions of numbers";
  const Circles circles = random_circles(5000, 0.1f, 0.5f, 0);
  const TileGrid grid = grid_of(200, 150, 32);
  cpu::TileLists lists;
  std::vector<std::uint8_t> done(static_cast<std::size_t>(grid.num_tiles()), 0);
  done[3] = 1;
  ASSERT_TRUE(bin(circles, grid, done, ~std::uint64_t{0}, false, lists));
  expect_lists(lists, circles, grid, 3);
}

TEST_P(Binning, ListsOfCopiesMatchListsOfIndices) {
  if (kThreadSanitized) GTEST_SKIP() << "compares millions of numbers";
  Circles circles = random_circles(100'000, 0.01f, 0.5f, 0);
  for (std::size_t i = 0; i < 20'000; ++i) circles.shapes[i].radius *= 20;
  for (std::size_t i = 0; i < circles.count(); ++i) circles.shapes[i].z = static_cast<float>(i);
  const TileGrid grid = grid_of(200, 150, 32);
  const std::vector<std::uint8_t> done(static_cast<std::size_t>(grid.num_tiles()), 0);
  for (const int threads : {1, 3}) {
    cpu::TileLists lists;
    tbb::task_arena(threads).execute(
        [&] { ASSERT_TRUE(bin(circles, grid, done, ~std::uint64_t{0}, true, lists)); });
    expect_lists(lists, circles, grid, -1);
    EXPECT_EQ(lists.slabs.front().shapes, nullptr);
    EXPECT_NE(lists.slabs.back().shapes, nullptr);
  }
}

TEST_P(Binning, RejectsTooManyOverlapsUnwritten) {
  const Circles circles = random_circles(100, 1.0f, 0.5f, 0);
  const TileGrid grid = grid_of(256, 256, 16);
  cpu::TileLists lists;
  const std::vector<std::uint8_t> done(256, 0);
  EXPECT_FALSE(bin(circles, grid, done, 10, false, lists));
  for (const cpu::SlabLists& slab : lists.slabs) EXPECT_EQ(slab.indices.size(), 0u);
}

TEST_P(Binning, SkipsCirclesThatMissEveryPixelCentre) {
  const auto listed = [](Shape shape) {
    return count_overlaps(std::span(&shape, 1), TileGrid::make(64, 64, 16));
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
