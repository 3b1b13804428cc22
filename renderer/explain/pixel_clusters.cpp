#include "renderer/explain/pixel_clusters.h"

#include <algorithm>
#include <unordered_map>

namespace roundel {
namespace {

/// Disjoint sets of pixels; the smallest pixel number represents a set.
class PixelSets {
 public:
  explicit PixelSets(std::size_t count) : parents_(count) {}

  void add(std::uint32_t pixel) { parents_[pixel] = pixel; }
  std::uint32_t find(std::uint32_t pixel) {
    while (parents_[pixel] != pixel) {
      parents_[pixel] = parents_[parents_[pixel]];  // halves the path
      pixel = parents_[pixel];
    }
    return pixel;
  }
  void join(std::uint32_t a, std::uint32_t b) {
    const std::uint32_t first = find(a), second = find(b);
    parents_[std::max(first, second)] = std::min(first, second);
  }

 private:
  Buffer<std::uint32_t> parents_;  // set for added pixels
};

}  // namespace

PixelClusters find_clusters(const Buffer<std::uint8_t>& marked, int width, int height,
                            std::size_t max_clusters) {
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
  for (std::size_t i = 0; i < marked.size(); ++i)
    if (marked[i] != 0) ++sizes[sets.find(static_cast<std::uint32_t>(i))];
  std::vector<std::uint32_t> roots;
  for (std::size_t i = 0; i < sizes.size(); ++i)
    if (sizes[i] > 0) roots.push_back(static_cast<std::uint32_t>(i));
  found.clusters = roots.size();
  std::stable_sort(roots.begin(), roots.end(), [&sizes](std::uint32_t first, std::uint32_t second) {
    return sizes[first] > sizes[second];
  });
  roots.resize(std::min(max_clusters, roots.size()));

  std::unordered_map<std::uint32_t, PixelCluster*> by_root;
  found.largest.resize(roots.size());
  for (std::size_t i = 0; i < roots.size(); ++i) {
    found.largest[i].box = {width, height, -1, -1};
    found.largest[i].pixels.reserve(sizes[roots[i]]);
    by_root[roots[i]] = &found.largest[i];
  }
  for (std::size_t i = 0; i < marked.size(); ++i) {
    const auto pixel = static_cast<std::uint32_t>(i);
    if (marked[i] == 0) continue;
    const auto cluster = by_root.find(sets.find(pixel));
    if (cluster == by_root.end()) continue;
    cluster->second->pixels.push_back(pixel);
    PixelRect& box = cluster->second->box;
    const int x = static_cast<int>(i % columns), row = static_cast<int>(i / columns);
    box = {std::min(box.x0, x), std::min(box.y0, row), std::max(box.x1, x), std::max(box.y1, row)};
  }
  return found;
}

}  // namespace roundel
