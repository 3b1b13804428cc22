#pragma once
#include <cstddef>
#include <cstdint>

#include "renderer/base/host_device.h"
#include "renderer/pixels/framebuffer.h"
#include "renderer/pixels/image_settings.h"
#include "renderer/pixels/quantize.h"
#include "renderer/pixels/srgb.h"

/// From a float pixel to the samples of an Image of 8 or 16 bits, dithered or not; shared by both
/// backends.
namespace roundel {

/// How the samples of an Image are made of pixels.
struct SampleFormat {
  bool has_alpha = false;
  bool has_words = false;  ///< 16 bits
  bool low_byte_first = false;
  bool is_dithered = false;
  BlendSpace blend_space = BlendSpace::kDisplay;
  CircleLooks looks;
  std::uint32_t left = 0, top = 0;  ///< where in the dithered picture these pixels begin

  SampleFormat() = default;
  explicit SampleFormat(const ImageSettings& image)
      : has_alpha(image.alpha),
        has_words(image.bits == 16),
        low_byte_first(image.low_byte_first),
        is_dithered(image.dither && !has_words),
        blend_space(image.blend_space),
        looks(image.looks) {
    if (!is_dithered || !image.crop) return;
    // The pattern is the whole image's in a part of it, too.
    left = static_cast<std::uint32_t>(image.first_column());
    top = static_cast<std::uint32_t>(image.frame_height() - image.first_row() - image.height);
  }
  bool operator==(const SampleFormat&) const = default;
  /// Bytes that are not dithered.
  ROUNDEL_HOST_DEVICE bool is_plain() const { return !has_words && !is_dithered; }
};

/// Of a binary32 number times less than 2¹⁶, plus a threshold of at most 13 bits: exact in binary64
/// where the product reaches 2⁻¹², and below that it rounds to what is still less than 1.
ROUNDEL_HOST_DEVICE inline double clamped_level(float c) {
  return c > 0 ? (c < 1 ? static_cast<double>(c) : 1.0) : 0.0;
}

/// ⌊clamp(c, 0, 1)·65535 + ½⌋, exactly, as if computed with real numbers; NaN gives 0.
ROUNDEL_HOST_DEVICE inline std::uint32_t quantize_word(float c) {
  return static_cast<std::uint32_t>(clamped_level(c) * 65535 + 0.5);
}

/// Bayer's matrix (1973) of 64x64 pixels, 0 to 4095: each next bit of x ^ y and of y halves the
/// distance between equal levels.
ROUNDEL_HOST_DEVICE constexpr std::uint32_t dither_rank(std::uint32_t x, std::uint32_t y) {
  std::uint32_t rank = 0;
  for (unsigned bit = 0; bit < 6; ++bit) {
    rank |= ((x ^ y) >> bit & 1) << (2 * (5 - bit) + 1);
    rank |= (y >> bit & 1) << (2 * (5 - bit));
  }
  return rank;
}

/// ⌊clamp(c, 0, 1)·255 + t⌋, exactly, as quantize(), but that t is the pixel's of an ordered
/// dither, (2·dither_rank + 1)/8192, instead of ½. Whole levels stay as they are.
ROUNDEL_HOST_DEVICE inline std::uint32_t quantize_dithered(float c, std::uint32_t rank) {
  return static_cast<std::uint32_t>(clamped_level(c) * 255 + (2 * rank + 1) * 0x1p-13);
}

/// What a PNG has as alpha. Circles with BlendMode::kAdd bring light without covering anything: in
/// frames with such no channel exceeds alpha, up to 1.
ROUNDEL_HOST_DEVICE inline float png_alpha(const Pixel& pixel, const CircleLooks& looks) {
  float alpha = pixel.alpha;
  if (!looks.adds) return alpha;
  for (const float channel : {pixel.red, pixel.green, pixel.blue})
    if (channel > alpha) alpha = channel < 1.0f ? channel : 1.0f;
  return alpha;
}

// Not inlined on the device, where it would make kernels many times as long.
#ifdef __CUDACC__
__noinline__
#endif
    ROUNDEL_HOST_DEVICE inline float
    display_value(float c, BlendSpace blend_space) {
  return blend_space == BlendSpace::kLinear ? linear_to_srgb(c) : c;
}

/// The samples of a pixel; level(c) quantises. With alpha the colour is straight, c/alpha, and
/// alpha has no transfer curve. All 0 where alpha's sample is 0, so that pixels nobody sees have
/// one spelling.
template <typename Level>
ROUNDEL_HOST_DEVICE void pixel_levels(const Pixel& pixel, const SampleFormat& format,
                                      const Level& level, std::uint32_t* levels) {
  float alpha = 1;
  if (format.has_alpha) {
    alpha = png_alpha(pixel, format.looks);
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

/// The three or four samples of the pixel in column x and row y from the upper left of what is
/// drawn.
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

/// The same as an Image has them: all bytes of the pixel.
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
