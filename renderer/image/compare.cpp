#include "renderer/image/compare.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <cstddef>
#include <limits>

namespace roundel {
namespace {

bool same_bits(float a, float b) {
  return std::bit_cast<std::uint32_t>(a) == std::bit_cast<std::uint32_t>(b);
}

double distance(float a, float b) {
  if (same_bits(a, b)) return 0;
  if (std::isnan(a) && std::isnan(b)) return 0;
  if (!std::isfinite(a) || !std::isfinite(b)) return std::numeric_limits<double>::infinity();
  return std::abs(static_cast<double>(a) - static_cast<double>(b));
}

/// `channel(p, c)` gives the two values of channel c in pixel p as a pair.
template <typename Channel>
Difference compare_pixels(std::size_t pixels, int width, int channels, Channel channel) {
  Difference difference;
  for (std::size_t p = 0; p < pixels; ++p) {
    bool differs = false;
    for (int c = 0; c < channels; ++c) {
      const auto [a, b] = channel(p, c);
      if (same_bits(a, b)) continue;
      if (!differs && difference.pixels == 0) {
        difference.x = static_cast<int>(p % static_cast<std::size_t>(width));
        difference.y = static_cast<int>(p / static_cast<std::size_t>(width));
        difference.channel = c;
      }
      differs = true;
      difference.largest = std::max(difference.largest, distance(a, b));
    }
    if (differs) ++difference.pixels;
  }
  return difference;
}

}  // namespace

Difference compare(const Framebuffer& a, const Framebuffer& b) {
  if (a.width != b.width || a.height != b.height) return {.size = true};
  return compare_pixels(a.pixels.size(), a.width, 4, [&](std::size_t p, int c) {
    const std::array<float Pixel::*, 4> members = {&Pixel::red, &Pixel::green, &Pixel::blue,
                                                   &Pixel::alpha};
    const auto member = members[static_cast<std::size_t>(c)];
    return std::pair(a.pixels[p].*member, b.pixels[p].*member);
  });
}

Difference compare(const Image& a, const Image& b) {
  if (a.width != b.width || a.height != b.height || a.channels != b.channels) return {.size = true};
  const auto channels = static_cast<std::size_t>(a.channels);
  return compare_pixels(a.bytes.size() / std::max<std::size_t>(channels, 1), a.width, a.channels,
                        [&](std::size_t p, int c) {
                          const std::size_t i = p * channels + static_cast<std::size_t>(c);
                          return std::pair(static_cast<float>(a.bytes[i]),
                                           static_cast<float>(b.bytes[i]));
                        });
}

std::string describe(const Difference& difference) {
  if (difference.size) return "sizes or channels differ";
  if (difference.pixels == 0) return "pixels are the same";
  constexpr std::array kChannels = {"red", "green", "blue", "alpha"};
  return fmt::format(
      "{} pixel{}, the first at ({}, {}) in {}; largest difference {}", difference.pixels,
      difference.pixels == 1 ? " differs" : "s differ", difference.x, difference.y,
      kChannels.at(static_cast<std::size_t>(difference.channel)), difference.largest);
}

}  // namespace roundel
