#pragma once
#include <cstddef>
#include <cstdint>

#include "renderer/base/host_device.h"
#include "renderer/pixels/framebuffer.h"
#include "renderer/pixels/image_settings.h"
#include "renderer/pixels/quantize.h"
#include "renderer/pixels/srgb.h"

/// Turns float pixels into samples of an Image, on both backends.
namespace roundel {

struct SampleFormat {
  bool has_alpha = false;
  bool has_words = false;  ///< 16 bits
  bool low_byte_first = false;
  bool is_dithered = false;
  BlendSpace blend_space = BlendSpace::kDisplay;
  CircleStyles styles;
  std::uint32_t left = 0, top = 0;  ///< position in the dithered picture

  SampleFormat() = default;
  explicit SampleFormat(const ImageSettings& image)
      : has_alpha(image.alpha),
        has_words(image.bits == 16),
        low_byte_first(image.low_byte_first),
        is_dithered(image.dither && !has_words),
        blend_space(image.blend_space),
        styles(image.styles) {
    if (!is_dithered || !image.crop) return;
    // A part of an image has the whole image's pattern.
    left = static_cast<std::uint32_t>(image.first_column());
    top = static_cast<std::uint32_t>(image.frame_height() - image.first_row() - image.height);
  }
  bool operator==(const SampleFormat&) const = default;
  ROUNDEL_HOST_DEVICE bool is_plain() const { return !has_words && !is_dithered; }
};

/// Clamps to [0, 1], in binary64: the product with a number below 2¹⁶, plus a threshold of at most
/// 13 bits, is exact from 2⁻¹² on. Smaller products round to less than 1.
ROUNDEL_HOST_DEVICE inline double clamped_level(float c) {
  return c > 0 ? (c < 1 ? static_cast<double>(c) : 1.0) : 0.0;
}

/// ⌊clamp(c, 0, 1)·65535 + ½⌋, exactly, as if computed with real numbers; NaN gives 0.
ROUNDEL_HOST_DEVICE inline std::uint32_t quantize_word(float c) {
  return static_cast<std::uint32_t>(clamped_level(c) * 65535 + 0.5);
}

/// Bayer's matrix (1973), 64 × 64 pixels, 0 to 4095: each further bit of x ^ y and of y halves the
/// distance between equal levels.
ROUNDEL_HOST_DEVICE constexpr std::uint32_t dither_rank(std::uint32_t x, std::uint32_t y) {
  std::uint32_t rank = 0;
  for (unsigned bit = 0; bit < 6; ++bit) {
    rank |= ((x ^ y) >> bit & 1) << (2 * (5 - bit) + 1);
    rank |= (y >> bit & 1) << (2 * (5 - bit));
  }
  return rank;
}

/// ⌊clamp(c, 0, 1)·255 + t⌋, exactly, with the pixel's threshold t = (2·dither_rank + 1)/8192.
/// Whole levels stay unchanged.
ROUNDEL_HOST_DEVICE inline std::uint32_t quantize_dithered(float c, std::uint32_t rank) {
  return static_cast<std::uint32_t>(clamped_level(c) * 255 + (2 * rank + 1) * 0x1p-13);
}

/// Alpha for a PNG. BlendMode::kAdd adds light without covering, so alpha is raised to the largest
/// channel, up to 1.
ROUNDEL_HOST_DEVICE inline float png_alpha(const Pixel& pixel, const CircleStyles& styles) {
  float alpha = pixel.alpha;
  if (!styles.adds) return alpha;
  for (const float channel : {pixel.red, pixel.green, pixel.blue})
    if (channel > alpha) alpha = channel < 1.0f ? channel : 1.0f;
  return alpha;
}

// Not inlined: that would make kernels many times longer.
#ifdef __CUDACC__
__noinline__
#endif
    ROUNDEL_HOST_DEVICE inline float
    display_value(float c, BlendSpace blend_space) {
  return blend_space == BlendSpace::kLinear ? linear_to_srgb(c) : c;
}

/// Computes a pixel's samples, quantised by level(c). With alpha the colour is straight, c/alpha;
/// alpha has no transfer curve. Invisible pixels have one encoding, all 0.
template <typename Level>
ROUNDEL_HOST_DEVICE void pixel_levels(const Pixel& pixel, const SampleFormat& format,
                                      const Level& level, std::uint32_t* levels) {
  float alpha = 1;
  if (format.has_alpha) {
    alpha = png_alpha(pixel, format.styles);
    levels[3] = level(alpha);
    if (levels[3] == 0) {
      levels[0] = levels[1] = levels[2] = 0;
      return;
    }
  }
  const auto level_of = [&](float c) {
    return level(display_value(format.has_alpha ? c / alpha : c, format.blend_space));
  };
  levels[0] = level_of(pixel.red);
  levels[1] = level_of(pixel.green);
  levels[2] = level_of(pixel.blue);
}

/// Computes the 3 or 4 samples of a pixel; column x and row y count from the upper left of the
/// drawn part.
ROUNDEL_HOST_DEVICE inline void quantize_pixel(const Pixel& pixel, const SampleFormat& format,
                                               std::uint32_t x, std::uint32_t y,
                                               std::uint32_t* samples) {
  if (format.has_words) {
    pixel_levels(
        pixel, format, [](float c) { return quantize_word(c); }, samples);
  } else if (format.is_dithered) {
    const std::uint32_t rank = dither_rank(format.left + x, format.top + y);
    pixel_levels(
        pixel, format, [rank](float c) { return quantize_dithered(c, rank); }, samples);
  } else {
    pixel_levels(
        pixel, format, [](float c) { return std::uint32_t{quantize(c)}; }, samples);
  }
}

ROUNDEL_HOST_DEVICE inline void store_samples(const Pixel& pixel, const SampleFormat& format,
                                              std::uint32_t x, std::uint32_t y,
                                              std::uint8_t* bytes) {
  std::uint32_t samples[4];
  quantize_pixel(pixel, format, x, y, samples);
  const int count = format.has_alpha ? 4 : 3;
  if (!format.has_words) {
    for (int c = 0; c < count; ++c) bytes[c] = static_cast<std::uint8_t>(samples[c]);
    return;
  }
  for (int c = 0; c < count; ++c) {
    const auto low = static_cast<std::uint8_t>(samples[c]);
    const auto high = static_cast<std::uint8_t>(samples[c] >> 8);
    *bytes++ = format.low_byte_first ? low : high;
    *bytes++ = format.low_byte_first ? high : low;
  }
}

}  // namespace roundel
