#pragma once
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <random>
#include <string>
#include <vector>

#include "renderer/image/bit_difference.h"
#include "renderer/raster/background.h"
#include "renderer/raster/pixel_walk.h"
#include "renderer/raster/rasterizer.h"
#include "tests/describe_difference.h"
#include "tests/testing.h"

namespace roundel::testing {

struct Disc {
  Shape shape;
  Paint paint;
};

inline Circles make_circles(const std::vector<Disc>& discs) {
  Circles circles{Buffer<Shape>(discs.size()), Buffer<Paint>(discs.size())};
  for (std::size_t i = 0; i < discs.size(); ++i) {
    circles.shapes[i] = discs[i].shape;
    circles.paints[i] = discs[i].paint;
  }
  return circles;
}

/// Shares of circles with these shaders; the others are solid.
struct FalloffShares {
  constexpr FalloffShares(double of_snow, double of_soft = 0)
      : snow(of_snow), soft(of_soft) {}  // NOLINT
  double snow, soft;
};
inline constexpr FalloffShares kFalloffShares[] = {0.0, 1.0, 0.3, {0.0, 1.0}, {0.2, 0.3}};

/// Returns seeded random circles in and around the unit square, of alpha up to max_alpha.
inline Circles random_circles(std::size_t count, float largest_radius, float max_alpha,
                              FalloffShares shares, unsigned seed = 1) {
  std::mt19937 engine(seed);
  std::uniform_real_distribution<float> unit(0.0f, 1.0f);
  std::vector<Disc> discs(count);
  for (Disc& disc : discs) {
    const float z = unit(engine);
    disc.shape = {unit(engine) * 1.4f - 0.2f, unit(engine) * 1.4f - 0.2f, z,
                  largest_radius * unit(engine) + 1e-4f};
    const float share = unit(engine), alpha = unit(engine) * max_alpha;
    disc.paint = {unit(engine), unit(engine), 1.2f * unit(engine), alpha};
    if (share < static_cast<float>(shares.snow))
      disc.paint.alpha = -alpha;
    else if (share < static_cast<float>(shares.snow + shares.soft))
      disc.paint = soft_paint(disc.paint);
  }
  return make_circles(discs);
}

/// Gives random circles blend modes, each in turns of `run` circles, and `ring_share` of them a
/// hole.
inline void add_looks(Circles& circles, const std::vector<BlendMode>& modes, double ring_share,
                      std::size_t run = 1) {
  std::mt19937 engine(7);
  std::uniform_real_distribution<float> unit(0.0f, 1.0f);
  for (std::size_t i = 0; i < circles.count(); ++i) {
    Shape& shape = circles.shapes[i];
    Paint& paint = circles.paints[i];
    const bool is_ring = !has_falloff(paint) && unit(engine) < static_cast<float>(ring_share);
    const float inner = std::max(1.2f * unit(engine) - 0.2f, 0.0f);  // some have no hole
    if (is_ring) shape.z = shape.radius * inner;
    paint.blue = std::min(paint.blue, 1.0f);
    paint = with_style(paint, modes[i / run % modes.size()], is_ring);
  }
}

inline ImageSettings image_of(int width, int height) {
  ImageSettings image;
  image.width = width;
  image.height = height;
  return image;
}

/// Tests of both kinds of coverage: at pixels' centres (the parameter is false) and by area.
class Coverage : public ::testing::TestWithParam<bool> {
 protected:
  static ImageSettings image_of(int width, int height) {
    ImageSettings image = testing::image_of(width, height);
    image.antialias = GetParam();
    return image;
  }
};
inline std::string coverage_name(const ::testing::TestParamInfo<bool>& test) {
  return test.param ? "Area" : "Plain";
}
/// Both kinds; with the thread sanitizer the first, since both start the same threads.
inline auto coverages() {
  return ::testing::ValuesIn(kThreadSanitized ? std::vector<bool>{false}
                                              : std::vector<bool>{false, true});
}

inline Framebuffer draw(Rasterizer& rasterizer, const Circles& circles,
                        const ImageSettings& image) {
  Framebuffer framebuffer;
  StageStats stats;
  rasterizer.draw(circles, image, framebuffer, stats);
  return framebuffer;
}

inline void expect_same_bits(const Framebuffer& expected, const Framebuffer& actual,
                             const std::string& what) {
  const Difference difference = compare(expected, actual);
  EXPECT_TRUE(difference.same()) << what << ": " << describe(difference);
}

inline Framebuffer draw_cpu(const Circles& circles, const ImageSettings& image,
                            const RasterOptions& options = {}) {
  return draw(*make_cpu_rasterizer(options), circles, image);
}

/// Draws every pixel × every circle, front to back, without tiles: the frame contract literally, in
/// the shared arithmetic.
inline Framebuffer draw_without_tiles(const Circles& circles, const ImageSettings& image) {
  Framebuffer framebuffer;
  framebuffer.resize(image.width, image.height);
  const SnowRamp ramp = snow_ramp(image.blend_space);
  const BackgroundRows background(image);
  std::size_t next = 0;
  for (int y = 0; y < image.height; ++y) {
    for (int x = 0; x < image.width; ++x) {
      PixelWalk walk = PixelWalk::at(x, y, image);
      for (std::size_t i = circles.count(); i-- > 0 && !walk.has_stopped();) {
        const Shape& shape = circles.shapes[i];
        const Paint& paint = circles.paints[i];
        walk.blend(shape, paint, walk.share_of(shape, paint), ramp);
      }
      framebuffer.pixels[next++] = walk.finish(image, background.row(y));
    }
  }
  return framebuffer;
}

/// Skips the calling test without a CUDA device, unless ROUNDEL_REQUIRE_CUDA=1 forbids it.
#define ROUNDEL_NEEDS_CUDA()                                                            \
  if (::roundel::cuda_devices().empty()) {                                              \
    const char* required = std::getenv("ROUNDEL_REQUIRE_CUDA");                         \
    if (required != nullptr && *required == '1') FAIL() << "a CUDA device is required"; \
    GTEST_SKIP() << "needs a GPU";                                                      \
  }

}  // namespace roundel::testing
