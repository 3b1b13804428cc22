#include "renderer/compare/flip.h"

#include <tbb/enumerable_thread_specific.h>
#include <tbb/parallel_for.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <vector>

#include "renderer/compare/flip_tile.h"
#include "renderer/compare/opaque_pixel.h"
#include "renderer/pixels/srgb.h"

namespace roundel {
namespace {

constexpr int kTileWidth = kMaxFlipTileWidth, kTileHeight = 64;

/// Factors of HDR-ꟻLIP: from the one that maps the reference's brightest pixel to 0.85 after tone
/// mapping, to the one that does so for its median luminance, at most a stop apart.
std::vector<float> exposures_of(const Picture& reference, float background) {
  std::vector<float> luminances;
  luminances.reserve(pixel_count(reference.width, reference.height));
  for (int y = 0; y < reference.height; ++y) {
    for (int x = 0; x < reference.width; ++x) {
      const OpaquePixel pixel = opaque_pixel(reference, x, y, background);
      luminances.push_back(0.2126f * pixel.red + 0.7152f * pixel.green + 0.0722f * pixel.blue);
    }
  }
  const auto middle = luminances.begin() + static_cast<std::ptrdiff_t>(luminances.size() / 2);
  std::nth_element(luminances.begin(), middle, luminances.end());
  constexpr double kMinMedian = std::numeric_limits<float>::epsilon();
  const double median = std::max(static_cast<double>(*middle), kMinMedian);
  const auto brightest = static_cast<double>(*std::max_element(middle, luminances.end()));
  if (brightest == 0) return {1};

  // Tone mapping is (k₀x² + k₁x)/(k₃x² + k₄x + k₅); it is 0.85 at the positive root.
  constexpr double kPre = 0.6, kTarget = 0.85;
  constexpr double kA = kPre * kPre * (2.51 - kTarget * 2.43);
  constexpr double kB = kPre * (0.03 - kTarget * 0.59), kC = -kTarget * 0.14;
  const double root = (-kB + std::sqrt(kB * kB - 4 * kA * kC)) / (2 * kA);
  const double start = std::log2(root / brightest), stop = std::log2(root / median);
  const int count = std::max(2, static_cast<int>(std::ceil(stop - start)));
  std::vector<float> factors;
  factors.reserve(static_cast<std::size_t>(count));
  for (int i = 0; i < count; ++i)
    factors.push_back(static_cast<float>(std::exp2(start + i * (stop - start) / (count - 1))));
  return factors;
}

/// Loads linear RGB over a background.
class LinearLoader {
 public:
  LinearLoader(const Picture& picture, float background)
      : picture_(picture), background_(background) {
    for (std::size_t level = 0; level < levels_.size(); ++level)
      levels_[level] = srgb_to_linear(static_cast<float>(level) / 255.0f);
    is_table_enough_ = picture.samples == Picture::Samples::kBytes && picture.channels % 2 == 1;
  }

  /// Loads `box` and a margin; outside the picture, its nearest pixels.
  void load(const PixelBox& box, int margin, ColorPlanes& out) const {
    const int width = box.width + 2 * margin, height = box.height + 2 * margin;
    for (auto& plane : out.planes) plane.resize(pixel_count(width, height));
    std::size_t i = 0;
    for (int row = 0; row < height; ++row) {
      const int y = std::clamp(box.y - margin + row, 0, picture_.height - 1);
      for (int column = 0; column < width; ++column, ++i) {
        const int x = std::clamp(box.x - margin + column, 0, picture_.width - 1);
        const OpaquePixel pixel = linear_pixel(x, y);
        out.planes[0][i] = pixel.red, out.planes[1][i] = pixel.green, out.planes[2][i] = pixel.blue;
      }
    }
  }

 private:
  OpaquePixel linear_pixel(int x, int y) const {
    if (!is_table_enough_) {
      const OpaquePixel pixel = opaque_pixel(picture_, x, y, background_);
      if (picture_.is_linear()) return pixel;
      return {srgb_to_linear(pixel.red), srgb_to_linear(pixel.green), srgb_to_linear(pixel.blue)};
    }
    const auto channels = static_cast<std::size_t>(picture_.channels);
    const std::uint8_t* const bytes = picture_.bytes.data() + picture_.sample_at(x, y);
    return {levels_[bytes[0]], levels_[bytes[channels / 2]], levels_[bytes[channels - 1]]};
  }

  const Picture& picture_;
  float background_;
  bool is_table_enough_ = false;
  std::array<float, 256> levels_{};
};

/// Raises the map's errors to those of the pictures over this background.
void add_errors(const Picture& a, const Picture& b, const FlipFilters& filters, float background,
                FlipMap& map) {
  const LinearLoader load_a(a, background), load_b(b, background);
  const std::vector<float> exposures =
      a.is_linear() ? exposures_of(a, background) : std::vector<float>{0};
  const int columns = (map.box.width + kTileWidth - 1) / kTileWidth;
  const int rows = (map.box.height + kTileHeight - 1) / kTileHeight;
  struct Memory {
    FlipTile tile;
    FlipScratch scratch;
  };
  tbb::enumerable_thread_specific<Memory> memories;
  tbb::parallel_for(0, columns * rows, [&](int number) {
    auto& [tile, scratch] = memories.local();
    const int x = number % columns * kTileWidth, y = number / columns * kTileHeight;
    tile.width = std::min(kTileWidth, map.box.width - x);
    tile.height = std::min(kTileHeight, map.box.height - y);
    const PixelBox box{map.box.x + x, map.box.y + y, tile.width, tile.height};
    load_a.load(box, filters.radius, tile.a);
    load_b.load(box, filters.radius, tile.b);
    tile.errors.assign(pixel_count(tile.width, tile.height), 0.0f);
    for (const float exposure : exposures) {
      tile.exposure = exposure;
      flip_tile(filters, tile, scratch);
    }
    const float* from = tile.errors.data();
    for (int row = 0; row < tile.height; ++row) {
      float* const to =
          map.errors.data() +
          static_cast<std::size_t>(y + row) * static_cast<std::size_t>(map.box.width) +
          static_cast<std::size_t>(x);
      for (int column = 0; column < tile.width; ++column)
        to[column] = std::max(to[column], *from++);
    }
  });
}

}  // namespace

FlipMap flip_map(const Picture& a, const Picture& b, double pixels_per_degree) {
  const FlipFilters filters = flip_filters(pixels_per_degree);
  FlipMap map{a.width, a.height, differing_box(a, b), {}};
  if (map.box.width == 0) return map;
  map.box = grown(map.box, filters.radius, a);
  map.errors = Buffer<float>(pixel_count(map.box.width, map.box.height));
  std::fill(map.errors.begin(), map.errors.end(), 0.0f);
  add_errors(a, b, filters, 0, map);
  if (is_translucent(a) || is_translucent(b)) add_errors(a, b, filters, 1, map);
  return map;
}

FlipStatistics flip_statistics(const FlipMap& map) {
  FlipStatistics statistics;
  if (map.errors.empty()) return statistics;
  // The weighted median comes from a histogram whose bins hold the sums of their values.
  constexpr std::size_t kClasses = 65536;
  std::vector<double> sums(kClasses);
  double total = 0;
  float least = 1, greatest = 0;
  for (const float error : map.errors) {
    const auto value = static_cast<double>(error);
    sums[static_cast<std::size_t>(error * (kClasses - 1))] += value;
    total += value;
    least = std::min(least, error);
    greatest = std::max(greatest, error);
  }
  const double pixels = static_cast<double>(pixel_count(map.width, map.height));
  const bool is_whole = static_cast<double>(map.errors.size()) == pixels;
  statistics.mean = total / pixels;
  statistics.min = is_whole ? static_cast<double>(least) : 0;
  statistics.max = static_cast<double>(greatest);
  double running = 0;
  for (std::size_t i = 0; i < kClasses && running <= total / 2; ++i) {
    running += sums[i];
    if (running > total / 2)
      statistics.weighted_median = static_cast<double>(i) / static_cast<double>(kClasses - 1);
  }
  return statistics;
}

}  // namespace roundel
