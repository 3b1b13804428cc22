#include "renderer/explain/pixel_clusters.h"

#include <gtest/gtest.h>

#include <random>
#include <string>

#include "tests/testing.h"

namespace roundel {
namespace {

/// Reads rows of text, the first one being row 0.
PixelClusters clusters_of(const std::vector<std::string>& rows) {
  const std::size_t width = rows.front().size();
  Buffer<std::uint8_t> marked(rows.size() * width);
  for (std::size_t i = 0; i < marked.size(); ++i) marked[i] = rows[i / width][i % width] == '#';
  return find_clusters(marked, static_cast<int>(width), static_cast<int>(rows.size()));
}

TEST(PixelClusters, UnmarkedPicturesHaveNoClusters) {
  const PixelClusters found = clusters_of({"....", "...."});
  EXPECT_EQ(found.pixels, 0U);
  EXPECT_EQ(found.clusters, 0U);
  EXPECT_TRUE(found.largest.empty());
}

TEST(PixelClusters, CornersConnectAndEdgesDoNotWrap) {
  const PixelClusters found = clusters_of({"#...#",  //
                                           ".#..#",  //
                                           "#....",  //
                                           "...##"});
  EXPECT_EQ(found.pixels, 7U);
  EXPECT_EQ(found.clusters, 3U);
  EXPECT_EQ(found.largest.at(0).pixels, (std::vector<std::uint32_t>{0, 6, 10}));
  EXPECT_EQ(found.largest.at(0).box.x1, 1);
  EXPECT_EQ(found.largest.at(0).box.y1, 2);
}

TEST(PixelClusters, KeepsTheRequestedNumberLargestFirst) {
  const std::vector<std::string> rows = {"#..##",  //
                                         "....#",  //
                                         "##...",  //
                                         "...##"};
  Buffer<std::uint8_t> marked(20);
  for (std::size_t i = 0; i < marked.size(); ++i) marked[i] = rows[i / 5][i % 5] == '#';
  const PixelClusters found = find_clusters(marked, 5, 4, 3);
  EXPECT_EQ(found.clusters, 4U);
  ASSERT_EQ(found.largest.size(), 3U);
  EXPECT_EQ(found.largest[0].pixels, (std::vector<std::uint32_t>{3, 4, 9}));
  EXPECT_EQ(found.largest[1].pixels, (std::vector<std::uint32_t>{10, 11}));
  EXPECT_EQ(found.largest[2].pixels, (std::vector<std::uint32_t>{18, 19}));
  EXPECT_EQ(find_clusters(marked, 5, 4, 9).largest.size(), 4U);
}

TEST(PixelClusters, BranchesThatMeetLateAreOneCluster) {
  const PixelClusters found = clusters_of({"#.#.#",  //
                                           "#.#.#",  //
                                           "#####"});
  EXPECT_EQ(found.clusters, 1U);
  EXPECT_EQ(found.largest.at(0).pixels.size(), 11U);
}

TEST(PixelClusters, MatchFloodFillOnRandomMarks) {
  std::mt19937 engine(3);
  for (const double density : {0.1, 0.3, 0.45, 0.7}) {
    constexpr int kWidth = 37, kHeight = 29;
    Buffer<std::uint8_t> marked(kWidth * kHeight);
    std::bernoulli_distribution is_marked(density);
    for (std::uint8_t& mark : marked) mark = is_marked(engine) ? 1 : 0;
    const PixelClusters found = find_clusters(marked, kWidth, kHeight);

    Buffer<std::uint8_t> left = clone_of(marked);
    std::uint64_t clusters = 0, largest = 0;
    for (int start = 0; start < kWidth * kHeight; ++start) {
      std::vector<int> stack;
      std::uint64_t size = 0;
      const auto visit = [&](int x, int y) {
        if (x < 0 || y < 0 || x >= kWidth || y >= kHeight) return;
        std::uint8_t& mark = left[static_cast<std::size_t>(y * kWidth + x)];
        if (mark == 0) return;
        mark = 0;
        ++size;
        stack.push_back(y * kWidth + x);
      };
      visit(start % kWidth, start / kWidth);
      while (!stack.empty()) {
        const int pixel = stack.back();
        stack.pop_back();
        for (int dy = -1; dy <= 1; ++dy)
          for (int dx = -1; dx <= 1; ++dx) visit(pixel % kWidth + dx, pixel / kWidth + dy);
      }
      clusters += size > 0 ? 1 : 0;
      largest = std::max(largest, size);
    }
    EXPECT_EQ(found.clusters, clusters) << density;
    EXPECT_EQ(found.largest.at(0).pixels.size(), largest) << density;
  }
}

}  // namespace
}  // namespace roundel
