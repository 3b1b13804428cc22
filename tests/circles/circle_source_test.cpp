#include <fmt/format.h>
#include <tbb/task_arena.h>

#include <cmath>
#include <initializer_list>
#include <utility>

#include "circles_testing.h"
#include "renderer/base/error.h"
#include "renderer/pixels/srgb.h"
#include "renderer/render.h"

namespace roundel {
namespace {

Layer inline_layer() {
  Layer layer;
  layer.source = InlineSource{{{.1, .2, .3, .4, {.5f, .6f, .7f}, .8}, {1, 2, 0, 3, {}, {}}}};
  layer.alpha = .125f;
  return layer;
}

Layer random_layer(std::uint64_t count) {
  RandomSource source;
  source.count = count;
  source.color = UniformColor{{0, 0, 0}, {1, 1, 2}};
  source.radius = GaussianLaw{.01, .002};
  Layer layer;
  layer.source = source;
  return layer;
}

TEST(CircleSource, LayersKeepTheirOrder) {
  const Scene scene = scene_of({classic_layer("rgb"), inline_layer(), random_layer(10)});
  EXPECT_EQ(count_circles(scene), 15u);
  const Circles all = circles_of(scene);
  ASSERT_EQ(all.count(), 15u);
  EXPECT_EQ(all.shapes[2].x, .6f);
  EXPECT_EQ(all.shapes[3].x, .1f);
  EXPECT_EQ(all.shapes[3].y, .2f);
  EXPECT_EQ(all.shapes[3].z, .3f);
  EXPECT_EQ(all.shapes[3].radius, .4f);
  EXPECT_EQ(all.paints[3].green, .6f);
  EXPECT_EQ(all.paints[3].alpha, .8f);
  EXPECT_EQ(all.paints[4].alpha, .125f);
  EXPECT_EQ(all.paints[5].alpha, .5f);
}

TEST(CircleSource, SceneWithoutLayersIsEmpty) {
  const Scene scene = scene_of({});
  EXPECT_EQ(count_circles(scene), 0u);
  EXPECT_EQ(circles_of(scene).count(), 0u);
  EXPECT_EQ(circles_of(scene_of({random_layer(0)})).count(), 0u);
}

TEST(CircleSource, GeneratorSeedOverridesSceneSeed) {
  Layer own = classic_layer("rand10k");
  std::get<GeneratorSource>(own.source).seed = 5;
  const Circles circles = circles_of(scene_of({own}, 1));
  EXPECT_TRUE(same_bits(circles, circles_of(scene_of({classic_layer("rand10k")}, 5))));
  EXPECT_FALSE(same_bits(circles, circles_of(scene_of({classic_layer("rand10k")}, 1))));
}

TEST(CircleSource, LayerAlphaAppliesToEveryClassicCircle) {
  if (kThreadSanitized) GTEST_SKIP() << "compares millions of numbers";
  for (const std::string& name : classic_names()) {
    if (name == "snow" || name == "snowsingle") continue;
    Layer layer = classic_layer(name);
    layer.alpha = .375f;
    const Circles circles = circles_of(scene_of({layer}), 3);
    for (const Paint& paint : circles.paints) ASSERT_EQ(paint.alpha, .375f) << name;
  }
}

TEST(CircleSource, SnowsAlphaIsNegatedAndFollowsDepth) {
  Layer layer = classic_layer("rand10k");
  layer.shader = Shader::kSnow;
  const Circles circles = circles_of(scene_of({layer}));
  for (std::size_t i = 0; i < circles.count(); ++i) {
    const float share = .6f + .4f * (1.0f - circles.shapes[i].z);
    ASSERT_EQ(circles.paints[i].alpha, -(.5f * std::fmin(share, 1.0f))) << i;
  }
}

TEST(CircleSource, SoftCirclesKeepColourAndAlpha) {
  for (Scene scene : {scene_of({classic_layer("rand10k")}), scene_of({random_layer(1000)}),
                      scene_of({inline_layer()})}) {
    Layer& layer = scene.layers[0];
    layer.opacity = 0.5;
    const Circles solid = circles_of(scene);
    layer.shader = Shader::kSoft;
    const Circles soft = circles_of(scene);
    for (std::size_t i = 0; i < soft.count(); ++i) {
      ASSERT_TRUE(is_soft(soft.paints[i]));
      ASSERT_EQ(peak_alpha(soft.paints[i]), solid.paints[i].alpha);
      ASSERT_EQ(paint_color(soft.paints[i]), paint_color(solid.paints[i]));
    }
  }
}

TEST(CircleSource, LinearBlendSpaceConvertsEveryColour) {
  Scene scene = scene_of({classic_layer("rand10k"), inline_layer(), random_layer(1000)});
  const Circles display = circles_of(scene);
  scene.image.blend_space = BlendSpace::kLinear;
  const Circles linear = circles_of(scene);
  for (std::size_t i = 0; i < display.count(); ++i) {
    const Paint &a = display.paints[i], &b = linear.paints[i];
    ASSERT_EQ(b.red, srgb_to_linear(a.red));
    ASSERT_EQ(b.green, srgb_to_linear(a.green));
    ASSERT_EQ(b.blue, srgb_to_linear(a.blue));
    ASSERT_EQ(b.alpha, a.alpha);
    ASSERT_EQ(std::memcmp(&display.shapes[i], &linear.shapes[i], sizeof(Shape)), 0);
  }
  EXPECT_NE(display.paints[0].red, linear.paints[0].red);
}

TEST(CircleSource, CirclesDoNotDependOnTheNumberOfThreads) {
  const Scene scene = scene_of({classic_layer("rand100k"), classic_layer("biglittle"),
                                classic_layer("snow"), random_layer(50'000)});
  const Circles expected = circles_of(scene, 7);
  for (const int threads : {1, 2, 3, 7}) {
    Circles circles;
    tbb::task_arena(threads).execute([&] { circles = circles_of(scene, 7); });
    EXPECT_TRUE(same_bits(circles, expected)) << threads;
  }
}

/// Compares everything but the depths.
void expect_painted_alike(const Circles& expected, std::size_t first, std::span<const Shape> shapes,
                          std::span<const Paint> paints, const std::string& what) {
  for (std::size_t i = 0; i < shapes.size(); ++i) {
    Shape shape = shapes[i];
    shape.z = expected.shapes[first + i].z;
    ASSERT_EQ(std::memcmp(&shape, &expected.shapes[first + i], sizeof shape), 0) << what << i;
    ASSERT_EQ(std::memcmp(&paints[i], &expected.paints[first + i], sizeof(Paint)), 0) << what << i;
  }
}

TEST(CircleSource, RunsEqualTheWholeFrame) {
  if (kSanitized) GTEST_SKIP() << "compares millions of numbers";
  Layer snowy = random_layer(5000);
  snowy.shader = Shader::kSnow;
  std::get<RandomSource>(snowy.source).depth = UniformLaw{0, 1};
  Scene scene =
      scene_of({classic_layer("rand10k"), inline_layer(), snowy, classic_layer("rand100k"),
                classic_layer("micro2M"), classic_layer("biglittle")},
               7);
  for (const BlendSpace space : {BlendSpace::kDisplay, BlendSpace::kLinear}) {
    scene.image.blend_space = space;
    const Circles expected = circles_of(scene);
    CircleSource source(scene);
    Circles none;
    const CircleStream circles = source.at(0, none);
    ASSERT_TRUE(source.is_streamed());
    const std::size_t count = expected.count();
    for (const auto& [first, size] :
         std::initializer_list<std::pair<std::size_t, std::size_t>>{{0, 1},
                                                                    {0, 20'000},
                                                                    {9'999, 3},
                                                                    {10'001, 6'000},
                                                                    {count - 1, 1},
                                                                    {count - 777, 777},
                                                                    {count - 1100, 200},
                                                                    {1'000'000, 300'000},
                                                                    {5, 0}}) {
      std::vector<Shape> shapes(size);
      std::vector<Paint> paints(size);
      circles.fetch(first, shapes, paints);
      expect_painted_alike(expected, first, shapes, paints, fmt::format("run at {}: ", first));
    }
    Circles painted;
    CircleSource(scene).generate(0, painted);
    expect_painted_alike(expected, 0, painted.shapes.span(), painted.paints.span(), "all: ");
  }
}

TEST(CircleSource, RunsAreUnavailableIfCirclesDependOnOthers) {
  Layer snowy = classic_layer("rand10k");  // its alpha comes from depths, which are sorted
  snowy.shader = Shader::kSnow;
  const Scene scene = scene_of({snowy});
  EXPECT_FALSE(CircleSource(scene).is_streamed());
  const Scene mixed = scene_of({classic_layer("rand10k"), classic_layer("hypnosis")});
  EXPECT_FALSE(CircleSource(mixed).is_streamed());
  Circles painted;
  CircleSource(scene).generate(0, painted);
  EXPECT_TRUE(same_bits(painted, circles_of(scene)));
}

TEST(CircleSource, FramesDoNotDependOnPreviousFrames) {
  for (const std::string name : {"bouncingballs", "hypnosis", "fireworks", "snow"}) {
    const Scene scene = scene_of({classic_layer(name)}, 3);
    const Circles expected = circles_of(scene, 130);
    CircleSource source(scene, CircleUse::kList);
    Circles circles;
    for (std::int64_t frame = 0; frame <= 130; ++frame) source.generate(frame, circles);
    EXPECT_TRUE(same_bits(circles, expected)) << name << " step by step";
    for (const std::int64_t frame : {150, 2, 130}) source.generate(frame, circles);
    EXPECT_TRUE(same_bits(circles, expected)) << name << " after going back";
    source.generate(130, circles);
    EXPECT_TRUE(same_bits(circles, expected)) << name << " once more";
    source.generate(131, circles);
    EXPECT_FALSE(same_bits(circles, expected)) << name << " moves on";
  }
}

TEST(CircleSource, CirclesMayBeChangedBetweenFrames) {
  const Scene scene = scene_of({classic_layer("fireworks")});
  CircleSource source(scene, CircleUse::kList);
  Circles circles;
  source.generate(10, circles);
  for (Shape& shape : circles.shapes) shape = {9, 9, 9, 9};
  source.generate(11, circles);
  EXPECT_TRUE(same_bits(circles, circles_of(scene, 11)));
}

TEST(CircleSource, ExpectsToMakeFrontCirclesOnly) {
  const std::uint64_t front = expected_circles(scene_of({classic_layer("rand1M")}));
  EXPECT_GT(front, 100'000U);
  EXPECT_LT(front, 500'000U);
  EXPECT_EQ(expected_circles(scene_of({classic_layer("micro2M")})), 2'000'000U);  // never saturated
  EXPECT_EQ(expected_circles(scene_of({classic_layer("snow")})), 100'000U);
}

TEST(CircleSource, RejectsUnknownGenerators) {
  Layer layer;
  layer.source = GeneratorSource{"rand2M", std::nullopt};
  try {
    circles_of(scene_of({layer}));
    FAIL() << "no error";
  } catch (const Error& error) {
    EXPECT_EQ(error.exit_code(), ExitCode::kInvalidScene);
    EXPECT_STREQ(error.what(), "expected the name of a classic scene, got \"rand2M\"");
  }
}

}  // namespace
}  // namespace roundel
