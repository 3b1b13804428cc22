#include "renderer/compare/pixel_set.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <random>
#include <vector>

namespace roundel {
namespace {

struct Grid {
  int width, height;
  std::vector<char> pixels;

  Grid(int w, int h, unsigned one_in, unsigned seed)
      : width(w), height(h), pixels(static_cast<std::size_t>(w * h)) {
    std::mt19937 random(seed);
    for (char& pixel : pixels) pixel = random() % one_in == 0 ? 1 : 0;
  }
  bool at(int x, int y) const { return pixels[static_cast<std::size_t>(y * width + x)] != 0; }
  PixelSet set() const {
    PixelSet set(width, height);
    for (int y = 0; y < height; ++y) {
      const auto row = set.row(y);
      std::fill(row.begin(), row.end(), 0);
      for (int x = 0; x < width; ++x)
        if (at(x, y)) row[static_cast<std::size_t>(x) / 64] |= std::uint64_t{1} << (x % 64);
    }
    return set;
  }
  std::uint64_t count_in(int x0, int y0, int w, int h) const {
    std::uint64_t count = 0;
    for (int y = y0; y < y0 + h; ++y)
      for (int x = x0; x < x0 + w; ++x) count += at(x, y) ? 1 : 0;
    return count;
  }
};

TEST(PixelSet, CountBoxAndDensestWindowMatchPlainLoops) {
  for (const auto& [width, height] : {std::pair{1, 1}, {64, 5}, {65, 40}, {130, 300}, {7, 700}}) {
    for (const unsigned one_in : {1U, 3U, 50U, 5000U}) {
      const Grid grid(width, height, one_in, 7);
      const PixelSet set = grid.set();
      EXPECT_EQ(set.count(), grid.count_in(0, 0, width, height));
      if (set.count() == 0) {
        EXPECT_EQ(set.box().width, 0);
        continue;
      }
      const PixelBox box = set.box();
      EXPECT_EQ(grid.count_in(box.x, box.y, box.width, box.height), set.count());
      for (const int x : {box.x, box.x + box.width - 1})
        EXPECT_GT(grid.count_in(x, 0, 1, height), 0U);
      for (const int y : {box.y, box.y + box.height - 1})
        EXPECT_GT(grid.count_in(0, y, width, 1), 0U);
      for (const auto& [w, h] : {std::pair{1, 1}, {16, 16}, {3, 40}, {1000, 2}, {1000, 1000}}) {
        const auto [window, pixels] = set.densest_window(box, w, h);
        EXPECT_EQ(window.width, std::min(w, width));
        EXPECT_EQ(window.height, std::min(h, height));
        EXPECT_EQ(grid.count_in(window.x, window.y, window.width, window.height), pixels);
        std::uint64_t most = 0;
        for (int y = 0; y + window.height <= height; ++y)
          for (int x = 0; x + window.width <= width; ++x)
            most = std::max(most, grid.count_in(x, y, window.width, window.height));
        EXPECT_EQ(pixels, most) << width << "x" << height << " " << w << "x" << h;
      }
    }
  }
}

}  // namespace
}  // namespace roundel
