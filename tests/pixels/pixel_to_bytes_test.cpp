#include "renderer/pixels/pixel_to_bytes.h"

#include <array>
#include <limits>

#include "tests/image/image_test_support.h"

namespace roundel {
namespace {

using Rgb = std::array<int, 3>;
using Rgba = std::array<int, 4>;

Rgb rgb(const Pixel& pixel, BlendSpace space = BlendSpace::kDisplay) {
  std::uint8_t b[3];
  pixel_to_rgb(pixel, space, b);
  return {b[0], b[1], b[2]};
}
Rgba rgba(const Pixel& pixel, BlendSpace space = BlendSpace::kDisplay) {
  std::uint8_t b[4];
  pixel_to_rgba(pixel, space, b);
  return {b[0], b[1], b[2], b[3]};
}

TEST(PixelToBytes, DisplayValuesAreQuantisedAsTheyStand) {
  EXPECT_EQ(rgb({0, 0.5f, 1.2f, 1}), (Rgb{0, 128, 255}));
}

TEST(PixelToBytes, LinearValuesAreEncodedFirst) {
  EXPECT_EQ(rgb({0, 0.5f, 1.2f, 1}, BlendSpace::kLinear), (Rgb{0, 188, 255}));
}

TEST(PixelToBytes, StraightAlphaDividesByAlpha) {
  EXPECT_EQ(rgba({0.25f, 0.125f, 0, 0.5f}), (Rgba{128, 64, 0, 128}));
  EXPECT_EQ(rgba({1, 0.5f, 0, 1}), (Rgba{255, 128, 0, 255}));
}

TEST(PixelToBytes, LinearStraightAlphaDividesBeforeItEncodes) {
  // 0.25/0.5 = 0.5 linear is 188 encoded; encoding 0.25 first and dividing then would give 274.
  EXPECT_EQ(rgba({0.25f, 0, 0, 0.5f}, BlendSpace::kLinear), (Rgba{188, 0, 0, 128}));
}

TEST(PixelToBytes, InvisiblePixelsAreAllZero) {
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
  const Image image = to_image(framebuffer, false);
  EXPECT_EQ(std::vector<int>(image.bytes.begin(), image.bytes.end()),
            (std::vector<int>{0, 0, 255, 64, 64, 64, 255, 0, 0, 0, 255, 0}));
  const Image with_alpha = to_image(framebuffer, true);
  EXPECT_EQ(with_alpha.channels, 4);
  EXPECT_EQ(std::vector<int>(with_alpha.bytes.begin(), with_alpha.bytes.end()),
            (std::vector<int>{0, 0, 255, 255, 128, 128, 128, 128, 255, 0, 0, 255, 0, 255, 0, 255}));
}

TEST(ToImage, EveryPixelOfALargePictureIsConverted) {
  const Framebuffer framebuffer = discs(331, 257, 40, 1);
  for (bool alpha : {false, true}) {
    for (BlendSpace space : {BlendSpace::kDisplay, BlendSpace::kLinear}) {
      const Image image = to_image(framebuffer, alpha, space);
      ASSERT_EQ(image.width, 331);
      ASSERT_EQ(image.height, 257);
      std::size_t at = 0;
      for (int row = 0; row < 257; ++row) {
        for (int i = 0; i < 331; ++i, at += alpha ? 4 : 3) {
          const Pixel& pixel = framebuffer.pixels[static_cast<std::size_t>((256 - row) * 331 + i)];
          std::uint8_t expected[4];
          alpha ? pixel_to_rgba(pixel, space, expected) : pixel_to_rgb(pixel, space, expected);
          for (std::size_t c = 0; c < (alpha ? 4U : 3U); ++c) {
            ASSERT_EQ(image.bytes[at + c], expected[c]);
          }
        }
      }
    }
  }
}

}  // namespace
}  // namespace roundel
