#include "renderer/circles/random_run.h"

#include "circles_testing.h"
#include "renderer/circles/random_laws.h"

namespace roundel {
namespace {

Layer random_layer(PositionLaw position, std::uint64_t count) {
  RandomSource source;
  source.count = count;
  source.position = position;
  source.radius = GaussianLaw{.01, .01};
  source.color = UniformColor{{.2f, .5f, .1f}, {.7f, 1, .5f}};
  source.alpha = UniformLaw{.1, .9};
  source.depth = UniformLaw{0, 1};
  Layer layer;
  layer.source = source;
  return layer;
}

/// Returns all laws that can make a circle on its own, in layers that are moved, seen through a
/// view.
Scene scene() {
  Layer turned = random_layer(GaussianPosition{{.4, .6}, .1}, 300);
  turned.move = {.offset = {.1, -.2}, .pivot = {.5, .5}, .scale = 1.5, .rotate = 30};
  turned.opacity = .3;
  Layer snow = random_layer(DiscPosition{{.4, .6}, .2}, 200);
  snow.shader = Shader::kSnow;
  Layer added = random_layer(RingPosition{{.4, .6}, .2, .1}, 100);
  added.blend = BlendMode::kAdd;
  Scene scene = scene_of({random_layer(UniformPosition{}, 400), turned, snow, added});
  scene.view = {.3, .6, 2.5, true};
  return scene;
}

void expect_the_same_circles(const Scene& scene) {
  CircleSource source(scene);
  const auto runs = source.device_runs();
  ASSERT_FALSE(runs.empty());
  Circles expected, made;
  source.generate(0, expected);
  made.shapes.resize_discard(expected.count());
  made.paints.resize_discard(expected.count());
  for (const CircleRun& any : runs) {
    const auto& run = std::get<RandomRun>(any);
    for (std::uint64_t k = 0; k < run.count; ++k)
      run.make(k, made.shapes[run.first + k], made.paints[run.first + k]);
  }
  EXPECT_TRUE(same_bits(made, expected));
}

TEST(RandomRun, MatchesTheSource) {
  Scene tested = scene();
  expect_the_same_circles(tested);
  tested.image.blend_space = BlendSpace::kLinear;
  expect_the_same_circles(tested);
  tested.image.styles = styles_of(tested);
  expect_the_same_circles(tested);
}

TEST(RandomRun, ExistsOnlyForLayersWithSimpleLaws) {
  Scene tested = scene();
  tested.layers.push_back(random_layer(GridPosition{2, 2}, 4));
  EXPECT_TRUE(CircleSource(tested).device_runs().empty());
  tested.layers.back() = classic_layer("rgb");
  EXPECT_TRUE(CircleSource(tested).device_runs().empty());
  tested.layers.back() = random_layer(UniformPosition{}, 4);
  std::get<RandomSource>(tested.layers.back().source).color = ChoiceColor{{{1, 0, 0}}, {1}};
  EXPECT_TRUE(CircleSource(tested).device_runs().empty());
  tested.layers.back() = random_layer(UniformPosition{}, 4);
  tested.layers.back().stroke = Stroke{};
  EXPECT_TRUE(CircleSource(tested).device_runs().empty());
}

TEST(RandomRun, FarPositionsUseBinary64) {
  Scene tested = scene();
  tested.layers.resize(1);
  const RandomLaws laws =
      make_random_laws(std::get<RandomSource>(tested.layers[0].source), tested.seed, 0, .5f);
  auto& box = std::get<UniformPosition>(std::get<RandomSource>(tested.layers[0].source).position);
  box = {{9e5, 9e5}, {9e5 + 1, 9e5 + 1}};
  tested.view = {9e5, 9e5, 1};
  EXPECT_TRUE(CircleSource(tested).has_double_centers());
  EXPECT_TRUE(CircleSource(tested).device_runs().empty());
  Circles circles;
  CircleSource source(tested);
  source.generate(0, circles);
  for (std::uint64_t k = 0; k < circles.count(); ++k) {
    const PhiloxBlock words = draw_block(laws, k, 0);
    const double x = 9e5 + static_cast<double>(uniform_of(words.words[0]));
    EXPECT_EQ(circles.shapes[k].x, static_cast<float>(x - 9e5 + .5)) << k;
  }
  tested.view.zoom = 1e-4;  // binary32 is finer than a 64th of a pixel
  EXPECT_FALSE(CircleSource(tested).has_double_centers());
  tested.layers[0].move = {.pivot = {9e5, 9e5}, .scale = 1e3};
  EXPECT_TRUE(CircleSource(tested).has_double_centers());
  tested.layers[0].move = {};
  tested.view = {0, 0, 100};  // out of reach for all of them
  EXPECT_FALSE(CircleSource(tested).has_double_centers());
  tested.layers[0].move = {.offset = {-9e5, -9e5}, .rotate = 1e-4};
  EXPECT_TRUE(CircleSource(tested).has_double_centers());
  tested.layers[0].is_hidden = true;
  EXPECT_FALSE(CircleSource(tested).has_double_centers());
}

}  // namespace
}  // namespace roundel
