#include <fmt/format.h>
#include <tbb/parallel_for.h>

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <cstring>
#include <limits>
#include <numeric>
#include <vector>

#include "renderer/base/error.h"
#include "renderer/compare/antialiasing.h"
#include "renderer/compare/byte_rows.h"
#include "renderer/compare/compare_levels.h"
#include "renderer/compare/exr_structure.h"
#include "renderer/compare/ignored_pixels.h"
#include "renderer/compare/picture_difference.h"
#include "renderer/compare/picture_shapes.h"
#include "renderer/compare/picture_shift.h"
#include "renderer/compare/ssim.h"

namespace roundel {
namespace {

constexpr int kRowsPerTask = 64;
constexpr int kDefaultWindow = 16;  // in pixels, of `densest`
const char* const kSampleNames[] = {"", " of 16 bits", " of floats"};

std::string shape_text(const Picture& picture) {
  const char* const kChannels[] = {"", "grey", "grey and alpha", "RGB", "RGBA"};
  std::string text =
      fmt::format("{}x{} {}{}", picture.width, picture.height, kChannels[picture.channels],
                  kSampleNames[static_cast<int>(picture.samples)]);
  if (picture.left != 0 || picture.top != 0) {
    text += fmt::format(" at ({}, {})", picture.left, picture.top);
  }
  if (!picture.color_space.empty()) text += " with " + picture.color_space;
  if (picture.orientation != 1)
    text += fmt::format(", turned by Exif orientation {}", picture.orientation);
  return text;
}

/// Throws Error(kUsage) for invalid limits, boxes and windows.
void check(const Tolerance& tolerance) {
  if (!(tolerance.max_delta >= 0))
    throw Error(
        ExitCode::kUsage,
        fmt::format("Tolerance::max_delta: expected a number >= 0, got {}", tolerance.max_delta));
  for (const PixelBox& box : tolerance.ignore)
    if (box.x < 0 || box.y < 0 || box.width < 1 || box.height < 1)
      throw Error(ExitCode::kUsage,
                  fmt::format("Tolerance::ignore: expected boxes of 1x1 pixels or more, from 0, 0 "
                              "on, got {}x{} from {}, {} on",
                              box.width, box.height, box.x, box.y));
  if (const auto& window = tolerance.max_density;
      window && (window->width < 1 || window->height < 1))
    throw Error(ExitCode::kUsage,
                fmt::format("Tolerance::max_density: expected a window of 1x1 pixels or more, got "
                            "{}x{}",
                            window->width, window->height));
}

/// Runs compare_row(y, sums, over) on all cores. Adds the sums in the order of rows, so that floats
/// are reproducible.
template <typename Sums, typename CompareRow>
Sums compare_rows(PixelSet& over, const CompareRow& compare_row) {
  const int tasks = (over.height() + kRowsPerTask - 1) / kRowsPerTask;
  std::vector<Sums> sums(static_cast<std::size_t>(tasks));
  const auto compare = [&](int task) {
    Sums sum;
    const int end = std::min((task + 1) * kRowsPerTask, over.height());
    for (int y = task * kRowsPerTask; y < end; ++y) {
      const std::span<std::uint64_t> bits = over.row(y);
      std::fill(bits.begin(), bits.end(), 0);
      compare_row(static_cast<std::size_t>(y), sum, bits.data());
    }
    sums[static_cast<std::size_t>(task)] = sum;
  };
  // Starting oneTBB takes longer than comparing a small picture.
  if (tasks == 1)
    compare(0);
  else
    tbb::parallel_for(0, tasks, compare);
  Sums total;
  for (const Sums& sum : sums) total.add(sum);
  return total;
}

struct FloatDifferences : DifferenceSums<double> {
  double peak = 0;               ///< the largest finite value of either picture
  std::uint64_t not_finite = 0;  ///< pixels with NaN or infinity on one side only

  void add(const FloatDifferences& other) {
    DifferenceSums::add(other);
    peak = std::max(peak, other.peak);
    not_finite += other.not_finite;
  }
};

bool same_value(float a, float b) {
  return a == b || (std::isnan(a) && std::isnan(b));
}

double finite_peak(const float* values, std::size_t count) {
  float peak = 0;
  for (std::size_t i = 0; i < count; ++i) {
    if (values[i] > peak && std::isfinite(values[i])) peak = values[i];
  }
  return static_cast<double>(peak);
}

/// Values are equal as numbers, or both NaN. Sets the bits in `over` (see PixelSet::row) of pixels
/// with a difference that is above a channel's limit or not finite.
void compare_float_row(const float* a, const float* b, std::size_t pixels, int channels,
                       Picture::Samples samples, const double* limits,
                       FloatDifferences& differences, std::uint64_t* over) {
  const std::size_t count = pixels * static_cast<std::size_t>(channels);
  differences.peak = std::max({differences.peak, finite_peak(a, count), finite_peak(b, count)});
  if (std::memcmp(a, b, count * sizeof(float)) == 0) return;
  for (std::size_t p = 0; p < pixels; ++p) {
    bool differs = false, is_over = false, not_finite = false;
    for (int c = 0; c < channels; ++c, ++a, ++b) {
      if (same_value(*a, *b)) continue;
      differs = true;
      if (!std::isfinite(*a) || !std::isfinite(*b)) {
        not_finite = is_over = true;
        continue;
      }
      const double delta = sample_delta(*a, *b, samples);
      differences.largest[c] = std::max(differences.largest[c], delta);
      differences.sum[c] += delta;
      differences.squares[c] += delta * delta;
      if (delta > limits[c]) is_over = true;
    }
    if (differs) ++differences.pixels;
    if (not_finite) ++differences.not_finite;
    if (is_over) over[p / 64] |= std::uint64_t{1} << (p % 64);
  }
}

ByteDifferences compare_bytes(const Picture& a, const Picture& b, double limit, PixelSet& over) {
  const auto width = static_cast<std::size_t>(a.width);
  const std::size_t row_bytes = width * static_cast<std::size_t>(a.channels);
  const auto whole_limit = static_cast<std::uint8_t>(std::min(limit, 255.0));
  return compare_rows<ByteDifferences>(
      over, [&](std::size_t y, ByteDifferences& sums, std::uint64_t* bits) {
        const std::uint8_t* const row_a = a.bytes.data() + y * row_bytes;
        const std::uint8_t* const row_b = b.bytes.data() + y * row_bytes;
        if (std::memcmp(row_a, row_b, row_bytes) == 0) return;
        compare_byte_row(row_a, row_b, width, a.channels, whole_limit, sums, bits);
      });
}

FloatDifferences compare_floats(const Picture& a, const Picture& b,
                                const std::array<double, 4>& limits, PixelSet& over) {
  const auto width = static_cast<std::size_t>(a.width);
  const std::size_t row_floats = width * static_cast<std::size_t>(a.channels);
  return compare_rows<FloatDifferences>(
      over, [&](std::size_t y, FloatDifferences& sums, std::uint64_t* bits) {
        compare_float_row(a.floats.data() + y * row_floats, b.floats.data() + y * row_floats, width,
                          a.channels, a.samples, limits.data(), sums, bits);
      });
}

/// `white`: value of RMSE 1; `peak`: value of PSNR 0 dB.
template <typename Sums>
void fill_sums(PictureDifference& difference, const Picture& picture, const Sums& sums,
               double white, double peak) {
  const char* const kColors[] = {"red", "green", "blue", "alpha"};
  const char* const kGreys[] = {"grey", "alpha"};
  const double pixels = static_cast<double>(picture.pixels());
  double squares = 0;
  for (int c = 0; c < picture.channels; ++c) {
    difference.channels.push_back({picture.channels < 3 ? kGreys[c] : kColors[c],
                                   static_cast<double>(sums.largest[c]),
                                   static_cast<double>(sums.sum[c]) / pixels});
    squares += static_cast<double>(sums.squares[c]);
  }
  difference.rmse = std::sqrt(squares / (pixels * picture.channels)) / white;
  difference.psnr = difference.rmse > 0 ? 20 * std::log10(peak / white / difference.rmse)
                                        : std::numeric_limits<double>::infinity();
  difference.pixels = sums.pixels;
}

/// Removes the pixels on smoothed edges. Returns their number.
std::uint64_t remove_antialiased(const Picture& a, const Picture& b, PixelSet& over) {
  std::vector<std::uint64_t> removed(static_cast<std::size_t>(over.height()));
  tbb::parallel_for(0, over.height(), [&](int y) {
    for (std::size_t w = 0; w < over.row(y).size(); ++w)
      for (std::uint64_t bits = over.row(y)[w]; bits != 0; bits &= bits - 1) {
        if (!is_antialiased(a, b, static_cast<int>(w) * 64 + std::countr_zero(bits), y)) continue;
        over.row(y)[w] &= ~(bits & -bits);
        ++removed[static_cast<std::size_t>(y)];
      }
  });
  return std::accumulate(removed.begin(), removed.end(), std::uint64_t{0});
}

void fill_pixels_over(PictureDifference& difference, const PixelSet& over,
                      const Tolerance& tolerance) {
  difference.pixels_over = over.count();
  if (difference.pixels_over == 0) return;
  difference.box = over.box();
  const Tolerance::Density window =
      tolerance.max_density.value_or(Tolerance::Density{0, kDefaultWindow, kDefaultWindow});
  std::tie(difference.densest, difference.densest_pixels) =
      over.densest_window(difference.box, window.width, window.height);
}

void fill_measures(PictureDifference& difference, const Picture& a, const Picture& b,
                   const Measures& measures) {
  if (!measures.flip && !measures.ssim) return;
  if (!a.color_space.empty()) {
    throw Error(ExitCode::kInvalidScene,
                fmt::format("FLIP and SSIM: expected sRGB pictures, got {}", a.color_space));
  }
  if (measures.flip) difference.flip = flip_statistics(a, b, measures.pixels_per_degree);
  if (measures.ssim) difference.ssim = structural_similarity(a, b);
}

/// Both have the same shape.
PictureDifference compare_all_pixels(const Picture& a, const Picture& b, const Tolerance& tolerance,
                                     const Measures& measures) {
  PictureDifference difference;
  difference.width = a.width;
  difference.height = a.height;
  PixelSet over(a.width, a.height);
  constexpr double kLevels = 255;
  if (a.samples == Picture::Samples::kBytes) {
    fill_sums(difference, a, compare_bytes(a, b, tolerance.max_delta, over), kLevels, kLevels);
  } else {
    const FloatDifferences sums = compare_floats(a, b, plain_limits(a, tolerance), over);
    const double white = a.is_linear() ? 1 : kLevels;
    fill_sums(difference, a, sums, white, std::max(white, sums.peak));
    difference.not_finite = sums.not_finite;
  }
  if (tolerance.ignores_antialiasing) difference.antialiased = remove_antialiased(a, b, over);
  fill_pixels_over(difference, over, tolerance);
  difference.kind = difference.pixels == 0 ? PictureDifference::Kind::kEqualPixels
                                           : PictureDifference::Kind::kDifferent;
  fill_measures(difference, a, b, measures);
  return difference;
}

/// True for EXR pictures that make_comparable() may give one shape.
bool may_be_stored_differently(const Picture& a, const Picture& b) {
  if (!a.is_linear() || !b.is_linear() || same_shape(a, b)) return false;
  return !a.levels.empty() || !b.levels.empty() ||
         (a.display.width > 0 && b.display.width > 0 &&
          (a.left != b.left || a.top != b.top || a.width != b.width || a.height != b.height));
}

/// Both have the same shape.
PictureDifference compare_same_shape(const Picture& a, const Picture& b, const Tolerance& tolerance,
                                     const Measures& measures) {
  const std::optional<PixelSet> ignored = ignored_pixels(tolerance, a.width, a.height);
  std::uint64_t different = 0;
  if (!a.levels.empty()) {
    PictureDifference difference = compare_levels(a, b, tolerance);
    // The measures are those of the shown layer.
    if (shows_colors(a) && (measures.flip || measures.ssim))
      fill_measures(difference, a,
                    ignored ? with_ignored_of(a, b, *ignored, different) : copy_of(b), measures);
    return difference;
  }
  if (!ignored) return compare_all_pixels(a, b, tolerance, measures);
  const Picture rest = with_ignored_of(a, b, *ignored, different);
  PictureDifference difference = compare_all_pixels(a, rest, tolerance, measures);
  difference.ignored = ignored->count();
  difference.ignored_different = different;
  if (different > 0) difference.kind = PictureDifference::Kind::kDifferent;
  return difference;
}

PictureDifference compare_other_shape(const Picture& a, const Picture& b,
                                      const Tolerance& tolerance) {
  PictureDifference difference;
  difference.kind = PictureDifference::Kind::kOtherShape;
  difference.shape = other_structure(a, b);
  if (difference.shape.empty()) difference.shape = shape_text(a) + " and " + shape_text(b);
  difference.can_unify_shapes = can_unify_shapes(a, b);
  if (!differ_in_size_only(a, b)) return difference;
  const PictureDifference inside = compare_same_shape(
      a, placed_on(a, b), with_fitting_mask(tolerance, a.width, a.height), Measures{});
  difference.overlap = PictureDifference::Overlap{std::min(a.width, b.width),
                                                  std::min(a.height, b.height), inside.pixels_over};
  return difference;
}

}  // namespace

PictureDifference compare_pictures(const Picture& a, const Picture& b, const Tolerance& tolerance,
                                   const Measures& measures) {
  check(tolerance);
  if (may_be_stored_differently(a, b)) {
    Picture like_a = copy_of(a), like_b = copy_of(b);
    make_comparable(like_a, like_b, false);
    if (same_shape(like_a, like_b)) return compare_pictures(like_a, like_b, tolerance, measures);
  }
  PictureDifference difference = same_shape(a, b) ? compare_same_shape(a, b, tolerance, measures)
                                                  : compare_other_shape(a, b, tolerance);
  if (difference.kind != PictureDifference::Kind::kOtherShape)
    difference.names = channel_names(a, tolerance);
  if (measures.shift && a.levels.empty() && (difference.pixels_over > 0 || difference.overlap))
    difference.shift = find_shift(a, b, tolerance);
  return difference;
}

}  // namespace roundel
