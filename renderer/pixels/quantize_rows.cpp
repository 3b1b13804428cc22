#include "renderer/pixels/quantize_rows.h"

#include <tbb/parallel_for.h>

#include <array>

#include "renderer/pixels/pixel_to_bytes.h"
#include "renderer/pixels/quantize.h"
#include "renderer/pixels/srgb.h"

namespace roundel {
namespace {

constexpr std::size_t kDitherSide = 64;

/// Bayer's matrix: each next bit of x ^ y and of y halves the distance between equal levels.
constexpr std::uint16_t dither_rank(std::size_t x, std::size_t y) {
  std::size_t rank = 0;
  for (std::size_t bit = 0; bit < 6; ++bit) {
    rank |= ((x ^ y) >> bit & 1) << (2 * (5 - bit) + 1);
    rank |= (y >> bit & 1) << (2 * (5 - bit));
  }
  return static_cast<std::uint16_t>(rank);
}

constexpr auto kDitherRanks = [] {
  std::array<std::uint16_t, kDitherSide * kDitherSide> ranks{};
  for (std::size_t k = 0; k < ranks.size(); ++k)
    ranks[k] = dither_rank(k % kDitherSide, k / kDitherSide);
  return ranks;
}();

/// Of a binary32 number times less than 2¹⁶, plus a threshold of at most 13 bits: exact in binary64
/// where the product reaches 2⁻¹², and below that it rounds to what is still less than 1.
double clamped(float c) {
  return c > 0 ? (c < 1 ? static_cast<double>(c) : 1.0) : 0.0;
}

/// The samples of a pixel; level(c) quantises. All 0 where alpha's is 0, so that pixels nobody sees
/// have one spelling.
template <typename Level>
void pixel_levels(const Pixel& pixel, const ImageSettings& settings, const Level& level,
                  std::uint32_t* levels) {
  const auto display = [&](float c) {
    return settings.blend_space == BlendSpace::kLinear ? linear_to_srgb(c) : c;
  };
  const float colors[3] = {pixel.red, pixel.green, pixel.blue};
  const float alpha = with_png_alpha(pixel, settings.looks).alpha;
  if (!settings.alpha) {
    for (int c = 0; c < 3; ++c) levels[c] = level(display(colors[c]));
    return;
  }
  levels[3] = level(alpha);
  for (int c = 0; c < 3; ++c) levels[c] = levels[3] == 0 ? 0U : level(display(colors[c] / alpha));
}

}  // namespace

std::uint16_t quantize_word(float c) {
  return static_cast<std::uint16_t>(clamped(c) * 65535 + 0.5);
}

std::uint8_t quantize_dithered(float c, std::size_t x, std::size_t y) {
  const unsigned rank = kDitherRanks[y % kDitherSide * kDitherSide + x % kDitherSide];
  return static_cast<std::uint8_t>(clamped(c) * 255 + (2 * rank + 1) * 0x1p-13);
}

void quantize_pixel(const Pixel& pixel, const ImageSettings& settings, std::size_t x, std::size_t y,
                    std::uint32_t* samples) {
  if (settings.bits == 16) {
    pixel_levels(pixel, settings, quantize_word, samples);
  } else if (settings.dither) {
    // The pattern is the whole image's in a part of it, too.
    const auto left = static_cast<std::size_t>(settings.first_column());
    const auto top = static_cast<std::size_t>(
        settings.crop ? settings.frame_height() - settings.first_row() - settings.height : 0);
    pixel_levels(
        pixel, settings, [&](float c) { return quantize_dithered(c, left + x, top + y); }, samples);
  } else {
    pixel_levels(pixel, settings, quantize, samples);
  }
}

void quantize_rows(const Framebuffer& framebuffer, const ImageSettings& settings, std::size_t first,
                   std::size_t count, std::uint8_t* out) {
  const auto width = static_cast<std::size_t>(framebuffer.width);
  const auto channels = static_cast<std::size_t>(settings.channels());
  const bool is_deep = settings.bits == 16;
  const std::size_t row_bytes = width * channels * (is_deep ? 2 : 1);
  tbb::parallel_for(first, first + count, [&](std::size_t y) {
    const Pixel* const row =
        framebuffer.pixels.data() + (static_cast<std::size_t>(framebuffer.height) - 1 - y) * width;
    std::uint8_t* bytes = out + (y - first) * row_bytes;
    std::uint32_t samples[4];
    for (std::size_t x = 0; x < width; ++x) {
      quantize_pixel(row[x], settings, x, y, samples);
      for (std::size_t c = 0; c < channels; ++c) {
        if (is_deep) *bytes++ = static_cast<std::uint8_t>(samples[c] >> 8);
        *bytes++ = static_cast<std::uint8_t>(samples[c]);
      }
    }
  });
}

Image quantized(const Framebuffer& framebuffer, const ImageSettings& settings) {
  Image image;
  image.resize(framebuffer.width, framebuffer.height, settings.channels(), settings.bits);
  quantize_rows(framebuffer, settings, 0, static_cast<std::size_t>(framebuffer.height),
                image.bytes.data());
  return image;
}

}  // namespace roundel
