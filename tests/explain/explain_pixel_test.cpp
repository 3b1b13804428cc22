#include "renderer/explain/explain_pixel.h"

#include <cstring>

#include "renderer/explain/circle_numbering.h"
#include "renderer/scene/load_scene.h"
#include "tests/raster/testing.h"
#include "tools/roundel/commands/selftest.h"

namespace roundel {
namespace {

using testing::draw_cpu;
using testing::image_of;
using testing::make_circles;
using testing::random_circles;

constexpr std::size_t kAllSteps = 1'000'000;

bool same_bits(const Pixel& a, const Pixel& b) {
  return std::memcmp(&a, &b, sizeof(Pixel)) == 0;
}

/// Explains every `stride`-th pixel and compares with the drawn picture, in float and in samples.
void expect_drawn_pixels(const std::string& name, const Circles& circles,
                         const ImageSettings& image, int stride) {
  const Framebuffer drawn = draw_cpu(circles, image);
  Image picture;
  StageStats stats;
  make_cpu_rasterizer({})->draw(circles, image, picture, stats);
  const int pixels = image.width * image.height;
  for (int i = 0; i < pixels; i += stride) {
    const int x = i % image.width, row = i / image.width;
    const PixelExplanation explanation = explain_pixel(circles, image, x, row, kAllSteps);
    ASSERT_TRUE(same_bits(explanation.value, drawn.pixels[static_cast<std::size_t>(i)]))
        << name << " at " << x << "," << row;
    const std::size_t sample = image.bits == 16 ? 2 : 1;
    const std::uint8_t* byte =
        picture.bytes.data() +
        pixel_count(image.width, image.height - 1 - row) * picture.pixel_bytes() +
        static_cast<std::size_t>(x) * picture.pixel_bytes();
    for (int c = 0; c < picture.channels; ++c, byte += sample) {
      const unsigned value = sample == 2 ? byte[0] * 256U + byte[1] : byte[0];
      ASSERT_EQ(explanation.samples[static_cast<std::size_t>(c)], value)
          << name << " at " << x << "," << row;
    }
  }
}

TEST(ExplainPixel, MatchesTheDrawnPixels) {
  if (kAddressSanitized) GTEST_SKIP() << "compares millions of numbers";
  for (const NamedScene& scene : selftest_scenes()) {
    // Some 50 pixels of each, fewer for a million circles; an odd stride meets all columns.
    const int pixels = scene.image.width * scene.image.height;
    const int samples = scene.circles.count() > 100'000 ? 5 : 50;
    expect_drawn_pixels(scene.name, scene.circles, scene.image, std::max(1, pixels / samples) | 1);
  }
}

TEST(ExplainPixel, MatchesAlphaAndLinearImages) {
  const Circles circles = random_circles(3000, 0.1f, 0.5f, 0.4);
  for (const bool alpha : {false, true}) {
    for (const BlendSpace space : {BlendSpace::kDisplay, BlendSpace::kLinear}) {
      ImageSettings image = image_of(70, 50);
      image.background = {{0.85f, 0.2f, 0.1f}, {0.4f, 0.5f, 1.5f}};
      image.alpha = alpha;
      image.blend_space = space;
      expect_drawn_pixels("alpha or linear", circles, image, 7);
    }
  }
}

TEST(ExplainPixel, StepsFollowFromEachOther) {
  using L = ScalarLanes;
  const ImageSettings image = image_of(64, 64);
  const Circles circles = random_circles(4000, 0.1f, 0.4f, 0.5);
  const PixelExplanation explanation = explain_pixel(circles, image, 20, 40, kAllSteps);
  ASSERT_GT(explanation.steps.size(), 10U);
  scalar::PixelState<L> state{0, 0, 0, 1};
  std::uint64_t in_front = circles.count();
  for (const PixelStep& step : explanation.steps) {
    EXPECT_LT(step.circle, in_front);
    in_front = step.circle;
    EXPECT_EQ(step.transmittance_before.red, state.transmittance);
    EXPECT_EQ(step.contribution.red, state.transmittance * step.alpha * step.color.red);
    EXPECT_EQ(step.contribution.blue, state.transmittance * step.alpha * step.color.blue);
    scalar::composite<L>(state, step.alpha, step.color.red, step.color.green, step.color.blue);
    EXPECT_EQ(step.transmittance_after.red, state.transmittance);
    EXPECT_EQ(step.running, (BlendColor{state.red, state.green, state.blue}));
  }
  EXPECT_EQ(explanation.transmittance.red, state.transmittance);
}

TEST(ExplainPixel, CountsCirclesBelowTheStop) {
  // At alpha 1/2 a pixel stops after 20 circles.
  const std::vector<testing::Disc> discs(100, {{0.5f, 0.5f, 0, 2.0f}, {1, 0, 0, 0.5f}});
  const PixelExplanation explanation =
      explain_pixel(make_circles(discs), image_of(4, 4), 1, 2, kAllSteps);
  EXPECT_TRUE(explanation.has_stopped);
  EXPECT_EQ(explanation.composited, 20U);
  EXPECT_EQ(explanation.unseen, 80U);
  EXPECT_EQ(explanation.transmittance.red, 0x1p-20f);
  EXPECT_EQ(explanation.steps.front().circle, 99U);
  EXPECT_EQ(explanation.steps.back().circle, 80U);
  EXPECT_EQ(explanation.background_contribution.green, 0x1p-20f);
}

TEST(ExplainPixel, LimitShortensOnlyTheList) {
  const Circles circles = random_circles(3000, 0.2f, 0.01f, 0);
  const ImageSettings image = image_of(32, 32);
  const PixelExplanation all = explain_pixel(circles, image, 9, 9, kAllSteps);
  const PixelExplanation few = explain_pixel(circles, image, 9, 9, 3);
  ASSERT_GT(all.steps.size(), 3U);
  EXPECT_EQ(few.steps.size(), 3U);
  EXPECT_EQ(few.steps[2].circle, all.steps[2].circle);
  EXPECT_EQ(few.composited, all.composited);
  EXPECT_TRUE(same_bits(few.value, all.value));
  EXPECT_TRUE(explain_pixel(circles, image, 9, 9, 0).steps.empty());
}

TEST(ExplainPixel, PixelWithoutCirclesIsTheBackground) {
  ImageSettings image = image_of(3, 2);
  image.background = {{0.25f, 0.5f, 1}, {0.25f, 0.5f, 1}};
  const PixelExplanation explanation = explain_pixel(Circles(), image, 2, 0, kAllSteps);
  EXPECT_EQ(explanation.composited + explanation.unseen, 0U);
  EXPECT_EQ(explanation.value, (Pixel{0.25f, 0.5f, 1, 1}));
  EXPECT_EQ(explanation.samples[1], 128U);
}

TEST(CircleNumbering, FollowTheSceneFile) {
  const Scene scene = parse_scene(
      "version: 1\nlayers:\n  - circles: []\n  - generator: rgb\n"
      "  - random: {count: 7, radius: 0.1}\n  - circles: [{x: 0, y: 0, radius: 1}]\n",
      "test.yaml");
  const CircleNumbering places(scene);
  EXPECT_EQ(places.source(1), "generator rgb");
  EXPECT_EQ(places.source(2), "random");
  EXPECT_EQ(places.source(3), "circles");
  std::uint64_t circle = 0;
  for (const auto& [layer, count] : {std::pair<std::size_t, std::uint64_t>{1, 3}, {2, 7}, {3, 1}}) {
    for (std::uint64_t index = 0; index < count; ++index, ++circle) {
      EXPECT_EQ(places.find(circle).layer, layer);
      EXPECT_EQ(places.find(circle).index, index);
      EXPECT_EQ(places.circle_at({layer, index}), circle);
    }
    EXPECT_FALSE(places.circle_at({layer, count}));
  }
  EXPECT_FALSE(places.circle_at({0, 0}));
  EXPECT_FALSE(places.circle_at({4, 0}));
}

}  // namespace
}  // namespace roundel
