#include "renderer/explain/pixel_clusters.h"

#include <algorithm>

namespace roundel {
namespace {

/// Disjoint sets of pixels; the smallest number of a set stands for it.
class PixelSets {
 public:
  explicit PixelSets(std::size_t count) : parents_(count) {}

  void add(std::uint32_t pixel) { parents_[pixel] = pixel; }
  std::uint32_t find(std::uint32_t pixel) {
    while (parents_[pixel] != pixel) {
      parents_[pixel] = parents_[parents_[pixel]];  // halves the way for the next one
      pixel = parents_[pixel];
    }
    return pixel;
  }
  void join(std::uint32_t a, std::uint32_t b) {
    const std::uint32_t first = find(a), second = find(b);
    parents_[std::max(first, second)] = std::min(first, second);
  }

 private:
  Buffer<std::uint32_t> parents_;  // of pixels that were added
};

}  // namespace

PixelClusters find_clusters(const Buffer<std::uint8_t>& marked, int width, int height) {
  const auto columns = static_cast<std::size_t>(width), rows = static_cast<std::size_t>(height);
  PixelSets sets(marked.size());
  PixelClusters found;
  for (std::size_t row = 0; row < rows; ++row) {
    for (std::size_t x = 0; x < columns; ++x) {
      const std::size_t i = row * columns + x;
      if (marked[i] == 0) continue;
      const auto pixel = static_cast<std::uint32_t>(i);
      sets.add(pixel);
      ++found.pixels;
      const auto join_if_marked = [&](std::size_t other) {
        if (marked[other] != 0) sets.join(static_cast<std::uint32_t>(other), pixel);
      };
      if (x > 0) join_if_marked(i - 1);
      if (row == 0) continue;
      if (x > 0) join_if_marked(i - columns - 1);
      join_if_marked(i - columns);
      if (x + 1 < columns) join_if_marked(i - columns + 1);
    }
  }
  if (found.pixels == 0) return found;

  Buffer<std::uint32_t> sizes(marked.size());
  std::fill(sizes.begin(), sizes.end(), 0);
  std::uint32_t largest = 0;
  for (std::size_t i = 0; i < marked.size(); ++i)
    if (marked[i] != 0) ++sizes[sets.find(static_cast<std::uint32_t>(i))];
  for (std::size_t i = 0; i < sizes.size(); ++i) {
    if (sizes[i] == 0) continue;
    ++found.clusters;
    if (sizes[i] > sizes[largest]) largest = static_cast<std::uint32_t>(i);
  }

  found.largest.box = {width, height, -1, -1};
  found.largest.pixels.reserve(sizes[largest]);
  for (std::size_t i = 0; i < marked.size(); ++i) {
    const auto pixel = static_cast<std::uint32_t>(i);
    if (marked[i] == 0 || sets.find(pixel) != largest) continue;
    found.largest.pixels.push_back(pixel);
    PixelRect& box = found.largest.box;
    const int x = static_cast<int>(i % columns), row = static_cast<int>(i / columns);
    box = {std::min(box.x0, x), std::min(box.y0, row), std::max(box.x1, x), std::max(box.y1, row)};
  }
  return found;
}

}  // namespace roundel
