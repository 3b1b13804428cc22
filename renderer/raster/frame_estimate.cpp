#include "renderer/raster/frame_estimate.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <utility>

#include "renderer/raster/shaders.h"

namespace roundel {
namespace {

/// Optical depth (−ln T) of an opaque pixel: ln 2²⁰.
constexpr double kOpaqueDepth = 13.87;
constexpr std::size_t kSamplesPerBlock = 64;
/// Shorter lists never count as long.
constexpr std::uint64_t kMinLongList = 4096;
/// Samples at most this far apart show whether successive circles share a square. A slab of the
/// CUDA backend has 256 to 2048 circles.
constexpr std::uint64_t kMaxNeighbourDistance = 512;

struct Samples {
  std::size_t count;
  std::array<Shape, kSamplesPerBlock> shapes;  // NOLINT: only the first `count` are set
  std::array<Paint, kSamplesPerBlock> paints;  // NOLINT
};

std::size_t sample_index(std::size_t end, std::size_t block, std::size_t i, std::size_t n) {
  return end - i * block / n;
}

/// Samples the `block` circles before `end`, in equally spaced runs.
void take_samples(const CircleStream& circles, std::size_t end, std::size_t block,
                  Samples& samples) {
  samples.count = std::min(block, kSamplesPerBlock);
  for (std::size_t i = 0, run = 0; i < samples.count; i += run) {
    run = std::min(circles.traits().sample_run, samples.count - i);
    circles.fetch(sample_index(end, block, i, samples.count) - run,
                  std::span(samples.shapes).subspan(i, run),
                  std::span(samples.paints).subspan(i, run));
  }
}

/// Returns the smallest share of light, over the channels, that alpha 1 stops.
double min_stopped(const Paint& paint) {
  const BlendColor color = paint_color(paint);
  const auto [least, most] = std::minmax({color.red, color.green, color.blue});
  switch (blend_mode(paint)) {
    case BlendMode::kOver:
      return 1;
    case BlendMode::kAdd:
      return 0;
    case BlendMode::kMultiply:
      return std::max(1.0 - static_cast<double>(most), 0.0);
    case BlendMode::kScreen:
      break;
  }
  return static_cast<double>(least);
}

/// −ln(1 − alpha), averaged over the disc for falloffs and rings.
double optical_depth(const Shape& shape, const Paint& paint, const CircleStyles& styles) {
  constexpr double kSnowMean = 0.2454, kSoftMean = 0.2313;  // the falloffs' means over the disc
  double alpha = has_falloff(paint) ? peak_alpha(paint) * (is_soft(paint) ? kSoftMean : kSnowMean)
                                    : paint.alpha;
  double share = 1;
  if (styles.any()) {
    alpha *= min_stopped(paint);
    const double inner = static_cast<double>(inner_radius(shape, paint)) / shape.radius;
    share = shape.radius > 0 ? 1 - inner * inner : 0;
  }
  return share * (alpha < 1 ? std::min(-std::log1p(-alpha), kOpaqueDepth) : kOpaqueDepth);
}

/// Returns the largest number of samples in one tile; the image is `tiles` tiles high.
std::size_t max_in_one_tile(const Samples& samples, double tiles) {
  std::array<std::pair<int, int>, kSamplesPerBlock> positions;  // NOLINT: the first `count`
  const auto position = [&](float center) {
    return static_cast<int>(std::clamp(center * tiles, -1.0, 1e6));
  };
  for (std::size_t i = 0; i < samples.count; ++i)
    positions[i] = {position(samples.shapes[i].x), position(samples.shapes[i].y)};
  const auto end = positions.begin() + static_cast<std::ptrdiff_t>(samples.count);
  std::sort(positions.begin(), end);
  std::size_t most = 0;
  for (auto run = positions.begin(); run != end;) {
    const auto next = std::find_if(run, end, [&](const auto& other) { return other != *run; });
    most = std::max(most, static_cast<std::size_t>(next - run));
    run = next;
  }
  return most;
}

class SquareSums {
 public:
  explicit SquareSums(double square_side) : side_(square_side) {}

  /// `tiles`: number of tiles that the circles around pixel (x, y) touch.
  void add(double x, double y, double tiles) {
    sums_.emplace_back(std::pair(static_cast<int>(x / side_), static_cast<int>(y / side_)), tiles);
  }
  std::size_t count() const { return sums_.size(); }
  /// Returns the share of the samples from `first` on that lie in the previous sample's square; 0
  /// for too few samples.
  double share_of_neighbours(std::size_t first) const {
    const std::size_t samples = sums_.size() - first;
    if (samples < kSamplesPerBlock / 4) return 0;
    std::size_t alike = 0;
    for (std::size_t i = first + 1; i < sums_.size(); ++i)
      alike += sums_[i].first == sums_[i - 1].first ? 1 : 0;
    return static_cast<double>(alike) / static_cast<double>(samples - 1);
  }
  /// Returns the share of the densest square. Reorders the sums.
  double largest_share() {
    std::sort(sums_.begin(), sums_.end());
    double all = 0, largest = 0, sum = 0;
    for (std::size_t i = 0; i < sums_.size(); ++i) {
      sum = (i > 0 && sums_[i].first == sums_[i - 1].first ? sum : 0) + sums_[i].second;
      largest = std::max(largest, sum);
      all += sums_[i].second;
    }
    return all > 0 ? largest / all : 1;
  }

 private:
  double side_;
  std::vector<std::pair<std::pair<int, int>, double>> sums_;
};

class CellCounts {
 public:
  /// (x, y): centre, in shares of the image.
  void add(double x, double y, double circles) {
    if (!(x >= 0 && x < 1 && y >= 0 && y < 1)) return;
    Cell& cell =
        cells_[static_cast<std::size_t>(y * kSide) * kSide + static_cast<std::size_t>(x * kSide)];
    cell.circles += circles;
    cell.heights += y * circles;
    ++cell.samples;
    all_ += circles;
  }
  /// Returns the mean height in the fullest cell; 0 if it has less than kMinDensity times the mean
  /// or too few samples.
  double densest_height() const {
    const auto fullest =
        std::max_element(cells_.begin(), cells_.end(),
                         [](const Cell& a, const Cell& b) { return a.circles < b.circles; });
    const bool is_dense =
        fullest->samples >= kMinSamples && fullest->circles >= kMinDensity * all_ / (kSide * kSide);
    return is_dense ? fullest->heights / fullest->circles : 0;
  }

 private:
  static constexpr std::size_t kSide = 8;
  static constexpr double kMinDensity = 4;
  static constexpr int kMinSamples = 16;
  struct Cell {
    double circles = 0, heights = 0;
    int samples = 0;
  };
  std::array<Cell, kSide * kSide> cells_;
  double all_ = 0;
};

}  // namespace

std::vector<std::size_t> sampled_indices(std::size_t count) {
  std::vector<std::size_t> positions;
  for (std::size_t done = 0, size = kSamplesPerBlock; done < count; size *= 2) {
    const std::size_t block = std::min(size, count - done);
    const std::size_t samples = std::min(block, kSamplesPerBlock);
    for (std::size_t i = 0; i < samples; ++i)
      positions.push_back(sample_index(count - done, block, i, samples) - 1);
    done += block;
  }
  return positions;
}

FrameEstimate estimate_frame(const CircleStream& circles, const ImageSettings& image, int tile_size,
                             double saturation_factor) {
  const double width = image.width, height = image.height, scale = image.frame_height();
  const double left = image.first_column(), bottom = image.first_row();
  const std::uint64_t count = circles.count();
  const auto tiles_across = [&](double center, double radius, double pixels) {
    const double first = std::max(center - radius, 0.0), last = std::min(center + radius, pixels);
    return first < last ? std::floor(last / tile_size) - std::floor(first / tile_size) + 1 : 0.0;
  };

  FrameEstimate estimate{count, 0, 0, 0};
  const double square_side = static_cast<double>(kSquareTiles) * tile_size;
  const bool has_squares = width > square_side || height > square_side;
  double depth = 0, tiles = 0, densest = 0;
  SquareSums squares(square_side);
  CellCounts cells;  // front circles only
  Samples samples;   // NOLINT: see there
  // Blocks double in size, from the front to the back.
  for (std::uint64_t done = 0, size = kSamplesPerBlock; done < count; size *= 2) {
    const std::uint64_t block = std::min(size, count - done);
    take_samples(circles, count - done, block, samples);
    const double weight = static_cast<double>(block) / static_cast<double>(samples.count);
    double block_depth = 0, block_tiles = 0;
    const std::size_t first_square = squares.count();
    for (std::size_t i = 0; i < samples.count; ++i) {
      const Shape& shape = samples.shapes[i];
      const double x = shape.x * scale - left, y = shape.y * scale - bottom;
      const double radius = shape.radius * scale;
      const double reach = radius + (image.antialias ? 0.5 : 0.0);
      const double touched = tiles_across(x, reach, width) * tiles_across(y, reach, height);
      block_tiles += touched;
      if (estimate.front_circles == count) cells.add(x / width, y / height, weight);
      if (touched > 0) {
        if (has_squares) {
          squares.add(std::clamp(x, 0.0, width - 1), std::clamp(y, 0.0, height - 1),
                      touched * weight);
        }
        const auto seen = [radius](double center, double pixels) {
          return std::max(std::min(center + radius, pixels) - std::max(center - radius, 0.0), 0.0);
        };
        const double seen_width = seen(x, width), seen_height = seen(y, height);
        const double area = M_PI / 4 * seen_width * seen_height;
        block_depth +=
            optical_depth(shape, samples.paints[i], image.styles) * area / (width * height);
      }
    }
    if (block <= kMaxNeighbourDistance * kSamplesPerBlock)
      densest = std::max(densest, squares.share_of_neighbours(first_square));
    const std::size_t most = block < kMinLongList ? 0 : max_in_one_tile(samples, scale / tile_size);
    if (10 * most >= samples.count)
      estimate.longest_list = std::max(estimate.longest_list, weight * static_cast<double>(most));
    const double missing = saturation_factor * kOpaqueDepth - depth;
    depth += block_depth * weight;
    tiles += block_tiles * weight;
    done += block;
    if (depth >= saturation_factor * kOpaqueDepth && estimate.front_circles == count) {
      const double part = missing / (block_depth * weight);
      estimate.front_circles =
          done - block + static_cast<std::uint64_t>(std::ceil(part * static_cast<double>(block)));
      estimate.front_tiles_per_circle = tiles / static_cast<double>(done);
      densest = std::max(densest, squares.largest_share());
    }
  }
  estimate.tiles_per_circle = count > 0 ? tiles / static_cast<double>(count) : 0;
  if (estimate.front_circles == count) estimate.front_tiles_per_circle = estimate.tiles_per_circle;
  estimate.densest_height = cells.densest_height();
  if (has_squares) estimate.densest_square = std::max(densest, squares.largest_share());
  return estimate;
}

}  // namespace roundel
