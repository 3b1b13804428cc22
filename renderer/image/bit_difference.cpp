#include "renderer/image/bit_difference.h"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstring>
#include <limits>

namespace roundel {
namespace {

double distance(float a, float b) {
  if (std::isnan(a) && std::isnan(b)) return 0;
  if (!std::isfinite(a) || !std::isfinite(b)) return std::numeric_limits<double>::infinity();
  return std::abs(static_cast<double>(a) - static_cast<double>(b));
}

/// A 16-bit sample.
struct Word {
  std::uint8_t high, low;
  explicit operator float() const { return static_cast<float>(high * 256 + low); }
};

/// Rows have `width` pixels.
template <typename Sample>
Difference compare_samples(const Sample* a, const Sample* b, std::size_t pixels, int width,
                           int channels) {
  Difference difference;
  for (std::size_t p = 0; p < pixels; ++p) {
    bool differs = false;
    for (int c = 0; c < channels; ++c, ++a, ++b) {
      if (std::memcmp(a, b, sizeof(Sample)) == 0) continue;
      if (!differs && difference.pixels == 0) {
        difference.x = static_cast<int>(p % static_cast<std::size_t>(width));
        difference.y = static_cast<int>(p / static_cast<std::size_t>(width));
        difference.channel = c;
      }
      differs = true;
      difference.largest =
          std::max(difference.largest, distance(static_cast<float>(*a), static_cast<float>(*b)));
    }
    if (differs) ++difference.pixels;
  }
  return difference;
}

}  // namespace

Difference compare(const Framebuffer& a, const Framebuffer& b) {
  if (a.width != b.width || a.height != b.height) return {.size = true};
  static_assert(sizeof(Pixel) == 4 * sizeof(float));
  return compare_samples(reinterpret_cast<const float*>(a.pixels.data()),
                         reinterpret_cast<const float*>(b.pixels.data()), a.pixels.size(), a.width,
                         4);
}

Difference compare(const Image& a, const Image& b) {
  if (a.width != b.width || a.height != b.height || a.channels != b.channels || a.bits != b.bits)
    return {.size = true};
  const auto samples = [&](const auto* first, const auto* second) {
    return compare_samples(first, second, pixel_count(a.width, a.height), a.width, a.channels);
  };
  if (a.bits == 8) return samples(a.bytes.data(), b.bytes.data());
  return samples(reinterpret_cast<const Word*>(a.bytes.data()),
                 reinterpret_cast<const Word*>(b.bytes.data()));
}

}  // namespace roundel
