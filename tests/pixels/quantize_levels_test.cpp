#include "renderer/pixels/quantize_levels.h"

#include <gtest/gtest.h>
#include <tbb/blocked_range.h>
#include <tbb/parallel_reduce.h>

#include <array>
#include <bit>
#include <cmath>
#include <limits>
#include <set>
#include <vector>

#include "tests/to_image.h"

namespace roundel {
namespace {

/// Returns ⌊c·65535 + ½⌋ of a c in [0, 1], by integers: c = m·2^e.
std::uint64_t exact_word(float c) {
  int exponent = 0;
  const auto m = static_cast<std::uint64_t>(std::ldexp(std::frexp(c, &exponent), 24));
  const int shift = 24 - exponent;  // c = m / 2^shift
  if (shift > 60) return 0;
  return (2 * m * 65535 + (std::uint64_t{1} << shift)) >> (shift + 1);
}

std::uint32_t dithered(float c, std::size_t x, std::size_t y) {
  return quantize_dithered(
      c, dither_rank(static_cast<std::uint32_t>(x), static_cast<std::uint32_t>(y)));
}

using Rgb = std::array<int, 3>;
using Rgba = std::array<int, 4>;

Rgb rgb(const Pixel& pixel, BlendSpace space = BlendSpace::kDisplay) {
  SampleFormat format;
  format.blend_space = space;
  std::uint8_t b[3];
  store_samples(pixel, format, 0, 0, b);
  return {b[0], b[1], b[2]};
}
Rgba rgba(const Pixel& pixel, BlendSpace space = BlendSpace::kDisplay) {
  SampleFormat format;
  format.has_alpha = true;
  format.blend_space = space;
  std::uint8_t b[4];
  store_samples(pixel, format, 0, 0, b);
  return {b[0], b[1], b[2], b[3]};
}

TEST(QuantizeWord, EveryFloatIsRoundedExactly) {
#if defined(NDEBUG) && !defined(ROUNDEL_SANITIZED)
  constexpr std::uint32_t kStride = 1;
#else
  constexpr std::uint32_t kStride = 251;  // an unoptimised or instrumented build
#endif
  // Numbers below the first step, at 1/131070, are 0: a sample of these.
  const auto count_wrong = [](std::uint32_t first, std::uint32_t last, std::uint32_t stride) {
    return tbb::parallel_reduce(
        tbb::blocked_range<std::uint32_t>(0, (last - first) / stride), std::uint64_t{0},
        [&](const tbb::blocked_range<std::uint32_t>& range, std::uint64_t count) {
          for (std::uint32_t k = range.begin(); k < range.end(); ++k) {
            const float c = std::bit_cast<float>(first + k * stride);
            count += quantize_word(c) != exact_word(c);
          }
          return count;
        },
        [](std::uint64_t a, std::uint64_t b) { return a + b; });
  };
  constexpr auto kTiny = std::bit_cast<std::uint32_t>(0x1p-18f);
  constexpr auto kOne = std::bit_cast<std::uint32_t>(1.0f);
  EXPECT_EQ(count_wrong(0, kTiny, 251), 0U);
  EXPECT_EQ(count_wrong(kTiny, kOne + 1, kStride), 0U);
}

TEST(QuantizeWord, ClampsTo0And1AndNanIs0) {
  constexpr float kInfinity = std::numeric_limits<float>::infinity();
  for (const float c : {-0.0f, -1e-45f, -1.0f, -kInfinity, std::nanf("")}) {
    EXPECT_EQ(quantize_word(c), 0);
    EXPECT_EQ(dithered(c, 3, 5), 0);
  }
  for (const float c : {1.0f, 1.5f, 1e30f, kInfinity}) {
    EXPECT_EQ(quantize_word(c), 65535);
    EXPECT_EQ(dithered(c, 3, 5), 255);
  }
}

TEST(QuantizeWord, EveryWordRoundTrips) {
  for (int word = 0; word <= 65535; ++word)
    ASSERT_EQ(quantize_word(static_cast<float>(word) / 65535.0f), word);
}

TEST(Dither, KeepsWholeLevels) {
  for (int level = 0; level <= 255; ++level)
    for (std::size_t k = 0; k < 4096; ++k)
      ASSERT_EQ(dithered(static_cast<float>(level) / 255.0f, k % 64, k / 64), level);
}

TEST(Dither, MeansEqualTheColours) {
  // Over 64x64 pixels every threshold occurs once, over 8x8 every 64th of them.
  for (const float c : {0.1f, 0.3333f, 0.50049f, 0.9999f}) {
    for (const std::size_t side : {8U, 64U}) {
      double sum = 0;
      for (std::size_t k = 0; k < side * side; ++k)
        sum += dithered(c, 64 + k % side, 128 + k / side);
      const double count = static_cast<double>(side * side);
      EXPECT_NEAR(sum / count, 255.0 * static_cast<double>(c), 1 / count) << side;
    }
  }
  std::set<int> steps;  // the thresholds at which it goes up
  for (std::size_t k = 0; k < 4096; ++k) {
    int low = 0, high = 8192;
    while (high - low > 1) {
      const int middle = (low + high) / 2;
      const bool is_up = dithered(static_cast<float>(middle) / 8192 / 255, k % 64, k / 64) != 0;
      (is_up ? high : low) = middle;
    }
    steps.insert(high);
  }
  EXPECT_EQ(steps.size(), 4096U);
}

TEST(StoreSamples, DisplayValuesAreQuantisedDirectly) {
  EXPECT_EQ(rgb({0, 0.5f, 1.2f, 1}), (Rgb{0, 128, 255}));
}

TEST(StoreSamples, LinearValuesAreEncodedFirst) {
  EXPECT_EQ(rgb({0, 0.5f, 1.2f, 1}, BlendSpace::kLinear), (Rgb{0, 188, 255}));
}

TEST(StoreSamples, StraightAlphaDividesByAlpha) {
  EXPECT_EQ(rgba({0.25f, 0.125f, 0, 0.5f}), (Rgba{128, 64, 0, 128}));
  EXPECT_EQ(rgba({1, 0.5f, 0, 1}), (Rgba{255, 128, 0, 255}));
}

TEST(StoreSamples, LinearStraightAlphaDividesBeforeItEncodes) {
  // 0.25/0.5 = 0.5 linear is 188 encoded; encoding 0.25 first and dividing then would give 274.
  EXPECT_EQ(rgba({0.25f, 0, 0, 0.5f}, BlendSpace::kLinear), (Rgba{188, 0, 0, 128}));
}

TEST(StoreSamples, InvisiblePixelsAreAllZero) {
  EXPECT_EQ(rgba({0, 0, 0, 0}), (Rgba{0, 0, 0, 0}));
  EXPECT_EQ(rgba({1, 1, 1, 0}), (Rgba{0, 0, 0, 0}));
  EXPECT_EQ(rgba({1e-4f, 1e-4f, 1e-4f, 1e-3f}), (Rgba{0, 0, 0, 0}));
  EXPECT_EQ(rgba({1, 1, 1, std::numeric_limits<float>::quiet_NaN()}), (Rgba{0, 0, 0, 0}));
}

TEST(ToImage, RowsAreFlippedAndChannelsFollowAlpha) {
  Framebuffer framebuffer;
  framebuffer.resize(2, 2);
  framebuffer.pixels[0] = {1, 0, 0, 1};  // bottom left
  framebuffer.pixels[1] = {0, 1, 0, 1};
  framebuffer.pixels[2] = {0, 0, 1, 1};  // top left
  framebuffer.pixels[3] = {0.25f, 0.25f, 0.25f, 0.5f};
  ImageSettings settings;
  const Image image = to_image(framebuffer, settings);
  EXPECT_EQ(std::vector<int>(image.bytes.begin(), image.bytes.end()),
            (std::vector<int>{0, 0, 255, 64, 64, 64, 255, 0, 0, 0, 255, 0}));
  settings.alpha = true;
  const Image with_alpha = to_image(framebuffer, settings);
  EXPECT_EQ(with_alpha.channels, 4);
  EXPECT_EQ(std::vector<int>(with_alpha.bytes.begin(), with_alpha.bytes.end()),
            (std::vector<int>{0, 0, 255, 255, 128, 128, 128, 128, 255, 0, 0, 255, 0, 255, 0, 255}));
}

TEST(StoreSamples, SixteenBitsAreNearEight) {
  Framebuffer framebuffer;
  framebuffer.resize(37, 21);
  for (std::size_t k = 0; k < framebuffer.pixels.size(); ++k) {
    const float share = static_cast<float>(k) / 777.0f;
    framebuffer.pixels[k] = {share * 1.2f, 1 - share, share * share, k % 5 == 0 ? 0 : share};
  }
  for (const bool alpha : {false, true}) {
    for (const BlendSpace blend_space : {BlendSpace::kDisplay, BlendSpace::kLinear}) {
      ImageSettings settings;
      settings.alpha = alpha;
      settings.blend_space = blend_space;
      const Image bytes = to_image(framebuffer, settings);
      settings.bits = 16;
      const Image words = to_image(framebuffer, settings);
      ASSERT_EQ(words.bytes.size(), 2 * bytes.bytes.size());
      for (std::size_t i = 0; i < bytes.bytes.size(); ++i) {
        if (alpha && bytes.bytes[i / 4 * 4 + 3] == 0) continue;  // all 0
        const double word = words.bytes[2 * i] * 256 + words.bytes[2 * i + 1];
        EXPECT_NEAR(word / 257, bytes.bytes[i], 0.51) << i;
      }
      settings.low_byte_first = true;
      const Image swapped = to_image(framebuffer, settings);
      for (std::size_t i = 0; i < words.bytes.size(); ++i)
        ASSERT_EQ(swapped.bytes[i ^ 1], words.bytes[i]);
    }
  }
}

TEST(StoreSamples, StripIsDitheredLikeItsPicture) {
  Framebuffer whole, strip;
  whole.resize(100, 40);
  strip.resize(100, 10);
  for (std::size_t k = 0; k < whole.pixels.size(); ++k) {
    const float share = static_cast<float>(k) / 4000.0f;
    whole.pixels[k] = {share, share * 0.1f, 0.4f, 1};
  }
  // Rows 12 to 21 from the top are rows 18 and up from the bottom.
  std::copy_n(whole.pixels.begin() + 18 * 100, 1000, strip.pixels.begin());
  ImageSettings settings;
  settings.dither = true;
  const Image image = to_image(whole, settings);
  settings.height = 10;
  settings.crop = CropOrigin{100, 40, 0, 18};
  const Image rows = to_image(strip, settings);
  EXPECT_TRUE(std::ranges::equal(rows.bytes.span(),
                                 image.bytes.span().subspan(12 * 300, rows.bytes.size())));
}

}  // namespace
}  // namespace roundel
