#include "renderer/compare/difference_image.h"

#include <tbb/parallel_for.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdlib>
#include <cstring>
#include <limits>

#include "renderer/compare/antialiasing.h"
#include "renderer/compare/ignored_pixels.h"
#include "renderer/compare/picture_shapes.h"
#include "renderer/image/magma.h"
#include "renderer/pixels/quantize.h"
#include "renderer/pixels/srgb.h"

namespace roundel {
namespace {

using Rgb = std::array<std::uint8_t, 3>;
constexpr Rgb kOver = {255, 0, 0}, kWithin = {255, 200, 0}, kIgnored = {120, 150, 220};

/// Returns infinity if only one value is finite. `at`: the pixel's first sample.
double largest_delta(const Picture& a, const Picture& b, std::size_t at) {
  const std::size_t end = at + static_cast<std::size_t>(a.channels);
  if (a.samples == Picture::Samples::kBytes) {
    int largest = 0;
    for (std::size_t i = at; i < end; ++i)
      largest = std::max(largest, std::abs(a.bytes[i] - b.bytes[i]));
    return largest;
  }
  double largest = 0;
  for (std::size_t i = at; i < end; ++i) {
    const float value_a = a.floats[i], value_b = b.floats[i];
    if (value_a == value_b || (std::isnan(value_a) && std::isnan(value_b))) continue;
    const double delta = sample_delta(value_a, value_b, a.samples);
    largest =
        std::isfinite(delta) ? std::max(largest, delta) : std::numeric_limits<double>::infinity();
  }
  return largest;
}

/// In greys between 60 % and white.
template <std::size_t kChannels>
void fade(const std::uint8_t* pixels, std::size_t count, std::uint8_t* out) {
  for (std::size_t p = 0; p < count; ++p, pixels += kChannels, out += 3) {
    const int luma =
        kChannels < 3 ? pixels[0] : (77 * pixels[0] + 150 * pixels[1] + 29 * pixels[2]) / 256;
    out[0] = out[1] = out[2] = static_cast<std::uint8_t>(153 + luma * 102 / 255);
  }
}

bool same_row(const Picture& a, const Picture& b, int y) {
  const std::size_t at = a.sample_at(0, y), samples = a.sample_at(0, y + 1) - at;
  return a.samples == Picture::Samples::kBytes
             ? std::memcmp(&a.bytes[at], &b.bytes[at], samples) == 0
             : std::memcmp(&a.floats[at], &b.floats[at], samples * sizeof(float)) == 0;
}

/// Hatches the image's pixels that the smaller picture lacks.
Image with_missing_marked(Image image, const Picture& smaller) {
  constexpr int kPeriod = 8;  // pixels from line to line
  constexpr Rgb kMissing = {150, 60, 200};
  for (int y = 0; y < image.height; ++y)
    for (int x = y < smaller.height ? smaller.width : 0; x < image.width; ++x) {
      if ((x + image.height - y) % kPeriod >= kPeriod / 2) continue;
      std::copy(kMissing.begin(), kMissing.end(),
                &image.bytes[3 * (pixel_count(image.width, y) + static_cast<std::size_t>(x))]);
    }
  return image;
}

std::uint8_t display_byte(const Picture& picture, std::size_t at, float alpha) {
  if (picture.samples == Picture::Samples::kBytes) return picture.bytes[at];
  const float sample = picture.floats[at];
  if (!picture.is_linear()) return quantize(sample / 255.0f);
  return quantize(linear_to_srgb(alpha > 0 ? sample / alpha : sample));
}

}  // namespace

Image difference_image(const Picture& a, const Picture& b, const Tolerance& tolerance) {
  if (differ_in_size_only(a, b))
    return with_missing_marked(
        difference_image(a, placed_on(a, b), with_fitting_mask(tolerance, a.width, a.height)), b);
  constexpr std::size_t kHatch = 8, kLine = 2;  // pixels from line to line, and of a line
  constexpr decltype(&fade<1>) kFade[] = {fade<1>, fade<2>, fade<3>, fade<4>};
  const bool has_bytes = a.samples == Picture::Samples::kBytes;
  const Image display = has_bytes ? Image{} : display_image(a);
  const Buffer<std::uint8_t>& shown = has_bytes ? a.bytes : display.bytes;
  const auto shown_channels = static_cast<std::size_t>(has_bytes ? a.channels : display.channels);
  const std::optional<PixelSet> ignored = ignored_pixels(tolerance, a.width, a.height);
  Image image;
  image.resize(a.width, a.height, 3);
  const auto width = static_cast<std::size_t>(a.width);
  tbb::parallel_for(std::size_t{0}, static_cast<std::size_t>(a.height), [&](std::size_t y) {
    const int row = static_cast<int>(y);
    std::uint8_t* out = image.bytes.data() + 3 * width * y;
    kFade[shown_channels - 1](shown.data() + shown_channels * width * y, width, out);
    if (!ignored && same_row(a, b, row)) return;
    for (std::size_t x = 0; x < width; ++x, out += 3) {
      const int column = static_cast<int>(x);
      if (ignored && ignored->has(column, row)) {
        if ((x + y) % kHatch < kLine) std::copy(kIgnored.begin(), kIgnored.end(), out);
        continue;
      }
      const double delta = largest_delta(a, b, a.sample_at(column, row));
      if (delta == 0) continue;
      const bool is_over = delta > tolerance.max_delta &&
                           !(tolerance.ignores_antialiasing && is_antialiased(a, b, column, row));
      const Rgb& color = is_over ? kOver : kWithin;
      std::copy(color.begin(), color.end(), out);
    }
  });
  return image;
}

Image flip_of(const Picture& a, const Picture& b, const Tolerance& tolerance,
              double pixels_per_degree) {
  if (differ_in_size_only(a, b))
    return with_missing_marked(
        flip_of(a, placed_on(a, b), with_fitting_mask(tolerance, a.width, a.height),
                pixels_per_degree),
        b);
  const std::optional<PixelSet> ignored = ignored_pixels(tolerance, a.width, a.height);
  std::uint64_t different = 0;
  return flip_image(ignored
                        ? flip_map(a, with_ignored_of(a, b, *ignored, different), pixels_per_degree)
                        : flip_map(a, b, pixels_per_degree));
}

Image flip_image(const FlipMap& map) {
  Image image;
  image.resize(map.width, map.height, 3);
  const Rgb none = magma(0);
  for (std::size_t i = 0; i < image.bytes.size(); ++i) image.bytes[i] = none[i % 3];
  const auto box_width = static_cast<std::size_t>(map.box.width);
  for (int y = 0; y < map.box.height; ++y) {
    const std::size_t from = static_cast<std::size_t>(y) * box_width;
    const std::size_t to =
        static_cast<std::size_t>(map.box.y + y) * static_cast<std::size_t>(map.width) +
        static_cast<std::size_t>(map.box.x);
    for (std::size_t x = 0; x < box_width; ++x) {
      const Rgb color = magma(map.errors[from + x]);
      std::copy(color.begin(), color.end(), &image.bytes[3 * (to + x)]);
    }
  }
  return image;
}

Image rendered_image(const Picture& picture) {
  if (picture.samples != Picture::Samples::kWords) return display_image(picture);
  Image image;
  image.resize(picture.width, picture.height, picture.channels, 16);
  for (std::size_t i = 0; i < picture.floats.size(); ++i) {
    const auto word = static_cast<unsigned>(picture.floats[i] * 257.0f + 0.5f);
    image.bytes[2 * i] = static_cast<std::uint8_t>(word >> 8);
    image.bytes[2 * i + 1] = static_cast<std::uint8_t>(word);
  }
  return image;
}

Image display_image(const Picture& picture) {
  const auto channels = static_cast<std::size_t>(picture.channels);
  const bool has_alpha = channels % 2 == 0, is_grey = channels < 3;
  Image image;
  image.resize(picture.width, picture.height, has_alpha ? 4 : 3);
  const auto width = static_cast<std::size_t>(picture.width);
  tbb::parallel_for(std::size_t{0}, static_cast<std::size_t>(picture.height), [&](std::size_t y) {
    std::uint8_t* out = image.bytes.data() + y * width * static_cast<std::size_t>(image.channels);
    for (std::size_t at = y * width * channels; at < (y + 1) * width * channels; at += channels) {
      const bool divides = has_alpha && picture.is_linear();
      const float alpha = divides ? picture.floats[at + channels - 1] : 1.0f;
      for (std::size_t c = 0; c < 3; ++c)
        *out++ = display_byte(picture, at + (is_grey ? 0 : c), alpha);
      if (!has_alpha) continue;
      *out++ = divides ? quantize(alpha) : display_byte(picture, at + channels - 1, 1.0f);
    }
  });
  return image;
}

}  // namespace roundel
