// Compares with a painter's algorithm in binary64: every circle over every pixel, back to front.
#include <cmath>

#include "tests/raster/testing.h"

namespace roundel {
namespace {

using testing::draw_cpu;
using testing::image_of;
using testing::random_circles;

struct OraclePixel {
  double red, green, blue;
  bool ambiguous = false;  ///< a rim is too near for binary32 to decide the side
};

OraclePixel paint(const Circles& circles, const ImageSettings& image, int x, int y) {
  const double px = (x + 0.5) / image.height, py = (y + 0.5) / image.height;
  const Background& background = image.background;
  const double share = static_cast<double>(image.height - y) / image.height;
  OraclePixel pixel{background.top.red + (background.bottom.red - background.top.red) * share,
                    background.top.green + (background.bottom.green - background.top.green) * share,
                    background.top.blue + (background.bottom.blue - background.top.blue) * share};
  for (std::size_t i = 0; i < circles.count(); ++i) {
    const Shape& shape = circles.shapes[i];
    const Paint& paint = circles.paints[i];
    const double dx = shape.x - px, dy = shape.y - py, r = shape.radius;
    const double d2 = dx * dx + dy * dy;
    if (std::abs(d2 - r * r) < 1e-6 * std::max(r * r, 1e-6)) pixel.ambiguous = true;
    if (d2 > r * r) continue;
    double alpha = paint.alpha, red = paint.red, green = paint.green, blue = paint.blue;
    if (is_soft(paint)) {
      const double rim = std::exp(-4.0);
      alpha = -alpha * (std::exp(-4 * d2 / (r * r)) - rim) / (1 - rim);
      blue = -blue;
    }
    if (is_snow(paint)) {
      const double d = std::sqrt(d2) / r;
      const double a = std::clamp(4 * d - 1, 0.0, 1.0), b = std::clamp(4 * d - 3, 0.0, 1.0);
      red = 1 - .2 * a;
      green = 1 - .1 * a - .1 * b;
      blue = 1;
      alpha = -static_cast<double>(paint.alpha) * std::exp(-4 * d * d);
    }
    pixel.red += alpha * (red - pixel.red);
    pixel.green += alpha * (green - pixel.green);
    pixel.blue += alpha * (blue - pixel.blue);
  }
  return pixel;
}

void expect_agreement(const Circles& circles, const ImageSettings& image) {
  const Framebuffer out = draw_cpu(circles, image);
  int ambiguous = 0;
  for (int y = 0; y < image.height; ++y) {
    for (int x = 0; x < image.width; ++x) {
      const OraclePixel expected = paint(circles, image, x, y);
      if (expected.ambiguous) {
        ++ambiguous;
        continue;
      }
      const Pixel& pixel = out.pixels[static_cast<std::size_t>(y * image.width + x)];
      ASSERT_NEAR(pixel.red, expected.red, 1e-5) << x << "," << y;
      ASSERT_NEAR(pixel.green, expected.green, 1e-5) << x << "," << y;
      ASSERT_NEAR(pixel.blue, expected.blue, 1e-5) << x << "," << y;
    }
  }
  EXPECT_LE(ambiguous, 1 + image.width * image.height / 50);
}

TEST(Oracle, SolidCirclesMatchBinary64) {
  expect_agreement(random_circles(800, 0.2f, 1.0f, 0), image_of(97, 61));
  expect_agreement(random_circles(3000, 0.02f, 0.5f, 0, 2), image_of(64, 128));
}

TEST(Oracle, SnowOverAGradientMatchesBinary64) {
  ImageSettings image = image_of(80, 80);
  image.background = {{0.85f, 0.85f, 0.85f}, {0.4f, 0.4f, 0.4f}};
  expect_agreement(random_circles(1500, 0.1f, 0.5f, 1.0), image);
  expect_agreement(random_circles(1500, 0.1f, 0.5f, 0.5, 3), image);
}

TEST(Oracle, SoftCirclesMatchBinary64) {
  expect_agreement(random_circles(800, 0.2f, 1.0f, {0.0, 1.0}), image_of(97, 61));
  expect_agreement(random_circles(3000, 0.02f, 0.5f, {0.2, 0.4}, 2), image_of(64, 128));
}

TEST(Oracle, UnsaturatedLayersMatchBinary64) {
  expect_agreement(random_circles(2000, 0.5f, 0.01f, 0), image_of(40, 40));
}

}  // namespace
}  // namespace roundel
