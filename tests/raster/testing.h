#pragma once
#include <gtest/gtest.h>

#include <cstdlib>
#include <random>
#include <vector>

#include "renderer/raster/background.h"
#include "renderer/raster/rasterizer.h"
#include "renderer/raster/scalar_pixel_math.h"

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

/// Seeded random circles in and around the unit square: `snow_share` of them snow, the others solid
/// of alpha up to max_alpha.
inline Circles random_circles(std::size_t count, float largest_radius, float max_alpha,
                              double snow_share, unsigned seed = 1) {
  std::mt19937 engine(seed);
  std::uniform_real_distribution<float> unit(0.0f, 1.0f);
  std::vector<Disc> discs(count);
  for (Disc& disc : discs) {
    const float z = unit(engine);
    disc.shape = {unit(engine) * 1.4f - 0.2f, unit(engine) * 1.4f - 0.2f, z,
                  largest_radius * unit(engine) + 1e-4f};
    const bool snow = unit(engine) < static_cast<float>(snow_share);
    const float alpha = unit(engine) * max_alpha;
    disc.paint = {unit(engine), unit(engine), 1.2f * unit(engine), snow ? -alpha : alpha};
  }
  return make_circles(discs);
}

inline ImageSettings image_of(int width, int height) {
  ImageSettings image;
  image.width = width;
  image.height = height;
  return image;
}

inline Framebuffer draw(Rasterizer& rasterizer, const Circles& circles,
                        const ImageSettings& image) {
  Framebuffer framebuffer;
  StageStats stats;
  rasterizer.draw(circles, image, framebuffer, stats);
  return framebuffer;
}

inline Framebuffer draw_cpu(const Circles& circles, const ImageSettings& image,
                            const RasterOptions& options = {}) {
  return draw(*make_cpu_rasterizer(options), circles, image);
}

/// Every pixel × every circle, front to back, without tiles: the frame contract as it reads, in the
/// shared arithmetic.
inline Framebuffer draw_without_tiles(const Circles& circles, const ImageSettings& image) {
  using L = ScalarLanes;
  Framebuffer framebuffer;
  framebuffer.resize(image.width, image.height);
  const float s = 1.0f / static_cast<float>(image.height);
  const SnowRamp ramp = snow_ramp(image.blend_space);
  const BackgroundRows background(image);
  std::size_t next = 0;
  for (int y = 0; y < image.height; ++y) {
    for (int x = 0; x < image.width; ++x) {
      scalar::PixelState<L> state{0, 0, 0, 1};
      const float px = scalar::pixel_center<L>(static_cast<float>(x), s);
      const float py = scalar::pixel_center<L>(static_cast<float>(y), s);
      for (std::size_t i = circles.count(); i-- > 0;) {
        if (state.transmittance <= scalar::kOpaqueTransmittance) break;
        const Shape& shape = circles.shapes[i];
        if (!(shape.radius > 0)) continue;
        const float dx = shape.x - px, dy = shape.y - py;
        if (!image.antialias) {
          scalar::blend_circle<L>(state, dx, dy, shape.radius, circles.paints[i], ramp);
          continue;
        }
        const auto height = static_cast<float>(image.height);
        const float reach = shape.radius * 1.001f + s;  // farther away no pixel is touched
        if (scalar::squared_distance<L>(dx, dy) > reach * reach) continue;
        const float share = scalar::pixel_share<L>(
            scalar::area_disc<L>(shape.x, shape.y, shape.radius, height), static_cast<float>(x),
            static_cast<float>(y),
            scalar::squared_distance<L>(dx, dy) <= shape.radius * shape.radius);
        scalar::blend_share<L>(state, share, dx, dy, shape.radius, height, circles.paints[i], ramp);
      }
      if (!image.alpha) scalar::add_background<L>(state, background.row(y));
      framebuffer.pixels[next++] = {state.red, state.green, state.blue,
                                    image.alpha ? 1.0f - state.transmittance : 1.0f};
    }
  }
  return framebuffer;
}

/// Skips the calling test when there is no CUDA device, unless ROUNDEL_REQUIRE_CUDA=1 forbids it.
#define ROUNDEL_NEEDS_CUDA()                                                            \
  if (::roundel::cuda_devices().empty()) {                                              \
    const char* required = std::getenv("ROUNDEL_REQUIRE_CUDA");                         \
    if (required != nullptr && *required == '1') FAIL() << "a CUDA device is required"; \
    GTEST_SKIP() << "no CUDA device";                                                   \
  }

}  // namespace roundel::testing
