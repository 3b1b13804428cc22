#include "renderer/compare/compare_levels.h"

#include <fmt/format.h>
#include <tbb/parallel_for.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <vector>

#include "renderer/base/error.h"
#include "renderer/base/text.h"
#include "renderer/compare/exr_structure.h"
#include "renderer/compare/golden_rules.h"
#include "renderer/compare/ignored_pixels.h"

namespace roundel {
namespace {

constexpr int kRowsOfTask = 64;
constexpr int kWindowSide = 16;  // in pixels, of `densest`

/// Sums of a channel in a level.
struct ChannelSums {
  std::uint64_t pixels = 0;  ///< with any difference
  double largest = 0, sum = 0, squares = 0;
  double farthest = 0;  ///< `largest`, or infinity with NaN or infinity on one side
  int x = 0, y = 0;     ///< the first pixel with this

  void add(const ChannelSums& later) {
    pixels += later.pixels;
    largest = std::max(largest, later.largest);
    sum += later.sum, squares += later.squares;
    if (later.farthest > farthest) farthest = later.farthest, x = later.x, y = later.y;
  }
};

struct LevelSums {
  explicit LevelSums(std::size_t count) : channels(count) {}
  std::vector<ChannelSums> channels;
  std::uint64_t pixels = 0, not_finite = 0, ignored_different = 0;
  double peak = 0;  ///< the largest finite value

  void add(const LevelSums& later) {
    for (std::size_t c = 0; c < channels.size(); ++c) channels[c].add(later.channels[c]);
    pixels += later.pixels, not_finite += later.not_finite;
    ignored_different += later.ignored_different;
    peak = std::max(peak, later.peak);
  }
};

struct LevelComparison {
  const ExrLevel &a, &b;
  std::vector<double> limits;  ///< [channels]
  const PixelSet* ignored;     ///< null: none
  PixelSet &different, &over;
};

void set_bit(std::span<std::uint64_t> row, std::size_t x) {
  row[x / 64] |= std::uint64_t{1} << (x % 64);
}

void compare_pixel(const LevelComparison& levels, int x, int y, LevelSums& sums) {
  const std::size_t pixel = static_cast<std::size_t>(y) * static_cast<std::size_t>(levels.a.width) +
                            static_cast<std::size_t>(x);
  const bool is_ignored = levels.ignored != nullptr && levels.ignored->has(x, y);
  bool differs = false, is_over = false, not_finite = false;
  for (std::size_t c = 0; c < levels.a.channels.size(); ++c) {
    const double a = levels.a.value(pixel, c), b = levels.b.value(pixel, c);
    ChannelSums& channel = sums.channels[c];
    for (const double value : {a, b})
      if (value > sums.peak && std::isfinite(value)) sums.peak = value;
    if (a == b || (std::isnan(a) && std::isnan(b))) continue;
    differs = true;
    if (is_ignored) continue;
    ++channel.pixels;
    const bool is_finite = std::isfinite(a) && std::isfinite(b);
    const double delta = is_finite ? std::abs(a - b) : std::numeric_limits<double>::infinity();
    if (delta > channel.farthest) channel.farthest = delta, channel.x = x, channel.y = y;
    if (delta > levels.limits[c]) is_over = true;
    if (!is_finite) {
      not_finite = true;
      continue;
    }
    channel.largest = std::max(channel.largest, delta);
    channel.sum += delta;
    channel.squares += delta * delta;
  }
  if (!differs) return;
  if (is_ignored) {
    ++sums.ignored_different;
    return;
  }
  ++sums.pixels;
  if (not_finite) ++sums.not_finite;
  set_bit(levels.different.row(y), static_cast<std::size_t>(x));
  if (is_over) set_bit(levels.over.row(y), static_cast<std::size_t>(x));
}

/// On all cores. Sums are added in the order of rows, so that floats are reproducible.
LevelSums compare_level(const LevelComparison& levels) {
  const int height = levels.a.height;
  const int tasks = (height + kRowsOfTask - 1) / kRowsOfTask;
  std::vector<LevelSums> sums(static_cast<std::size_t>(tasks), LevelSums(levels.a.channels.size()));
  tbb::parallel_for(0, tasks, [&](int task) {
    for (int y = task * kRowsOfTask; y < std::min((task + 1) * kRowsOfTask, height); ++y) {
      for (PixelSet* set : {&levels.different, &levels.over})
        std::fill(set->row(y).begin(), set->row(y).end(), 0);
      for (int x = 0; x < levels.a.width; ++x)
        compare_pixel(levels, x, y, sums[static_cast<std::size_t>(task)]);
    }
  });
  LevelSums total(levels.a.channels.size());
  for (const LevelSums& one : sums) total.add(one);
  return total;
}

std::vector<double> limits_of(const ExrLevel& level, const Tolerance& tolerance) {
  std::vector<double> limits;
  for (const ExrLevel::Channel& channel : level.channels)
    limits.push_back(channel_limit(tolerance, level.part, channel.name));
  return limits;
}

[[noreturn]] void refuse(const char* what, const char* needed) {
  throw Error(ExitCode::kInvalidScene,
              fmt::format("{}: works with EXR files of {}, not with these", what, needed));
}

void check_limits(const Picture& a, const Tolerance& tolerance) {
  constexpr const char* kPlain = "R, G, B or Y, with or without A, in one part and level";
  if (tolerance.ignores_antialiasing) refuse("ignore-antialiasing", kPlain);
  // It would let all other channels pass.
  if (tolerance.flip_mean) refuse("flip-mean", kPlain);
  if (tolerance.ignore.empty() && !tolerance.mask) return;
  for (const ExrLevel& level : a.levels)
    if (level.level_x + level.level_y > 0 || level.width != a.width || level.height != a.height ||
        level.left != a.left || level.top != a.top)
      refuse("ignore and mask", "one level, whose parts have one data window");
}

bool fits_channel(const std::string& pattern, const std::string& part, const std::string& channel) {
  return glob_matches(pattern, channel) ||
         (!part.empty() && glob_matches(pattern, channel_label(part, channel)));
}

bool fits_a_channel(const std::string& pattern, const Picture& picture) {
  for (const ExrLevel& level : picture.levels)
    for (const ExrLevel::Channel& channel : level.channels)
      if (fits_channel(pattern, level.part, channel.name)) return true;
  if (!picture.levels.empty() || !picture.is_linear()) return false;
  const std::string_view names = plain_channels(picture.channels);
  return std::any_of(names.begin(), names.end(),
                     [&](char name) { return fits_channel(pattern, "", picture.layer + name); });
}

/// Adds the sums of a level to the channels of its part, which begin at `first`.
void add_channels(const ExrLevel& level, const LevelSums& sums,
                  PictureDifference::Channel* channels, std::vector<double>& farthest,
                  std::size_t first) {
  for (std::size_t c = 0; c < level.channels.size(); ++c) {
    const ChannelSums& of_level = sums.channels[c];
    PictureDifference::Channel& channel = channels[first + c];
    channel.pixels += of_level.pixels;
    channel.largest = std::max(channel.largest, of_level.largest);
    channel.mean += of_level.sum;  // divided later
    if (of_level.farthest <= farthest[first + c]) continue;
    farthest[first + c] = of_level.farthest;
    channel.x = of_level.x, channel.y = of_level.y;
    channel.level_x = level.level_x, channel.level_y = level.level_y;
  }
}

}  // namespace

double channel_limit(const Tolerance& tolerance, const std::string& part,
                     const std::string& channel) {
  for (const Tolerance::ChannelDelta& limit : tolerance.channel_deltas)
    if (fits_channel(limit.pattern, part, channel)) return limit.max_delta;
  return tolerance.max_delta;
}

PictureDifference::ChannelNames channel_names(const Picture& picture, const Tolerance& tolerance) {
  PictureDifference::ChannelNames names;
  for (const Tolerance::ChannelDelta& limit : tolerance.channel_deltas)
    if (!fits_a_channel(limit.pattern, picture)) names.unfit.push_back(limit.pattern);
  if (names.unfit.empty()) return names;
  names.text = picture.is_linear() ? "there are " + channels_text(picture)
                                   : "pictures of 8 or 16 bits have one limit, max-delta";
  return names;
}

std::array<double, 4> plain_limits(const Picture& picture, const Tolerance& tolerance) {
  std::array<double, 4> limits{};
  limits.fill(tolerance.max_delta);
  if (!picture.is_linear()) return limits;
  const std::string_view names = plain_channels(picture.channels);
  for (std::size_t c = 0; c < names.size(); ++c)
    limits[c] = channel_limit(tolerance, "", picture.layer + names[c]);
  return limits;
}

PictureDifference compare_levels(const Picture& a, const Picture& b, const Tolerance& tolerance) {
  check_limits(a, tolerance);
  PictureDifference difference;
  difference.width = a.width, difference.height = a.height;
  std::map<std::string, std::size_t> first_channels;  // index by part
  std::vector<double> samples, farthest;              // one a channel
  double squares = 0, peak = 1, all_samples = 0;
  std::uint64_t most_over = 0;
  const std::optional<PixelSet> ignored = ignored_pixels(tolerance, a.width, a.height);
  const Tolerance::Density window =
      tolerance.max_density.value_or(Tolerance::Density{0, kWindowSide, kWindowSide});
  for (std::size_t i = 0; i < a.levels.size(); ++i) {
    const ExrLevel &of_a = a.levels[i], &of_b = b.levels[i];
    PixelSet different(of_a.width, of_a.height), over(of_a.width, of_a.height);
    const LevelSums sums = compare_level(
        {of_a, of_b, limits_of(of_a, tolerance), ignored ? &*ignored : nullptr, different, over});
    const auto [first, is_new] = first_channels.emplace(of_a.part, difference.channels.size());
    for (std::size_t c = 0; is_new && c < of_a.channels.size(); ++c) {
      difference.channels.emplace_back().name = channel_label(of_a.part, of_a.channels[c].name);
      samples.push_back(0), farthest.push_back(0);
    }
    add_channels(of_a, sums, difference.channels.data(), farthest, first->second);
    for (std::size_t c = 0; c < of_a.channels.size(); ++c) {
      samples[first->second + c] += static_cast<double>(of_a.pixels());
      squares += sums.channels[c].squares;
    }
    all_samples += static_cast<double>(of_a.all_samples());
    peak = std::max(peak, sums.peak);
    if (a.levels.size() > 1) difference.all_pixels += of_a.pixels();
    difference.pixels += sums.pixels;
    difference.not_finite += sums.not_finite;
    difference.ignored_different += sums.ignored_different;
    const std::uint64_t pixels_over = over.count();
    difference.pixels_over += pixels_over;
    if (pixels_over == 0) continue;
    const PixelBox box = over.box();
    const auto [densest, pixels] = over.densest_window(box, window.width, window.height);
    if (pixels_over > most_over) most_over = pixels_over, difference.box = box;
    if (pixels > difference.densest_pixels)
      difference.densest = densest, difference.densest_pixels = pixels;
  }
  for (std::size_t c = 0; c < samples.size(); ++c) difference.channels[c].mean /= samples[c];
  if (ignored) difference.ignored = ignored->count();
  difference.rmse = std::sqrt(squares / all_samples);
  difference.psnr = difference.rmse > 0 ? 20 * std::log10(peak / difference.rmse)
                                        : std::numeric_limits<double>::infinity();
  difference.kind = difference.pixels + difference.ignored_different == 0
                        ? PictureDifference::Kind::kEqualPixels
                        : PictureDifference::Kind::kDifferent;
  return difference;
}

LevelMarks mark_levels(const Picture& a, const Picture& b, const Tolerance& tolerance) {
  LevelMarks marks{PixelSet(a.width, a.height), PixelSet(a.width, a.height)};
  for (int y = 0; y < a.height; ++y)
    for (PixelSet* set : {&marks.different, &marks.over})
      std::fill(set->row(y).begin(), set->row(y).end(), 0);
  PixelSet different(a.width, a.height), over(a.width, a.height);
  for (std::size_t i = 0; i < a.levels.size(); ++i) {
    const ExrLevel& level = a.levels[i];
    if (level.left != a.left || level.top != a.top || level.width != a.width ||
        level.height != a.height)
      continue;
    compare_level({level, b.levels[i], limits_of(level, tolerance), nullptr, different, over});
    for (int y = 0; y < a.height; ++y)
      for (std::size_t w = 0; w < over.row(y).size(); ++w) {
        marks.different.row(y)[w] |= different.row(y)[w];
        marks.over.row(y)[w] |= over.row(y)[w];
      }
  }
  return marks;
}

std::string channel_places_text(const PictureDifference& difference) {
  constexpr std::size_t kMaxChannels = 8;
  std::string text;
  std::size_t count = 0;
  for (const PictureDifference::Channel& channel : difference.channels) {
    if (channel.pixels == 0 || ++count > kMaxChannels) continue;
    text += fmt::format(
        ", {} {} at ({}, {})", channel.name,
        channel.largest > 0 ? fmt::format("{:.6g}", channel.largest) : "by NaN or infinity",
        channel.x, channel.y);
    if (channel.level_x != channel.level_y)
      text += fmt::format(" of level {}x{}", channel.level_x, channel.level_y);
    else if (channel.level_x > 0)
      text += fmt::format(" of level {}", channel.level_x);
    text += " in " + counted(channel.pixels, "pixel");
  }
  return count > kMaxChannels ? text + fmt::format(" and {} more channels", count - kMaxChannels)
                              : text;
}

}  // namespace roundel
