#include "renderer/compare/difference_regions.h"

#include <tbb/parallel_for.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <tuple>

namespace roundel {
namespace {

constexpr int kSquare = 16;  // pixels a side

bool is_red(const std::uint8_t* rgb) {
  return rgb[0] == 255 && rgb[1] == 0 && rgb[2] == 0;
}

double delta_of(double a, double b) {
  if (a == b || (std::isnan(a) && std::isnan(b))) return 0;
  const double delta = std::abs(a - b);
  return std::isfinite(delta) ? delta : std::numeric_limits<double>::infinity();
}

/// Returns the largest difference of a pixel's channels. Only the pictures' sizes may differ.
double peak_of(const Picture& a, const Picture& b, int x, int y) {
  double peak = 0;
  const std::size_t in_a = a.sample_at(x, y), in_b = b.sample_at(x, y);
  for (std::size_t c = 0; c < static_cast<std::size_t>(a.channels); ++c) {
    const double delta = a.samples == Picture::Samples::kBytes
                             ? std::abs(a.bytes[in_a + c] - b.bytes[in_b + c])
                             : delta_of(static_cast<double>(a.floats[in_a + c]),
                                        static_cast<double>(b.floats[in_b + c]));
    peak = std::max(peak, delta);
  }
  return peak;
}

bool is_before(const DifferenceRegion& a, const DifferenceRegion& b) {
  return std::tie(a.peak_y, a.peak_x) < std::tie(b.peak_y, b.peak_x);
}

void take_peak(const DifferenceRegion& from, DifferenceRegion& to) {
  to.peak = from.peak;
  to.peak_x = from.peak_x;
  to.peak_y = from.peak_y;
}

void add(const DifferenceRegion& more, DifferenceRegion& place) {
  if (more.peak > place.peak || (more.peak == place.peak && is_before(more, place)))
    take_peak(more, place);
  place.pixels += more.pixels;
  const int right = std::max(place.box.x + place.box.width, more.box.x + more.box.width);
  const int bottom = std::max(place.box.y + place.box.height, more.box.y + more.box.height);
  place.box.x = std::min(place.box.x, more.box.x);
  place.box.y = std::min(place.box.y, more.box.y);
  place.box.width = right - place.box.x;
  place.box.height = bottom - place.box.y;
}

/// Differing pixels by square of the picture.
class Squares {
 public:
  Squares(const Picture& a, const Picture& b, const Image& difference)
      : columns_((a.width + kSquare - 1) / kSquare),
        rows_((a.height + kSquare - 1) / kSquare),
        squares_(static_cast<std::size_t>(columns_) * static_cast<std::size_t>(rows_)) {
    tbb::parallel_for(0, rows_, [&](int row) {
      for (int y = row * kSquare; y < std::min(a.height, (row + 1) * kSquare); ++y) {
        const std::uint8_t* rgb = difference.bytes.data() + pixel_count(a.width, y) * 3;
        for (int x = 0; x < a.width; ++x, rgb += 3) {
          if (!is_red(rgb)) continue;
          const DifferenceRegion pixel{{x, y, 1, 1}, 1, peak_of(a, b, x, y), x, y};
          DifferenceRegion& square = at(x / kSquare, row);
          if (square.pixels == 0) {
            square = pixel;
          } else {
            add(pixel, square);
          }
        }
      }
    });
  }

  std::vector<DifferenceRegion> take_places() {
    std::vector<DifferenceRegion> places;
    for (int row = 0; row < rows_; ++row)
      for (int column = 0; column < columns_; ++column)
        if (at(column, row).pixels > 0) places.push_back(take_place(column, row));
    return places;
  }

 private:
  DifferenceRegion& at(int column, int row) {
    return squares_[static_cast<std::size_t>(row) * static_cast<std::size_t>(columns_) +
                    static_cast<std::size_t>(column)];
  }

  /// Takes all squares connected to this one.
  DifferenceRegion take_place(int first_column, int first_row) {
    DifferenceRegion place = at(first_column, first_row);
    at(first_column, first_row).pixels = 0;
    std::vector<std::pair<int, int>> open = {{first_column, first_row}};
    while (!open.empty()) {
      const auto [column, row] = open.back();
      open.pop_back();
      for (int y = std::max(0, row - 1); y <= std::min(rows_ - 1, row + 1); ++y) {
        for (int x = std::max(0, column - 1); x <= std::min(columns_ - 1, column + 1); ++x) {
          DifferenceRegion& square = at(x, y);
          if (square.pixels == 0) continue;
          add(square, place);
          square.pixels = 0;
          open.emplace_back(x, y);
        }
      }
    }
    return place;
  }

  int columns_, rows_;
  std::vector<DifferenceRegion> squares_;
};

}  // namespace

bool is_colored(const std::uint8_t* rgb) {
  return rgb[2] == 0;  // red and yellow; greys are light, and ignored pixels are blue
}

std::vector<DifferenceRegion> difference_regions(const Picture& a, const Picture& b,
                                                 const Image& difference) {
  std::vector<DifferenceRegion> places = Squares(a, b, difference).take_places();
  std::stable_sort(places.begin(), places.end(),
                   [](const DifferenceRegion& one, const DifferenceRegion& other) {
                     if (one.peak != other.peak) return one.peak > other.peak;
                     if (one.pixels != other.pixels) return one.pixels > other.pixels;
                     return is_before(one, other);
                   });
  return places;
}

}  // namespace roundel
