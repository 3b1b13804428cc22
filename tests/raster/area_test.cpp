// Coverage by area against a closed form in long double, which is itself checked by quadrature.
#include <algorithm>
#include <array>
#include <cmath>
#include <numbers>

#include "tests/raster/testing.h"

namespace roundel {
namespace {

using testing::draw_cpu;
using testing::image_of;
using testing::make_circles;
using PixelDisc = scalar::AreaDisc<ScalarLanes>;
using Real = long double;

constexpr float kRadii[] = {0.05f, 0.1f,  0.25f, 0.5f,   0.7f,    1.0f,    1.024f,   1.5f,
                            3.0f,  10.0f, 51.0f, 256.0f, 1000.0f, 4096.0f, 30000.0f, 131072.0f};

/// Half the chord of a circle about 0 at x, and its integral from 0 to x.
Real half_chord(Real radius, Real x) {
  return std::sqrt(std::max((radius - x) * (radius + x), Real{0}));
}
Real integral_of_half_chord(Real radius, Real x) {
  return (x * half_chord(radius, x) + radius * radius * std::asin(x / radius)) / 2;
}

/// Returns the length of the vertical line at x in the disc between y0 and y1.
Real length_inside(Real radius, Real x, Real y0, Real y1) {
  const Real half = half_chord(radius, x);
  return std::max(std::min(y1, half) - std::max(y0, -half), Real{0});
}

/// Returns the area of [x0, x1] × [y0, y1] in the disc of `radius` about 0: between the points
/// where the circle meets the upper and the lower edge each end of the line at x is the edge, or
/// the circle.
Real exact_area(Real radius, Real x0, Real x1, Real y0, Real y1) {
  x0 = std::clamp(x0, -radius, radius), x1 = std::clamp(x1, -radius, radius);
  std::vector<Real> places{x0, x1};
  for (const Real y : {y0, y1})
    for (const Real sign : {-1, 1})
      places.push_back(std::clamp(sign * half_chord(radius, y), x0, x1));
  std::sort(places.begin(), places.end());
  Real area = 0;
  for (std::size_t i = 1; i < places.size(); ++i) {
    const Real from = places[i - 1], to = places[i], middle = (from + to) / 2;
    const Real half = half_chord(radius, middle);
    const Real under_arc =
        integral_of_half_chord(radius, to) - integral_of_half_chord(radius, from);
    const Real upper = y1 < half ? y1 * (to - from) : under_arc;
    const Real lower = y0 > -half ? y0 * (to - from) : -under_arc;
    if (std::min(y1, half) > std::max(y0, -half)) area += upper - lower;
  }
  return area;
}

Real exact_share(const PixelDisc& disc, int i, int j) {
  const Real x = Real{disc.x}, y = Real{disc.y};
  return exact_area(disc.radius, i - x, i + 1 - x, j - y, j + 1 - y);
}
float share(const PixelDisc& disc, int i, int j) {
  return scalar::pixel_share<ScalarLanes>(disc, static_cast<float>(i), static_cast<float>(j),
                                          false);
}
/// Returns a circle in pixels.
PixelDisc disc_of(float x, float y, float radius) {
  return scalar::area_disc<ScalarLanes>(x, y, radius, 1);
}

double allowed_error(float radius) {
  return std::max(0x1p-14, static_cast<double>(radius) * 0x1p-22);
}

class Random {
 public:
  float operator()(float low, float high) {
    return std::uniform_real_distribution<float>(low, high)(engine_);
  }

 private:
  std::mt19937 engine_{1};
};

TEST(Area, ClosedFormMatchesQuadrature) {
  Random random;
  for (const Real radius : {0.05L, 0.7L, 3.0L, 100.0L}) {
    for (int i = 0; i < 30; ++i) {
      const Real reach = radius + 1;
      const Real x0 = random(-1, 1) * reach, y0 = random(-1, 1) * reach;
      constexpr int kSteps = 200'000;
      Real sum = 0;
      for (int k = 0; k < kSteps; ++k)
        sum += length_inside(radius, x0 + (Real(k) + 0.5L) / kSteps, y0, y0 + 1);
      EXPECT_NEAR(static_cast<double>(exact_area(radius, x0, x0 + 1, y0, y0 + 1)),
                  static_cast<double>(sum / kSteps), 1e-7);
    }
  }
  EXPECT_NEAR(static_cast<double>(exact_area(2, -3, 3, -3, 3)), 4 * std::numbers::pi, 1e-15);
}

TEST(Area, SharesAreWithinTolerance) {
  Random random;
  for (const float radius : kRadii) {
    double largest = 0, total = 0;
    int edges = 0;
    for (int i = 0; i < 40'000; ++i) {
      const PixelDisc disc =
          disc_of(random(0, 1) + (i % 3 == 0 ? 0.0f : random(-100, 100)), random(0, 1), radius);
      // A pixel that the circle crosses, or one beside it.
      const double angle = random(0, 2 * std::numbers::pi_v<float>);
      const int x = static_cast<int>(std::floor(disc.x + radius * std::cos(angle))) + i % 2;
      const int y = static_cast<int>(std::floor(disc.y + radius * std::sin(angle)));
      const double exact = static_cast<double>(exact_share(disc, x, y));
      const double error = std::abs(static_cast<double>(share(disc, x, y)) - exact);
      if (exact > 0 && exact < 1) ++edges, total += error;
      largest = std::max(largest, error);
    }
    RecordProperty("largest_" + std::to_string(radius), std::to_string(largest));
    EXPECT_LE(largest, allowed_error(radius)) << radius;
    EXPECT_LE(total / edges, 0.25 * allowed_error(radius)) << radius;
  }
}

TEST(Area, SharesOfTheDiscsSidesAreWithinTolerance) {  // an axis crosses the pixel
  Random random;
  for (const float radius : kRadii) {
    for (int i = 0; i < 2000; ++i) {
      const PixelDisc disc = disc_of(random(0, 1), random(0, 1), radius);
      for (const auto& [dx, dy] :
           {std::pair{1.0f, 0.0f}, {-1.0f, 0.0f}, {0.0f, 1.0f}, {0.0f, -1.0f}, {0.0f, 0.0f}}) {
        const int x = static_cast<int>(std::floor(disc.x + dx * radius));
        const int y = static_cast<int>(std::floor(disc.y + dy * radius));
        ASSERT_NEAR(static_cast<double>(share(disc, x, y)),
                    static_cast<double>(exact_share(disc, x, y)), allowed_error(radius))
            << radius << " " << disc.x << " " << disc.y << " " << x << " " << y;
      }
    }
  }
}

TEST(Area, SharesSumToTheDiscsArea) {
  Random random;
  for (const float radius : {0.05f, 0.1f, 0.3f, 0.5f, 0.8f, 1.024f, 2.0f, 7.0f, 40.0f, 300.0f}) {
    for (int repeat = 0; repeat < (radius > 20 ? 3 : 200); ++repeat) {
      const PixelDisc disc = disc_of(random(-1, 1), random(-1, 1), radius);
      const int reach = static_cast<int>(radius) + 3;
      double sum = 0;
      for (int y = -reach; y <= reach; ++y)
        for (int x = -reach; x <= reach; ++x) sum += static_cast<double>(share(disc, x, y));
      const double exact =
          std::numbers::pi * static_cast<double>(radius) * static_cast<double>(radius);
      EXPECT_NEAR(sum / exact, 1, 1e-3) << radius;
    }
  }
}

TEST(Area, InsideIsOneAndOutsideIsZero) {
  Random random;
  for (const float radius : kRadii) {
    for (int i = 0; i < 20'000; ++i) {
      const PixelDisc disc = disc_of(random(0, 1), random(0, 1), radius);
      const float reach = 1.2f * radius + 2;
      const int x = static_cast<int>(random(-reach, reach)),
                y = static_cast<int>(random(-reach, reach));
      const double exact = static_cast<double>(exact_share(disc, x, y));
      const float actual = share(disc, x, y);
      ASSERT_GE(actual, 0.0f);
      ASSERT_LE(actual, 1.0f);
      const double far_x = std::max(std::abs(x - double{disc.x}), std::abs(x + 1 - double{disc.x}));
      const double far_y = std::max(std::abs(y - double{disc.y}), std::abs(y + 1 - double{disc.y}));
      if (far_x * far_x + far_y * far_y < double{radius} * radius * (1 - 1e-6)) {
        ASSERT_EQ(actual, 1.0f);
      }
      if (exact == 0) {
        ASSERT_LE(actual, static_cast<float>(allowed_error(radius)));
      }
    }
  }
  EXPECT_EQ(share(disc_of(1e30f, 0.5f, 1), 0, 0), 0.0f);
  EXPECT_EQ(share(disc_of(INFINITY, 0.5f, 1), 0, 0), 0.0f);
  EXPECT_EQ(share(disc_of(0.5f, 0.5f, 1e-30f), 0, 0), 0.0f);  // its square underflows
  EXPECT_EQ(share(disc_of(3.0f, 3.5f, 1), 3, 3), share(disc_of(3.0f, 3.5f, 1), 2, 3));
}

TEST(Area, LargestRadiiUseThePlainRule) {
  ImageSettings image = image_of(70, 50);
  std::vector<testing::Disc> discs;
  for (int i = 0; i < 60; ++i) {
    const float radius = 2700.0f * static_cast<float>(i % 7 + 1);  // heights: above 2¹⁷ pixels
    discs.push_back({{radius + 0.02f * static_cast<float>(i), 0.3f, 0, radius},
                     {0.5f, 0.2f, 0.1f, i % 3 == 0 ? -0.1f : 0.1f}});
  }
  const Circles circles = make_circles(discs);
  const Framebuffer plain = draw_cpu(circles, image);
  image.antialias = true;
  const Framebuffer smooth = draw_cpu(circles, image);
  for (std::size_t i = 0; i < plain.pixels.size(); ++i)
    ASSERT_EQ(plain.pixels[i], smooth.pixels[i]);
}

/// Returns the light that black circles take from a white picture: the sum over its pixels.
double light_of(const Shape& shape, const Paint& paint, ImageSettings image) {
  image.antialias = true;
  image.alpha = true;
  double sum = 0;
  for (const Pixel& pixel : draw_cpu(make_circles({{shape, paint}}), image).pixels)
    sum += static_cast<double>(pixel.alpha);
  return sum;
}

TEST(Area, MovingDotKeepsItsLight) {
  for (const float radius :
       {0.05f, 0.2f, 0.5f, 0.9f, 1.024f, 1.1f, 1.7f, 1.9f, 2.2f, 2.5f, 2.8f, 6.0f, 12.0f}) {
    const Paint solid{0, 0, 0, 0.9f};
    for (const Paint& paint : {solid, Paint{0, 0, 0, -0.9f}, soft_paint(solid)}) {
      double least = INFINITY, most = 0;
      for (int step = 0; step < 60; ++step) {
        const float x = 15 + 0.037f * static_cast<float>(step);
        const float y = 16 - 0.021f * static_cast<float>(step);
        const double light = light_of({x / 32, y / 32, 0, radius / 32}, paint, image_of(32, 32));
        least = std::min(least, light), most = std::max(most, light);
      }
      EXPECT_LE(most / least, has_falloff(paint) ? 1.01 : 1.001)
          << radius << " " << shader_name(paint);
    }
  }
}

/// Compares every pixel of the picture with the closed form of the circle in pixels.
void expect_exact_shares(const Shape& shape, ImageSettings image) {
  image.antialias = true;
  image.alpha = true;
  const Framebuffer out = draw_cpu(make_circles({{shape, {0, 0, 0, 1}}}), image);
  const PixelDisc disc = scalar::area_disc<ScalarLanes>(shape.x, shape.y, shape.radius,
                                                        static_cast<float>(image.height));
  for (int y = 0; y < image.height; ++y)
    for (int x = 0; x < image.width; ++x) {
      const auto at = static_cast<std::size_t>(y) * static_cast<std::size_t>(image.width) +
                      static_cast<std::size_t>(x);
      ASSERT_NEAR(static_cast<double>(out.pixels[at].alpha),
                  static_cast<double>(exact_share(disc, x, y)), allowed_error(disc.radius))
          << x << "," << y << " of radius " << disc.radius;
    }
}

TEST(Area, PicturesHaveExactSharesUpToTheirBorders) {
  for (const float radius : {0.03f, 0.4f, 1.1f, 4.0f, 20.0f, 90.0f, 900.0f})
    for (const float x : {-0.01f, 0.0f, 0.013f, 0.51f, 1.2f})
      for (const float y : {0.0f, 0.499f, 1.0f})
        expect_exact_shares({x, y, 0, radius / 61}, image_of(75, 61));
}

TEST(Area, TallPicturesAndFarCentresHaveExactShares) {
  if (kAddressSanitized) GTEST_SKIP() << "compares millions of numbers";
  for (const float y : {0.0f, 0.3f, 0.99998f, 1.0f})
    for (const float radius : {0.4f, 3.0f, 700.0f, 40000.0f})
      expect_exact_shares({2.5f / 65536, y, 0, radius / 65536}, image_of(5, 65536));
  expect_exact_shares({1024.5f, 0.5f, 0, 1024.0f}, image_of(64, 64));
  expect_exact_shares({-1023.3f, 700.25f, 0, 1240.4f}, image_of(64, 64));
}

/// In a picture of this size, where centres in pixels are rounded, too.
double allowed_error(float radius, int width, int height) {
  return allowed_error(radius) + 0x1p-24 * (double(width) + height);
}

/// Returns the binary32 circle's share of a pixel of a picture of this height.
double exact_share_of_frame(const Shape& shape, int height, int i, int j) {
  const Real x = Real{shape.x} * height, y = Real{shape.y} * height;
  return static_cast<double>(
      exact_area(Real{shape.radius} * height, i - x, i + 1 - x, j - y, j + 1 - y));
}

constexpr std::pair<int, int> kSizesOfPictures[] = {
    {1000, 1000},   {1920, 1080},   {4000, 3000}, {7680, 4320}, {10000, 7000},
    {30000, 20000}, {65000, 65000}, {10000, 3},   {65536, 3},   {65536, 65536}};

TEST(Area, SharesOfLargePicturesAreWithinTolerance) {
  Random random;
  for (const auto& [width, height] : kSizesOfPictures) {
    double worst = 0;
    for (int n = 0; n < 30'000; ++n) {
      const float radius = std::exp2(random(-4, 17));  // pixels
      // A pixel that the circle crosses, near the upper right corner or anywhere.
      const int x = n % 2 == 0 ? width - 1 - n % 97 % width : n * 31 % width;
      const int y = n % 2 == 0 ? height - 1 - n % 89 % height : n * 37 % height;
      const float angle = random(0, 2 * std::numbers::pi_v<float>);
      const auto h = static_cast<float>(height);
      const Shape shape{(static_cast<float>(x) + random(0, 1) - radius * std::cos(angle)) / h,
                        (static_cast<float>(y) + random(0, 1) - radius * std::sin(angle)) / h, 0,
                        radius / h};
      const PixelDisc disc = scalar::area_disc<ScalarLanes>(shape.x, shape.y, shape.radius, h);
      if (disc.radius > 0x1p17f) continue;
      const double error =
          std::abs(double{share(disc, x, y)} - exact_share_of_frame(shape, height, x, y));
      worst = std::max(worst, error / allowed_error(disc.radius, width, height));
    }
    RecordProperty("worst_" + std::to_string(width), std::to_string(worst));
    EXPECT_LE(worst, 1) << width << "x" << height;
  }
}

TEST(Area, PartsOfLargePicturesAreWithinTolerance) {
  for (const auto& [width, height] : kSizesOfPictures) {
    ImageSettings image = image_of(std::min(width, 24), std::min(height, 24));
    image.antialias = true;
    image.alpha = true;
    image.crop = CropOrigin{width, height, width - image.width, height - image.height};
    const auto h = static_cast<float>(height);
    for (const float radius : {0.3f, 4.0f, 9.3f, 300.0f}) {
      const Shape shape{(static_cast<float>(width) - 9.1f - radius) / h,
                        (static_cast<float>(height) - 2.3f) / h, 0, radius / h};
      const Framebuffer out = draw_cpu(make_circles({{shape, {0, 0, 0, 1}}}), image);
      for (int y = 0; y < image.height; ++y)
        for (int x = 0; x < image.width; ++x)
          ASSERT_NEAR(
              static_cast<double>(out.pixels[static_cast<std::size_t>(y * image.width + x)].alpha),
              exact_share_of_frame(shape, height, x + image.first_column(), y + image.first_row()),
              allowed_error(radius, width, height))
              << width << "x" << height << ": " << x << "," << y << " of radius " << radius;
    }
  }
}

TEST(Area, DiscsThatTouchShareTheirPixels) {
  for (int step = 0; step < 100; ++step) {
    const float middle = 8 + 0.01f * static_cast<float>(step), radius = 3.3f;
    const PixelDisc left = disc_of(middle - radius, 8.5f, radius);
    const PixelDisc right = disc_of(middle + radius, 8.5f, radius);
    for (int y = 4; y < 13; ++y)
      for (int x = 0; x < 17; ++x) {
        const double both = double{share(left, x, y)} + share(right, x, y);
        EXPECT_LE(both, 1 + 0x1p-13);
        EXPECT_NEAR(both, static_cast<double>(exact_share(left, x, y) + exact_share(right, x, y)),
                    0x1p-13);
      }
  }
}

}  // namespace
}  // namespace roundel
