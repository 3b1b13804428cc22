// One set of bits for rims that are hard to shortcut: of unlike sizes, and grazing pixels.
#include <cmath>
#include <random>

#include "tests/raster/testing.h"
#include "tests/testing.h"

namespace roundel {
namespace {

using testing::add_looks;
using testing::draw;
using testing::draw_cpu;
using testing::draw_without_tiles;
using testing::expect_same_bits;

class Rims : public testing::Coverage {
 protected:
  /// Returns an image of 128 × 128 pixels.
  static ImageSettings black_image(bool has_rings) {
    ImageSettings image = image_of(128, 128);
    image.background = {{0, 0, 0}, {0, 0, 0}};
    image.styles.rings = has_rings;
    return image;
  }
  static std::string name_of(float most_radius, bool are_rings) {
    return std::string(are_rings ? "rings" : "circles") + " of radii up to " +
           std::to_string(most_radius);
  }
};
INSTANTIATE_TEST_SUITE_P(Coverage, Rims, testing::coverages(), testing::coverage_name);

/// Returns circles whose rims cross a picture of 256 × 256, with radii in turn, in pixels.
Circles circles_of_rims(std::size_t count, const std::vector<float>& radii, float falloff_share) {
  std::mt19937 engine(3);
  std::uniform_real_distribution<float> unit(0.0f, 1.0f);
  std::vector<testing::Disc> discs(count);
  for (std::size_t i = 0; i < count; ++i) {
    const float radius = radii[i % radii.size()] * (0.75f + 0.5f * unit(engine)) / 256;
    const float angle = 6.2831853f * unit(engine);
    discs[i].shape = {unit(engine) + radius * std::cos(angle),
                      unit(engine) + radius * std::sin(angle), 0, radius};
    const bool falls_off = unit(engine) < falloff_share;
    const float alpha = 0.05f + 0.2f * unit(engine);
    discs[i].paint = {unit(engine), unit(engine), unit(engine), falls_off ? -alpha : alpha};
    if (falls_off && i % 2 == 0) discs[i].paint.blue *= -1;  // soft, the others snow
  }
  return testing::make_circles(discs);
}

/// A warp paints 32 circles in the best of several ways, which depends on all of their sizes.
TEST_P(Rims, CudaMatchesTheCpuWithCirclesOfDifferentSizes) {
  ROUNDEL_NEEDS_CUDA();
  const std::vector<std::vector<float>> radii{
      {1.8f},                                           // axes through most pixels
      {2.2f, 2.6f, 3.0f},                               // boxes of five and six pixels
      {0x1p-12f, 5},                                    // empty ones, among others
      {0.3f, 0.7f, 20},                                 // specks, too
      {600},                                            // all pixels are edges
      {2000, 4, 0x1p-9f},                               //
      {0x1p18f, 7, 300, 1.2f, 0x1p-11f, 0x1p24f, 40}};  // coverage test instead of area
  for (const std::vector<float>& some : radii) {
    for (const std::size_t count : {20u, 500u, 30'000u}) {
      for (const float falloff_share : {0.0f, 0.1f}) {
        for (const bool has_rings : {false, true}) {
          ImageSettings image = image_of(256, 256);
          image.styles.rings = has_rings;
          Circles circles = circles_of_rims(count, some, falloff_share);
          if (has_rings) add_looks(circles, {BlendMode::kOver}, 0.7);
          expect_same_bits(
              draw_cpu(circles, image), draw(*make_cuda_rasterizer({}), circles, image),
              "cuda, about " + std::to_string(some[0]) + " pixels" + (has_rings ? ", rings" : ""));
        }
      }
    }
  }
}

/// Gives circles holes: one rim of each ring is the circle's, the outer or the inner one.
void make_rings(Circles& circles, unsigned seed) {
  std::mt19937 engine(seed + 1000);
  std::uniform_real_distribution<float> unit(0.0f, 1.0f);
  for (std::size_t i = 0; i < circles.count(); ++i) {
    Shape& shape = circles.shapes[i];
    const float width = 4 * unit(engine) / 128;
    if (i % 2 == 0) {
      shape.z = shape.radius - width;
    } else {
      shape.z = shape.radius;
      shape.radius += width;
    }
    circles.paints[i] = with_style(circles.paints[i], BlendMode::kOver, shape.z > 0);
  }
}

/// Returns circles of a picture of 128 × 128 whose rims touch a line of the grid or a corner of
/// pixels, up to an offset between almost 0 and a pixel.
Circles grazing_circles(std::size_t count, float most_radius, unsigned seed, bool are_rings) {
  std::mt19937 engine(seed);
  std::uniform_real_distribution<float> unit(0.0f, 1.0f);
  const auto gap = [&] {
    return unit(engine) < 0.3f ? 0
                               : std::ldexp(2 * unit(engine) - 1, -static_cast<int>(engine() % 22));
  };
  std::vector<testing::Disc> discs(count);
  for (testing::Disc& disc : discs) {
    const float radius = 0.6f * std::pow(most_radius / 0.6f, unit(engine));
    const std::size_t kind = engine() % 6;  // the four sides, and corners, of which some are on top
    const float angle = kind < 4 ? 1.5707964f * static_cast<float>(kind)
                                 : 1.5707964f + (kind == 4 ? 0.1f : 3.1f) * (2 * unit(engine) - 1);
    const bool is_side = kind == 0 || kind == 2, is_top_or_bottom = kind == 1 || kind == 3;
    const float x = std::floor(128 * unit(engine)) + (is_top_or_bottom ? unit(engine) : gap());
    const float y = std::floor(128 * unit(engine)) + (is_side ? unit(engine) : gap());
    disc.shape = {(x - radius * std::cos(angle)) / 128, (y - radius * std::sin(angle)) / 128, 0,
                  radius / 128};
    disc.paint = {unit(engine), unit(engine), unit(engine), unit(engine) < 0.5f ? 0.02f : 0.5f};
  }
  Circles circles = testing::make_circles(discs);
  if (are_rings) make_rings(circles, seed);
  return circles;
}

/// Shortcuts are nearest to dropping pixels that the exact test or share still has. On black, a
/// share of 10⁻⁹ is visible.
TEST_P(Rims, CirclesThatGrazePixelsHaveTheSameBits) {
  for (const bool are_rings : {false, true}) {
    const ImageSettings image = black_image(are_rings);
    for (const float most_radius : {4.0f, 30.0f, 390.0f}) {
      for (unsigned seed = 0; seed < (kSanitized ? 1u : 16u); ++seed) {
        const Circles circles = grazing_circles(120, most_radius, seed, are_rings);
        const std::string name = name_of(most_radius, are_rings);
        const Framebuffer expected = draw_without_tiles(circles, image);
        for (const std::string& target : cpu_vector_targets()) {
          ASSERT_TRUE(force_cpu_vector_target(target));
          expect_same_bits(expected, draw_cpu(circles, image, {.threads = 2}),
                           name + ", " + target);
        }
        force_cpu_vector_target("");
      }
    }
  }
}

TEST_P(Rims, CudaMatchesTheCpuWithCirclesThatGrazePixels) {
  ROUNDEL_NEEDS_CUDA();
  for (const bool are_rings : {false, true}) {
    const ImageSettings image = black_image(are_rings);
    for (const float most_radius : {4.0f, 30.0f, 390.0f}) {
      for (unsigned seed = 0; seed < 200; ++seed) {
        const std::size_t count = seed % 4 == 0 ? 20 : 300;
        const Circles circles = grazing_circles(count, most_radius, seed, are_rings);
        expect_same_bits(draw_cpu(circles, image), draw(*make_cuda_rasterizer({}), circles, image),
                         "cuda, " + name_of(most_radius, are_rings));
      }
    }
  }
}

}  // namespace
}  // namespace roundel
