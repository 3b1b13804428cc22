#include <algorithm>
#include <cmath>

#include "circles_testing.h"
#include "renderer/pixels/srgb.h"

namespace roundel {
namespace {

Circles drawn(const Scene& scene, std::int64_t frame = 0) {
  CircleSource source(scene);
  Circles circles;
  source.generate(frame, circles);
  return circles;
}

Scene scene_with(std::vector<Layer> layers) {
  Scene scene = scene_of(std::move(layers));
  scene.image.styles = styles_of(scene);
  return scene;
}

Layer stroked(Layer layer, const Stroke& stroke, bool fill = true) {
  layer.stroke = stroke;
  layer.fill = fill;
  return layer;
}

/// Returns each circle's fill, then its stroke of `width` in frame space: slowly, from the circles
/// without parts.
Circles with_parts(Scene scene, std::size_t stroked_layer, double width) {
  Layer& layer = scene.layers[stroked_layer];
  const Stroke stroke = *layer.stroke;
  const bool fill = layer.fill;
  std::size_t first = 0;
  for (std::size_t i = 0; i < stroked_layer; ++i) first += count_circles(scene.layers[i]);
  const std::size_t last = first + count_circles(layer);
  layer.stroke.reset();
  const Circles plain = drawn(scene);
  std::vector<Shape> shapes;
  std::vector<Paint> paints;
  for (std::size_t i = 0; i < plain.count(); ++i) {
    const bool has_stroke = i >= first && i < last;
    if (!has_stroke || fill) {
      shapes.push_back(plain.shapes[i]);
      paints.push_back(plain.paints[i]);
    }
    if (!has_stroke) continue;
    Shape ring = plain.shapes[i];
    ring.z = static_cast<float>(std::max(static_cast<double>(ring.radius) - width, 0.0));
    Paint paint = plain.paints[i];
    if (stroke.color) {
      paint.red = std::copysign(srgb_to_linear(stroke.color->red), paint.red);
      paint.green = std::copysign(srgb_to_linear(stroke.color->green), paint.green);
      paint.blue = srgb_to_linear(stroke.color->blue);
    }
    paint.blue = -paint.blue;
    if (stroke.alpha) paint.alpha = static_cast<float>(*stroke.alpha * layer.opacity);
    shapes.push_back(ring);
    paints.push_back(paint);
  }
  Circles all{Buffer<Shape>(shapes.size()), Buffer<Paint>(paints.size())};
  std::copy(shapes.begin(), shapes.end(), all.shapes.begin());
  std::copy(paints.begin(), paints.end(), all.paints.begin());
  return all;
}

Scene busy_scene(const Stroke& stroke, bool fill) {
  Layer layer = classic_layer("rand100k");
  layer.move.scale = 0.5;
  layer.opacity = 0.25;
  layer.blend = BlendMode::kScreen;
  Scene scene = scene_with(
      {classic_layer("rand10k"), stroked(layer, stroke, fill), classic_layer("rand10k")});
  scene.image.blend_space = BlendSpace::kLinear;
  scene.image.height = 500;
  scene.view = {0.3, 0.4, 8};
  return scene;
}

/// Depths of circles without rings are undefined.
void expect_same(const Circles& expected, std::span<const Shape> shapes,
                 std::span<const Paint> paints, std::size_t first) {
  for (std::size_t i = 0; i < shapes.size(); ++i) {
    Shape shape = shapes[i];
    if (!is_ring(paints[i])) shape.z = expected.shapes[first + i].z;
    ASSERT_EQ(std::memcmp(&shape, &expected.shapes[first + i], sizeof shape), 0) << first + i;
    ASSERT_EQ(std::memcmp(&paints[i], &expected.paints[first + i], sizeof(Paint)), 0) << first + i;
  }
}

TEST(CircleParts, StrokeLiesAboveItsFillAndBelowTheNextCircle) {
  for (const bool fill : {true, false}) {
    for (const Stroke& stroke :
         {Stroke{{0.001, false}, {}, {}}, Stroke{{3, true}, DisplayColor{0.25f, 0.5f, 1}, 0.75}}) {
      const Scene scene = busy_scene(stroke, fill);
      const double width = stroke.width.in_pixels ? 3.0 / 500 : 0.001 * 0.5 * 8;
      const Circles expected = with_parts(scene, 1, width);
      EXPECT_EQ(count_circles(scene), 120'000U);
      EXPECT_EQ(count_parts(scene), expected.count());
      const Circles circles = drawn(scene);
      ASSERT_EQ(circles.count(), expected.count());
      expect_same(expected, circles.shapes.span(), circles.paints.span(), 0);
      // Made on demand.
      CircleSource source(scene);
      Circles none;
      const CircleStream stream = source.at(0, none);
      ASSERT_EQ(stream.in_memory(), nullptr);
      ASSERT_EQ(stream.count(), expected.count());
      for (const std::size_t first : {0u, 1u, 2u, 3u, 4u, 101u, 50'000u, 50'001u}) {
        for (const std::size_t size : {1u, 2u, 3u, 4u, 5u, 1000u, 20'001u}) {
          std::vector<Shape> shapes(size);
          std::vector<Paint> paints(size);
          stream.fetch(first, shapes, paints);
          expect_same(expected, shapes, paints, first);
        }
      }
    }
  }
}

TEST(CircleParts, StrokeWiderThanItsCircleFillsIt) {
  Layer layer;
  layer.source = InlineSource{{{.5, .5, 0, .25, {1, 1, 1}, .5}, {.5, .5, 0, .75, {1, 1, 1}, .5}}};
  const Circles circles = drawn(scene_with({stroked(layer, {{0.5, false}, {}, {}})}));
  ASSERT_EQ(circles.count(), 4U);
  EXPECT_EQ(circles.shapes[1].z, 0.0f);
  EXPECT_TRUE(is_ring(circles.paints[1]));
  EXPECT_FALSE(is_ring(circles.paints[2]));
  EXPECT_EQ(circles.shapes[3].z, 0.25f);
}

TEST(CircleParts, FilmFramesKeepTheirPaints) {
  const Scene scene =
      scene_with({stroked(classic_layer("bouncingballs"), {{2, true}, DisplayColor{1, 0, 0}, {}})});
  EXPECT_FALSE(FilmSource(scene).has_recipes());  // unaware of parts
  CircleSource source(scene);
  Circles circles;
  for (std::int64_t frame = 0; frame < 4; ++frame) {
    source.generate(frame, circles);
    EXPECT_TRUE(same_bits(circles, drawn(scene, frame))) << frame;
  }
}

TEST(CircleParts, CirclesInSceneSpaceAreWhole) {
  Scene scene = scene_with({stroked(classic_layer("rgb"), {{2, true}, {}, {}})});
  const Circles circles = circles_of(scene);
  scene.layers[0].stroke.reset();
  EXPECT_TRUE(same_bits(circles, circles_of(scene)));
}

TEST(CircleParts, EmptyCirclesHaveNoStrokes) {
  RandomSource source;
  source.count = 100;
  source.radius = GaussianLaw{0, 0.1};
  Layer layer;
  layer.source = source;
  const Circles circles = drawn(scene_with({stroked(layer, {{0.01, false}, {}, 1.0})}));
  std::size_t none = 0;
  for (std::size_t i = 0; i < circles.count(); i += 2) {
    const bool is_none = circles.paints[i].alpha == 0;
    EXPECT_EQ(circles.paints[i + 1].alpha, is_none ? 0.0f : 1.0f);
    none += is_none ? 1 : 0;
  }
  EXPECT_GT(none, 30U);
}

}  // namespace
}  // namespace roundel
