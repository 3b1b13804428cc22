// Scenes whose picture is known in closed form.
#include <cmath>

#include "tests/raster/testing.h"

namespace roundel {
namespace {

using testing::draw_cpu;
using testing::image_of;
using testing::make_circles;

TEST(Analytic, BackgroundShareIsOneMinusAlphaToTheN) {
  for (const float alpha : {0.01f, 0.25f, 0.5f}) {
    for (const int n : {0, 1, 2, 19, 20, 21, 100}) {
      const std::vector<testing::Disc> discs(static_cast<std::size_t>(n),
                                             {{0.5f, 0.5f, 0, 2.0f}, {0, 0, 0, alpha}});
      const Framebuffer out = draw_cpu(make_circles(discs), image_of(5, 5));
      for (const Pixel& pixel : out.pixels)
        EXPECT_NEAR(pixel.red, std::pow(1.0 - static_cast<double>(alpha), n), 1.5e-6) << n;
    }
  }
}

TEST(Analytic, LastCircleIsOnTop) {
  const Framebuffer out = draw_cpu(
      make_circles({{{0.5f, 0.5f, 0, 1}, {1, 0, 0, 1}}, {{0.5f, 0.5f, 0, 1}, {0, 1, 0, 1}}}),
      image_of(3, 3));
  for (const Pixel& pixel : out.pixels) EXPECT_EQ(pixel, (Pixel{0, 1, 0, 1}));
}

TEST(Analytic, EmptyPictureIsItsBackground) {
  ImageSettings image = image_of(3, 4);
  image.background = {{0.85f, 0.85f, 0.85f}, {0.4f, 0.4f, 0.4f}};
  const Framebuffer out = draw_cpu({}, image);
  for (int j = 0; j < 4; ++j)
    EXPECT_NEAR(out.pixels[static_cast<std::size_t>(j) * 3].red, 0.4 + 0.45 * (4 - j) / 4.0, 1e-6);
}

TEST(Analytic, AlphaImagesArePremultiplied) {
  ImageSettings image = image_of(1, 1);
  image.alpha = true;
  const Framebuffer out =
      draw_cpu(make_circles({{{0.5f, 0.5f, 0, 1}, {0.5f, 1, 2, 0.25f}}}), image);
  EXPECT_EQ(out.pixels[0], (Pixel{0.125f, 0.25f, 0.5f, 0.25f}));
}

TEST(Analytic, CoverageIncludesTheRim) {
  // One pixel of side 1 centred at .5: the circle's rim passes exactly through its centre.
  const auto covered = [](float x, float radius) {
    const Framebuffer out =
        draw_cpu(make_circles({{{x, 0.5f, 0, radius}, {0, 0, 0, 1}}}), image_of(1, 1));
    return out.pixels[0].red == 0.0f;
  };
  EXPECT_TRUE(covered(0.75f, 0.25f));
  EXPECT_FALSE(covered(0.75f, std::nextafter(0.25f, 0.0f)));
  EXPECT_TRUE(covered(0.5f, 1e-30f));  // r² underflows to 0 = dx² + dy²
  EXPECT_FALSE(covered(0.5f, 0.0f));   // a circle without a radius covers nothing
}

}  // namespace
}  // namespace roundel
