#include "renderer/compare/pixel_set.h"

#include <tbb/parallel_for.h>

#include <algorithm>
#include <bit>
#include <vector>

namespace roundel {
namespace {

struct Densest {
  std::uint64_t pixels = 0;
  int x = 0, y = 0;
};

/// Finds the densest window whose upper left pixel lies in columns [first_x, last_x], by running
/// counts per column, and a running sum of these.
class WindowSearch {
 public:
  WindowSearch(const PixelSet& set, int width, int height, int first_x, int last_x)
      : set_(set), width_(width), height_(height), first_x_(first_x), last_x_(last_x) {}

  /// Upper rows are first_y to last_y.
  Densest search(int first_y, int last_y) const {
    std::vector<std::uint32_t> columns(static_cast<std::size_t>(set_.width()));
    Densest best{0, first_x_, first_y};
    std::uint64_t pixels = 0;  // in the window's rows
    for (int y = first_y; y < first_y + height_ - 1; ++y) pixels += add_row(columns, y, 1);
    for (int y = first_y; y <= last_y; ++y) {
      pixels += add_row(columns, y + height_ - 1, 1);
      if (pixels > best.pixels) search_row(columns, y, best);
      pixels -= add_row(columns, y, ~0U);
    }
    return best;
  }

 private:
  /// `change` is 1, or −1 modulo 2³². Returns the number of pixels in the row.
  std::uint64_t add_row(std::vector<std::uint32_t>& columns, int y, std::uint32_t change) const {
    const std::span<const std::uint64_t> row = set_.row(y);
    std::uint64_t pixels = 0;
    for (std::size_t w = 0; w < row.size(); ++w) {
      if (row[w] == 0) continue;  // nearly all
      pixels += static_cast<unsigned>(std::popcount(row[w]));
      for (std::uint64_t rest = row[w]; rest != 0; rest &= rest - 1)
        columns[w * 64 + static_cast<std::size_t>(std::countr_zero(rest))] += change;
    }
    return pixels;
  }

  void search_row(const std::vector<std::uint32_t>& columns, int y, Densest& best) const {
    const auto count = [&columns](int x) { return columns[static_cast<std::size_t>(x)]; };
    std::uint64_t sum = 0;
    for (int x = first_x_; x < first_x_ + width_ - 1; ++x) sum += count(x);
    for (int x = first_x_; x <= last_x_; ++x) {
      sum += count(x + width_ - 1);
      if (sum > best.pixels) best = {sum, x, y};
      sum -= count(x);
    }
  }

  const PixelSet& set_;
  int width_, height_, first_x_, last_x_;
};

}  // namespace

std::uint64_t PixelSet::count() const {
  std::uint64_t pixels = 0;
  for (const std::uint64_t word : words_)
    if (word != 0) pixels += static_cast<unsigned>(std::popcount(word));
  return pixels;
}

PixelBox PixelSet::box() const {
  int x0 = width_, x1 = -1, y0 = height_, y1 = -1;
  for (int y = 0; y < height_; ++y) {
    const std::span<const std::uint64_t> words = row(y);
    const auto is_set = [](std::uint64_t word) { return word != 0; };
    const auto first = std::find_if(words.begin(), words.end(), is_set);
    if (first == words.end()) continue;
    const auto last = std::find_if(words.rbegin(), words.rend(), is_set);
    x0 = std::min(x0, static_cast<int>(first - words.begin()) * 64 + std::countr_zero(*first));
    x1 = std::max(x1, static_cast<int>(words.rend() - last) * 64 - 1 - std::countl_zero(*last));
    y0 = std::min(y0, y);
    y1 = y;
  }
  return x1 < 0 ? PixelBox{} : PixelBox{x0, y0, x1 - x0 + 1, y1 - y0 + 1};
}

std::pair<PixelBox, std::uint64_t> PixelSet::densest_window(const PixelBox& box, int window_width,
                                                            int window_height) const {
  const int width = std::min(window_width, width_), height = std::min(window_height, height_);
  // A window that extends beyond the box can be moved over it, within the picture, without losing a
  // pixel.
  const int first_x = std::min(box.x, width_ - width);
  const int last_x = std::max(first_x, box.x + box.width - width);
  const int first_y = std::min(box.y, height_ - height);
  const int last_y = std::max(first_y, box.y + box.height - height);
  const WindowSearch search(*this, width, height, first_x, last_x);

  constexpr int kStrip = 256;  // rows of windows per task
  const int strips = (last_y - first_y) / kStrip + 1;
  std::vector<Densest> found(static_cast<std::size_t>(strips));
  const auto search_strip = [&](int strip) {
    const int y = first_y + strip * kStrip;
    found[static_cast<std::size_t>(strip)] = search.search(y, std::min(y + kStrip - 1, last_y));
  };
  if (strips == 1)
    search_strip(0);
  else
    tbb::parallel_for(0, strips, search_strip);
  const Densest& best =
      *std::max_element(found.begin(), found.end(), [](const Densest& a, const Densest& b) {
        return a.pixels < b.pixels;  // max_element keeps the first of equals
      });
  return {{best.x, best.y, width, height}, best.pixels};
}

}  // namespace roundel
