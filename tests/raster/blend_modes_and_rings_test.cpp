// Blend modes and rings.
#include <array>
#include <cmath>
#include <cstring>

#include "tests/raster/testing.h"
#include "tests/to_image.h"

namespace roundel {
namespace {

using testing::add_looks;
using testing::draw;
using testing::draw_cpu;
using testing::draw_without_tiles;
using testing::expect_same_bits;
using testing::random_circles;

const std::vector<BlendMode> kOver{BlendMode::kOver};
const std::vector<BlendMode> kOverAndAdd{BlendMode::kOver, BlendMode::kAdd};
const std::vector<BlendMode> kAllModes{BlendMode::kOver, BlendMode::kAdd, BlendMode::kMultiply,
                                       BlendMode::kScreen};

class BlendModesAndRings : public testing::Coverage {
 protected:
  static ImageSettings image_of(int width, int height, const CircleStyles& styles) {
    ImageSettings image = Coverage::image_of(width, height);
    image.styles = styles;
    return image;
  }
};
INSTANTIATE_TEST_SUITE_P(Coverage, BlendModesAndRings, testing::coverages(),
                         testing::coverage_name);

/// A circle by its effect on the colour below: out = add + keep · below.
struct AffineStep {
  double add, keep;
};
AffineStep step_of(BlendMode mode, double alpha, double color) {
  switch (mode) {
    case BlendMode::kOver:
      return {alpha * color, 1 - alpha};
    case BlendMode::kAdd:
      return {alpha * color, 1};
    case BlendMode::kMultiply:
      return {0, 1 - alpha * (1 - color)};
    case BlendMode::kScreen:
      return {alpha * color, 1 - alpha * color};
  }
  return {0, 1};
}

/// Returns the share of a pixel in a disc about (x, y), all in pixels, which area_test.cpp has
/// checked.
double share_in_disc(const Shape& shape, float radius, const ImageSettings& image, int x, int y,
                     bool& is_near_rim) {
  using L = ScalarLanes;
  if (!(radius > 0)) return 0;
  const double px = (x + 0.5) / image.height, py = (y + 0.5) / image.height;
  const double dx = shape.x - px, dy = shape.y - py, r = radius, d2 = dx * dx + dy * dy;
  if (image.antialias)
    return static_cast<double>(scalar::pixel_share<L>(
        scalar::area_disc<L>(shape.x, shape.y, radius, static_cast<float>(image.height)),
        static_cast<float>(x), static_cast<float>(y), d2 <= r * r));
  is_near_rim |= std::abs(d2 - r * r) < 1e-6 * std::max(r * r, 1e-6);
  return d2 <= r * r ? 1 : 0;
}

/// Draws back to front in binary64, circle by circle, by the affine rule.
void expect_affine_picture(const Circles& circles, const std::vector<BlendMode>& modes,
                           const ImageSettings& image) {
  const Framebuffer out = draw_cpu(circles, image);
  int near_rims = 0;
  for (int y = 0; y < image.height; ++y) {
    for (int x = 0; x < image.width; ++x) {
      std::array<double, 3> pixel{1, 1, 1};
      bool is_near_rim = false;
      for (std::size_t i = 0; i < circles.count(); ++i) {
        const Shape& shape = circles.shapes[i];
        const Paint& paint = circles.paints[i];
        double share = share_in_disc(shape, shape.radius, image, x, y, is_near_rim);
        if (std::signbit(paint.blue))
          share = std::max(share - share_in_disc(shape, shape.z, image, x, y, is_near_rim), 0.0);
        const std::array<float, 3> colors{paint.red, paint.green, paint.blue};
        for (std::size_t c = 0; c < 3; ++c) {
          const AffineStep step =
              step_of(modes[i % modes.size()], share * paint.alpha, std::abs(colors[c]));
          pixel[c] = step.add + step.keep * pixel[c];
        }
      }
      if (is_near_rim) {
        ++near_rims;
        continue;
      }
      const Pixel& drawn = out.pixels[static_cast<std::size_t>(y * image.width + x)];
      // Sums of light may be large, so they are compared relatively.
      ASSERT_NEAR(drawn.red / std::max(pixel[0], 1.0), pixel[0] / std::max(pixel[0], 1.0), 2e-5);
      ASSERT_NEAR(drawn.green / std::max(pixel[1], 1.0), pixel[1] / std::max(pixel[1], 1.0), 2e-5);
      ASSERT_NEAR(drawn.blue / std::max(pixel[2], 1.0), pixel[2] / std::max(pixel[2], 1.0), 2e-5);
    }
  }
  EXPECT_LE(near_rims, 1 + image.width * image.height / 25);
}

TEST_P(BlendModesAndRings, MatchTheAffineRuleInBinary64) {
  if (kThreadSanitized || (kAddressSanitized && GetParam()))
    GTEST_SKIP() << "compares millions of numbers";
  const ImageSettings image = image_of(97, 61, {true, true, true});
  for (const std::vector<BlendMode>& modes :
       {kOver, kOverAndAdd, kAllModes, std::vector{BlendMode::kMultiply}, {BlendMode::kScreen}}) {
    for (const float largest : {0.02f, 0.2f, 1.0f}) {
      Circles circles = random_circles(600, largest, 0.6f, 0);
      add_looks(circles, modes, 0.5);
      expect_affine_picture(circles, modes, image);
    }
  }
}

TEST_P(BlendModesAndRings, TilesThreadsChunksAndMemoryKeepEveryBit) {
  for (const auto& [width, height] : {std::pair{1, 1}, {63, 65}, {130, 33}}) {
    for (const float largest : {0.03f, 0.3f, 2.0f}) {
      Circles circles = random_circles(3000, largest, 0.5f, 0.2);
      add_looks(circles, kAllModes, 0.4, 100);
      const ImageSettings image = image_of(width, height, {true, true, true});
      const Framebuffer expected = draw_without_tiles(circles, image);
      for (const RasterOptions& options : {RasterOptions{.threads = 1},
                                           {.threads = 7},
                                           {.threads = 2, .tile_size = 16},
                                           {.threads = 2, .tile_size = 256},
                                           {.threads = 2, .chunk_circles = 1000},
                                           {.threads = 1, .chunk_circles = 7},
                                           {.threads = 2, .memory_budget = 600 << 10}})
        expect_same_bits(expected, draw_cpu(circles, image, options), std::to_string(width));
    }
  }
}

TEST_P(BlendModesAndRings, EveryInstructionSetHasTheSameBits) {
  if (kThreadSanitized) GTEST_SKIP() << "starts the same threads for each instruction set";
  const ImageSettings image = image_of(97, 61, {true, true, true});
  Circles circles = random_circles(3000, 0.15f, 0.6f, 0.2);
  add_looks(circles, kAllModes, 0.4);
  const Framebuffer expected = draw_without_tiles(circles, image);
  for (const std::string& target : cpu_vector_targets()) {
    ASSERT_TRUE(force_cpu_vector_target(target));
    expect_same_bits(expected, draw_cpu(circles, image, {.threads = 2}), target);
  }
  EXPECT_TRUE(force_cpu_vector_target(""));
}

TEST_P(BlendModesAndRings, ListsOfCopiesHaveTheSameBits) {
  if (kThreadSanitized) GTEST_SKIP() << "compares millions of numbers";
  Circles circles = random_circles(130'000, 0.02f, 1e-3f, 0.1);
  add_looks(circles, kAllModes, 0.4);
  const ImageSettings image = image_of(41, 23, {true, true, true});
  expect_same_bits(draw_without_tiles(circles, image), draw_cpu(circles, image), "copies");
}

TEST_P(BlendModesAndRings, DiscsInOverModeHaveThePlainBits) {
  for (const testing::FalloffShares& shares : testing::kFalloffShares) {
    Circles circles = random_circles(3000, 0.1f, 0.5f, shares);
    const Framebuffer expected = draw_cpu(circles, image_of(97, 61, {}));
    expect_same_bits(expected, draw_cpu(circles, image_of(97, 61, {false, false, true})), "over");
    // An empty hole.
    for (Paint& paint : circles.paints.span())
      if (!has_falloff(paint)) paint = with_style(paint, BlendMode::kOver, true);
    for (Shape& shape : circles.shapes.span()) shape.z = 0;
    expect_same_bits(expected, draw_cpu(circles, image_of(97, 61, {true, false, false})), "rings");
  }
}

/// Returns rims through the middle of the unit square, of circles up to sizes beyond those with
/// areas.
Circles huge_rings() {
  Circles circles = random_circles(40, 0.1f, 0.5f, 0);
  for (std::size_t i = 0; i < circles.count(); ++i) {
    const float radius = std::ldexp(1.0f, 4 + static_cast<int>(i / 4));
    circles.shapes[i] = {0.5f + radius, 0.5f, radius - 0.25f, radius};
    circles.paints[i] = with_style({0, 0, 0, 0.5f}, BlendMode::kOver, true);
  }
  return circles;
}

TEST_P(BlendModesAndRings, HugeRingsMatchTheRule) {
  const Circles circles = huge_rings();
  const ImageSettings image = image_of(64, 64, {true, false, false});
  const Framebuffer expected = draw_without_tiles(circles, image);
  expect_same_bits(expected, draw_cpu(circles, image), "huge");
  EXPECT_LT(expected.pixels[32 * 64 + 33].red, 0.5F);  // in all rings
  EXPECT_EQ(expected.pixels[32 * 64 + 20].red, 1.0F);  // outside of all rings
}

TEST_P(BlendModesAndRings, AddNeverStopsAndFiltersStopByChannel) {
  const ImageSettings image = image_of(40, 40, {false, true, true});
  const Shape everywhere{0.5f, 0.5f, 0, 2.0f};
  std::vector<testing::Disc> discs(1000, {everywhere, {0.25f, 0, 0, 1.0f}});
  for (testing::Disc& disc : discs) disc.paint = with_style(disc.paint, BlendMode::kAdd, false);
  EXPECT_EQ(draw_cpu(testing::make_circles(discs), image).pixels[7].red, 251.0f);
  // Red is blocked, the others pass.
  discs.push_back({everywhere, with_style({0, 1, 1, 1.0f}, BlendMode::kMultiply, false)});
  EXPECT_EQ(draw_cpu(testing::make_circles(discs), image).pixels[7], (Pixel{0, 1, 1, 1}));
  // Everything is blocked: circles behind are skipped.
  discs.push_back({everywhere, with_style({0, 0, 0, 1.0f}, BlendMode::kMultiply, false)});
  StageStats stats;
  Framebuffer out;
  const Circles circles = testing::make_circles(discs);
  make_cpu_rasterizer({.chunk_circles = 10})->draw(circles, image, out, stats);
  EXPECT_EQ(out.pixels[7], (Pixel{0, 0, 0, 1}));
  EXPECT_EQ(stats.chunks, 1u);
}

TEST_P(BlendModesAndRings, AddedLightShowsInPicturesWithAlpha) {
  ImageSettings image = image_of(4, 4, {false, true, false});
  image.alpha = true;
  const Shape everywhere{0.5f, 0.5f, 0, 2.0f};
  const Circles circles =
      testing::make_circles({{everywhere, with_style({1, 0.5f, 0, 0.4f}, BlendMode::kAdd, false)}});
  const Framebuffer out = draw_cpu(circles, image);
  EXPECT_EQ(out.pixels[5], (Pixel{0.4f, 0.2f, 0, 0}));  // premultiplied light, and no coverage
  const std::array<std::uint8_t, 4> expected{255, 128, 0, 102};
  Image bytes;
  StageStats stats;
  make_cpu_rasterizer({})->draw(circles, image, bytes, stats);
  EXPECT_EQ(std::memcmp(bytes.bytes.data(), expected.data(), 4), 0);
  // Overlapping discs keep their alphas, with colours beyond 1 too.
  image.styles = {};
  const Circles bright = testing::make_circles({{everywhere, {4, 0.5f, 0, 0.4f}}});
  make_cpu_rasterizer({})->draw(bright, image, bytes, stats);
  EXPECT_EQ(bytes.bytes[3], 102);
}

TEST_P(BlendModesAndRings, CudaMatchesTheCpu) {
  ROUNDEL_NEEDS_CUDA();
  for (const auto& [width, height] : {std::pair{1, 1}, {63, 65}, {130, 33}, {700, 1}, {512, 300}}) {
    for (const float largest : {0.004f, 0.03f, 0.3f, 2.0f}) {
      for (const bool alpha : {false, true}) {
        Circles circles = random_circles(4000, largest, 0.4f, 0.2);
        add_looks(circles, alpha ? kOverAndAdd : kAllModes, 0.4, 100);
        ImageSettings image = image_of(width, height, {true, true, !alpha});
        image.alpha = alpha;
        image.blend_space = largest == 0.03f ? BlendSpace::kLinear : BlendSpace::kDisplay;
        const Framebuffer expected = draw_cpu(circles, image);
        Image expected_bytes, bytes;
        StageStats stats;
        make_cpu_rasterizer({})->draw(circles, image, expected_bytes, stats);
        for (const RasterOptions& options : {RasterOptions{},
                                             {.chunk_circles = 1000},
                                             {.chunk_circles = 7},
                                             {.memory_budget = 24 << 20}}) {
          const auto rasterizer = make_cuda_rasterizer(options);
          expect_same_bits(expected, draw(*rasterizer, circles, image), "cuda");
          rasterizer->draw(circles, image, bytes, stats);
          EXPECT_EQ(
              std::memcmp(expected_bytes.bytes.data(), bytes.bytes.data(), bytes.bytes.size()), 0);
        }
      }
    }
  }
}

TEST_P(BlendModesAndRings, CudaMatchesTheCpuWithLongListsAndHugeRings) {
  ROUNDEL_NEEDS_CUDA();
  const auto rasterizer = make_cuda_rasterizer({});
  Circles crowd = random_circles(60'000, 0.05f, 1e-3f, 0.1);
  for (Shape& shape : crowd.shapes.span()) shape.x = 0.2f + 0.1f * shape.x;
  add_looks(crowd, kAllModes, 0.4);
  const Circles huge = huge_rings();
  for (const Circles* const circles : std::initializer_list<const Circles*>{&crowd, &huge}) {
    const ImageSettings image = image_of(150, 107, {true, true, true});
    expect_same_bits(draw_cpu(*circles, image), draw(*rasterizer, *circles, image), "cuda");
  }
}

}  // namespace
}  // namespace roundel
