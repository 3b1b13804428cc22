#include "renderer/compare/ignored_pixels.h"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <cmath>

#include "renderer/base/error.h"

namespace roundel {
namespace {

PixelSet no_pixels(int width, int height) {
  PixelSet set(width, height);
  for (int y = 0; y < height; ++y) std::fill(set.row(y).begin(), set.row(y).end(), 0);
  return set;
}

void add_pixel(PixelSet& set, int x, int y) {
  const auto place = static_cast<std::size_t>(x);
  set.row(y)[place / 64] |= std::uint64_t{1} << (place % 64);
}

/// Adds the part of the box inside the picture.
void add_box(PixelSet& set, const PixelBox& box) {
  const auto end = [](int begin, int size, int most) {
    return static_cast<int>(std::min<std::int64_t>(std::int64_t{begin} + size, most));
  };
  for (int y = box.y; y < end(box.y, box.height, set.height()); ++y)
    for (int x = box.x; x < end(box.x, box.width, set.width()); ++x) add_pixel(set, x, y);
}

/// Copies a pixel's samples; true if they differed.
template <typename Sample>
bool take(const Sample* from, Sample* to, std::size_t channels) {
  const bool differs = !std::equal(from, from + channels, to, [](Sample a, Sample b) {
    return a == b || (std::isnan(static_cast<double>(a)) && std::isnan(static_cast<double>(b)));
  });
  std::copy(from, from + channels, to);
  return differs;
}

}  // namespace

std::shared_ptr<const Mask> read_mask(const std::string& path) {
  const Picture picture = read_picture(path);
  PixelSet set = no_pixels(picture.width, picture.height);
  const auto channels = static_cast<std::size_t>(picture.channels);
  const std::size_t first = channels % 2 == 0 ? channels - 1 : 0;  // alpha, or the whole colour
  for (int y = 0; y < picture.height; ++y)
    for (int x = 0; x < picture.width; ++x) {
      const std::size_t at = picture.sample_at(x, y);
      bool is_set = false;
      for (std::size_t c = first; c < channels; ++c)
        is_set |= picture.samples == Picture::Samples::kBytes ? picture.bytes[at + c] != 0
                                                              : picture.floats[at + c] != 0;
      if (is_set) add_pixel(set, x, y);
    }
  return std::make_shared<const Mask>(Mask{path, std::move(set)});
}

std::optional<PixelSet> ignored_pixels(const Tolerance& tolerance, int width, int height) {
  if (tolerance.ignore.empty() && !tolerance.mask) return std::nullopt;
  PixelSet set = no_pixels(width, height);
  for (const PixelBox& box : tolerance.ignore) add_box(set, box);
  if (!tolerance.mask) return set;
  const PixelSet& mask = tolerance.mask->pixels;
  if (mask.width() != width || mask.height() != height)
    throw Error(ExitCode::kInvalidScene,
                fmt::format("{}: the mask has {}x{} pixels, the pictures have {}x{}",
                            tolerance.mask->path, mask.width(), mask.height(), width, height));
  for (int y = 0; y < height; ++y)
    for (std::size_t w = 0; w < set.row(y).size(); ++w) set.row(y)[w] |= mask.row(y)[w];
  return set;
}

Tolerance with_fitting_mask(Tolerance tolerance, int width, int height) {
  const bool fits = tolerance.mask && tolerance.mask->pixels.width() == width &&
                    tolerance.mask->pixels.height() == height;
  if (!fits) tolerance.mask = nullptr;
  return tolerance;
}

Picture with_ignored_of(const Picture& a, const Picture& b, const PixelSet& ignored,
                        std::uint64_t& different) {
  Picture rest = copy_of(b);
  const auto channels = static_cast<std::size_t>(a.channels);
  different = 0;
  for (int y = 0; y < a.height; ++y)
    for (std::size_t w = 0; w < ignored.row(y).size(); ++w)
      for (std::uint64_t bits = ignored.row(y)[w]; bits != 0; bits &= bits - 1) {
        const std::size_t at = a.sample_at(static_cast<int>(w) * 64 + std::countr_zero(bits), y);
        different += a.samples == Picture::Samples::kBytes
                         ? take(&a.bytes[at], &rest.bytes[at], channels)
                         : take(&a.floats[at], &rest.floats[at], channels);
      }
  return rest;
}

}  // namespace roundel
