#include "renderer/circles/circle_recipe.h"

#include "circles_testing.h"

namespace roundel {
namespace {

constexpr std::int64_t kFrames[] = {0, 1, 2, 60, 7, 300};

/// Returns all simulated layers, and others, in layers that are moved, seen through a view.
std::vector<Scene> scenes() {
  Layer random;
  random.source = RandomSource{};
  std::get<RandomSource>(random.source).count = 500;
  Layer turned = classic_layer("fireworks");
  turned.move = {.offset = {.1, -.2}, .pivot = {.5, .5}, .scale = 1.5, .rotate = 30};
  turned.opacity = .3;
  Layer flakes = classic_layer("snow");
  flakes.shader = Shader::kSnow;
  std::vector<Scene> all = {
      scene_of({classic_layer("bouncingballs"), random, turned, classic_layer("hypnosis")}),
      scene_of({flakes, turned}), scene_of({random}), scene_of({})};
  all[0].view = {.3, .6, 2.5, true};
  all[0].image.blend_space = BlendSpace::kLinear;
  all[1].image.width = 2 * all[1].image.height;
  return all;
}

TEST(CircleRecipe, MakesTheCirclesOfEveryFrame) {
  for (const Scene& scene : scenes()) {
    FilmSource film(scene);
    ASSERT_TRUE(film.has_recipes());
    CircleSource source(scene);
    Circles expected;
    for (const std::int64_t frame : kFrames) {
      source.generate(frame, expected);
      const CircleRecipe recipe = film.recipe(frame);
      Circles made;
      CircleStream(recipe).all(made);
      EXPECT_TRUE(same_bits(made, expected)) << expected.count() << " circles, frame " << frame;
    }
  }
}

TEST(CircleRecipe, FramesWithFarPositionsHaveNoRecipe) {
  Layer random;
  random.source = RandomSource{};
  std::get<RandomSource>(random.source).count = 500;
  Scene scene = scene_of({random});
  scene.animation = Animation{60, 3, 0};
  scene.keyed = std::make_shared<const std::vector<KeyedValue>>(
      std::vector<KeyedValue>{{.target = KeyedValue::Target::kZoom,
                               .keys = {{.frames = {0, 1, 2}, .eases = std::vector<Ease>(3)},
                                        {Keys::Value{1}, Keys::Value{1e8}, Keys::Value{2}}}}});
  FilmSource film(scene);
  for (const std::int64_t frame : {0, 1, 2, 1, 0}) {
    const FilmSource::Frame at = film.at(frame);
    EXPECT_EQ(film.has_recipes(), frame != 1);
    if (frame == 1) continue;
    Circles expected, made;
    at.circles->generate(frame, expected);
    const CircleRecipe recipe = film.recipe(frame);
    CircleStream(recipe).all(made);
    EXPECT_TRUE(same_bits(made, expected)) << frame;
  }
}

TEST(CircleRecipe, BlurredFramesHaveTheSamplesOfTheirSource) {
  Scene scene = scenes()[0];
  scene.animation = Animation{60, 9, 0};
  scene.animation->samples = 3;
  scene.keyed = std::make_shared<const std::vector<KeyedValue>>(
      std::vector<KeyedValue>{{.target = KeyedValue::Target::kZoom,
                               .keys = {{.frames = {0, 8}, .eases = std::vector<Ease>(2)},
                                        {Keys::Value{1}, Keys::Value{2}}}}});
  FilmSource film(scene), other(scene);
  for (const std::int64_t frame : {1, 5, 2}) {
    film.at(frame);
    const std::optional<CircleStream> by_recipes = film.from_recipes(frame);
    ASSERT_TRUE(by_recipes);
    ASSERT_EQ(by_recipes->pictures(), 3U);
    const FilmSource::Frame at = other.at(frame);
    Circles memory;
    const CircleStream by_source = at.circles->at(frame, memory);
    std::vector<Circles> expected(3);
    for (std::size_t k = 0; k < 3; ++k)
      by_source.samples()->with_circles(k, [&](const CircleStream& sample, const Background&) {
        sample.fetch_in_parallel(0, sample.count(), expected[k]);
      });
    for (std::size_t k = 0; k < 3; ++k)
      by_recipes->samples()->with_circles(k, [&](const CircleStream& sample, const Background&) {
        Circles made;
        EXPECT_TRUE(same_bits(sample.all(made), expected[k])) << "frame " << frame << ", " << k;
      });
    EXPECT_FALSE(same_bits(expected[0], expected[2]));
  }
}

TEST(CircleRecipe, SamplesMatchTheFrame) {
  for (const Scene& scene : scenes()) {
    FilmSource film(scene);
    CircleSource source(scene);
    SampledCircles sampled;
    const std::vector<std::size_t> indices = count_circles(scene) > 20
                                                 ? std::vector<std::size_t>{20, 3, 11, 19}
                                                 : std::vector<std::size_t>{};
    for (const std::int64_t frame : kFrames) {
      Circles expected;
      source.generate(frame, expected);
      const CircleRecipe recipe = film.recipe(frame);
      const std::span<const Shape> shapes = sampled.at(recipe, indices);
      ASSERT_EQ(shapes.size(), indices.size());
      for (std::size_t i = 0; i < indices.size(); ++i)
        EXPECT_EQ(std::memcmp(&shapes[i], &expected.shapes[indices[i]], sizeof(Shape)), 0)
            << "circle " << indices[i] << ", frame " << frame;
    }
  }
}

TEST(CircleRecipe, FramesBelow0EqualFrame0) {
  const Scene scene = scene_of({classic_layer("hypnosis")});
  FilmSource film(scene);
  EXPECT_EQ(film.recipe(-5).steps, 0);
}

}  // namespace
}  // namespace roundel
