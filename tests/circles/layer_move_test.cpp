#include "renderer/map/layer_move.h"

#include <algorithm>
#include <cmath>

#include "circles_testing.h"
#include "renderer/circles/view.h"
#include "renderer/data/table.h"
#include "renderer/scene/load_scene.h"
#include "tests/testing.h"

namespace roundel {
namespace {

const std::string kLayers =
    "layers:\n"
    "  - {name: cloud, random: {count: 2000, color: {uniform: [0, 1]}, alpha: {uniform: [0, 1]}}}\n"
    "  - {name: hand, circles: [{x: 0.3, y: 0.6, radius: 0.1}, {x: 0.7, y: 0.1, radius: 0.2}]}\n"
    "  - {name: classic, generator: bouncingballs}\n"
    "  - {name: flakes, random: {count: 500, depth: {uniform: [0, 1]}}, shader: snow}\n";

Scene scene_with(const std::string& keys, const std::string& head = "",
                 const std::string& layers = kLayers, const std::string& path = "s.yaml") {
  std::string text = "version: 1\n" + head + layers;
  for (std::size_t at = text.find("{name:"); at != std::string::npos;
       at = text.find("{name:", at + keys.size() + 3))
    text.insert(at + 1, keys);
  return parse_scene(text, path);
}

Circles circles_for(CircleUse use, const Scene& scene, std::int64_t frame = 3) {
  Circles circles;
  CircleSource(scene, use).generate(frame, circles);
  return circles;
}

TEST(PortableSinCos, IsWithin1e15OfLongDouble) {
  long double worst = 0;
  for (int i = -200'000; i <= 200'000; ++i) {
    const double degrees = i * 0.0072345;
    const Direction got = portable_sin_cos(degrees);
    const long double angle = static_cast<long double>(degrees) * (3.14159265358979323846L / 180);
    worst =
        std::max({worst, std::abs(got.sin - std::sin(angle)), std::abs(got.cos - std::cos(angle))});
  }
  EXPECT_LT(worst, 1e-15L);
}

TEST(PortableSinCos, IsExactAtQuarterTurns) {
  for (int turn = -8; turn <= 8; ++turn) {
    const Direction got = portable_sin_cos(90.0 * turn);
    const int quarter = ((turn % 4) + 4) % 4;
    EXPECT_EQ(got.sin, quarter == 1 ? 1 : quarter == 3 ? -1 : 0) << turn;
    EXPECT_EQ(got.cos, quarter == 0 ? 1 : quarter == 2 ? -1 : 0) << turn;
  }
  EXPECT_EQ(portable_sin_cos(1e6 * 360 + 90).sin, 1);
}

TEST(LayerMove, OffsetPivotRotateAndScaleMatchTheFormula) {
  const PointMove move({.offset = {10, 20}, .pivot = {1, 2}, .scale = 3, .rotate = 90});
  EXPECT_EQ(move(1, 2), (std::array<double, 2>{11, 22}));
  EXPECT_EQ(move(2, 2), (std::array<double, 2>{11, 25}));
  EXPECT_EQ(move(1, 3), (std::array<double, 2>{8, 22}));
}

TEST(LayerMove, ExplicitDefaultsKeepEveryBit) {
  const Scene plain = scene_with("");
  const Scene spelt =
      scene_with("opacity: 1, offset: [0, 0], scale: 1, rotate: 0, pivot: [0.3, 7], ");
  for (const CircleUse use : {CircleUse::kList, CircleUse::kExplain})
    EXPECT_TRUE(same_bits(circles_for(use, plain), circles_for(use, spelt)));
}

TEST(LayerMove, EveryKindOfLayerMovesAndIsRoundedOnce) {
  const std::string keys = "offset: [0.25, -3], scale: 2.5, rotate: 30, pivot: [0.5, 0.1], ";
  const std::string head = "image: {width: 300, height: 200}\nview: {center: [1, 2], zoom: 1.7}\n";
  const Scene plain = scene_with("", head), moved = scene_with(keys, head);
  const Circles before = circles_for(CircleUse::kList, plain);
  const Circles in_scene = circles_for(CircleUse::kList, moved);
  const Circles in_frame = circles_for(CircleUse::kExplain, moved);
  const double sin = portable_sin_cos(30).sin, cos = portable_sin_cos(30).cos;
  for (std::size_t i = 0; i < before.count(); ++i) {
    const Shape& shape = before.shapes[i];
    const double dx = static_cast<double>(shape.x) - 0.5, dy = static_cast<double>(shape.y) - 0.1;
    const double x = 0.75 + (2.5 * cos * dx - 2.5 * sin * dy);
    const double y = (-3 + 0.1) + (2.5 * sin * dx + 2.5 * cos * dy);
    ASSERT_EQ(in_scene.shapes[i].x, static_cast<float>(x)) << i;
    ASSERT_EQ(in_scene.shapes[i].y, static_cast<float>(y)) << i;
    ASSERT_EQ(in_scene.shapes[i].radius,
              static_cast<float>(2.5 * static_cast<double>(shape.radius)));
    ASSERT_EQ(in_frame.shapes[i].x, static_cast<float>(std::fma(x - 1, 1.7, 0.75))) << i;
    ASSERT_EQ(in_frame.shapes[i].y, static_cast<float>(std::fma(y - 2, 1.7, 0.5))) << i;
    ASSERT_EQ(in_frame.shapes[i].radius,
              static_cast<float>(static_cast<double>(shape.radius) * (2.5 * 1.7)));
    ASSERT_EQ(in_frame.shapes[i].z, shape.z);
  }
  EXPECT_EQ(
      std::memcmp(before.paints.data(), in_frame.paints.data(), before.count() * sizeof(Paint)), 0);
}

TEST(LayerMove, RunsAndLaterFramesHaveTheSameBits) {
  const std::string keys = "offset: [0.25, 0], scale: 1.5, rotate: -70, opacity: 0.3, ";
  const Scene film = scene_with(keys, "view: {center: [0.5, 0.5], zoom: 2}\n");
  CircleSource source(film, CircleUse::kExplain);
  Circles circles;
  for (std::int64_t frame = 0; frame < 4; ++frame) source.generate(frame, circles);
  EXPECT_TRUE(same_bits(circles, circles_for(CircleUse::kExplain, film)));

  Scene streamed = film;
  streamed.layers.erase(streamed.layers.begin() + 2);  // moving layers are in memory
  CircleSource streaming(streamed);
  Circles memory, all, made;
  const CircleStream stream = streaming.at(0, memory);
  ASSERT_EQ(stream.in_memory(), nullptr);
  all.shapes.resize_discard(stream.count());
  all.paints.resize_discard(stream.count());
  stream.fetch_in_parallel(0, all.shapes.span(), all.paints.span());
  CircleSource(streamed).generate(0, made);
  EXPECT_TRUE(same_bits(all, made));
}

TEST(LayerMove, OpacityScalesEveryAlpha) {
  const Circles before = circles_of(scene_with("")),
                after = circles_of(scene_with("opacity: 0.3, "));
  for (std::size_t i = 0; i < before.count(); ++i)
    ASSERT_EQ(after.paints[i].alpha,
              static_cast<float>(static_cast<double>(before.paints[i].alpha) * 0.3))
        << i;
  const Circles none = circles_of(scene_with("opacity: 0, "));
  EXPECT_TRUE(std::signbit(none.paints[none.count() - 1].alpha))
      << "a flake without alpha is a flake";
}

TEST(LayerMove, NamesAndHiddenLayersKeepOtherLayersRandomNumbers) {
  const Scene all = scene_with("");
  SceneOverrides overrides;
  overrides.layers = std::vector<std::string>{"flakes", "hand"};
  const Scene some = parse_scene("version: 1\n" + kLayers, "s.yaml", overrides);
  EXPECT_EQ(count_circles(some), 502u);
  const Circles whole = circles_of(all), part = circles_of(some);
  for (std::size_t i = 0; i < 502; ++i) {
    const std::size_t index = i < 2 ? 2000 + i : whole.count() - 502 + i;
    ASSERT_EQ(std::memcmp(&part.shapes[i], &whole.shapes[index], sizeof(Shape)), 0) << i;
    ASSERT_EQ(std::memcmp(&part.paints[i], &whole.paints[index], sizeof(Paint)), 0) << i;
  }
  EXPECT_FALSE(CircleSource(some).is_simulated());
}

TEST(LayerMove, SquaresOfRadiiAreFinite) {
  const Scene huge = parse_scene(
      "version: 1\nview: {center: [0, 0], zoom: 1000000000}\nlayers:\n"
      "  - {scale: 1000000, circles: [{x: 0, y: 0, radius: 1000000}]}\n",
      "s.yaml");
  const float radius = circles_for(CircleUse::kExplain, huge).shapes[0].radius;
  EXPECT_EQ(radius, 1e15f);
  EXPECT_TRUE(std::isfinite(radius * radius));
}

class MovedData : public testing::Test {
 protected:
  Scene scene(const std::string& keys, const std::string& map, const std::string& head = "") const {
    return parse_scene(
        "version: 1\n" + head + "layers:\n  - {name: data, data: t.csv, " + keys + map + "}\n",
        folder_ / "s.yaml");
  }
  TemporaryFolder folder_;
};

/// Neighbours a million units from the origin stay distinct if the layer moves them near it.
TEST_F(MovedData, PositionsStayBinary64) {
  folder_.write("t.csv",
                "x,y,radius,a\n1000000.001,2000000.001,1,0.3\n1000000.002,2000000.003,2,0.7\n");
  const std::string keys =
      "offset: [-1000000, -2000000], rotate: 90, pivot: [1000000, 2000000], "
      "scale: 100, opacity: 0.9, ";
  const Scene mapped = scene(keys, "map: {x: x, y: y, radius: radius, alpha: a}");
  for (const CircleUse use : {CircleUse::kList, CircleUse::kExplain}) {
    const Circles circles = circles_for(use, mapped);
    EXPECT_NEAR(circles.shapes[0].x, -0.1, 1e-6);
    EXPECT_NEAR(circles.shapes[0].y, 0.1, 1e-6);
    EXPECT_NEAR(circles.shapes[1].x, -0.3, 1e-6);
    EXPECT_NEAR(circles.shapes[1].y, 0.2, 1e-6);
    EXPECT_EQ(circles.shapes[1].radius, 200);
    EXPECT_EQ(circles.paints[0].alpha, static_cast<float>(0.3 * 0.9)) << "rounded once";
  }
  const Circles plain =
      circles_for(CircleUse::kExplain, scene(keys, "columns: [x, y, radius, alpha]"));
  const Circles same = circles_for(CircleUse::kExplain, mapped);
  EXPECT_EQ(plain.shapes[1].x, same.shapes[1].x);
  EXPECT_EQ(plain.shapes[1].radius, same.shapes[1].radius);
}

TEST_F(MovedData, ScaleKeepsPixelRadiiAndLimits) {
  folder_.write("t.csv", "x,y,v\n0,0,0\n1,1,10\n");
  const std::string head = "image: {width: 100, height: 100}\n";
  const auto radius = [&](const std::string& map, std::size_t i) {
    return circles_for(CircleUse::kExplain, scene("scale: 4, ", map, head)).shapes[i].radius;
  };
  EXPECT_FLOAT_EQ(radius("map: {x: x, y: y, radius: 3px}", 0), 0.03f);
  EXPECT_FLOAT_EQ(radius("map: {x: x, y: y, radius: 0.5}", 0), 2.0f);
  EXPECT_FLOAT_EQ(radius("map: {x: x, y: y, radius: 0.5}, radius_limits: [0, 0.75]", 0), 0.75f);
  EXPECT_FLOAT_EQ(radius("map: {x: x, y: y, radius: {column: v, range: [1px, 2]}}", 0), 0.01f);
  EXPECT_FLOAT_EQ(radius("map: {x: x, y: y, radius: {column: v, range: [1px, 2]}}", 1), 8.0f);
}

TEST_F(MovedData, ViewsFitTheMovedLayer) {
  folder_.write("t.csv", "x,y\n0,0\n2,1\n");
  const Scene fitted = scene("rotate: 90, offset: [10, 20], ", "map: {x: x, y: y, radius: 1px}",
                             "image: {width: 100, height: 100}\nview: {fit: data, margin: 0}\n");
  EXPECT_DOUBLE_EQ(fitted.view.center_x, 9.5);
  EXPECT_DOUBLE_EQ(fitted.view.center_y, 21);
  EXPECT_DOUBLE_EQ(fitted.view.zoom, 0.5);
  SceneOverrides overrides;
  overrides.layers = std::vector<std::string>{"hand"};
  const Scene hidden = parse_scene(
      "version: 1\nimage: {width: 100, height: 100}\nview: {fit: data, margin: 0}\nlayers:\n"
      "  - {data: t.csv, map: {x: x, y: y, radius: 1px}}\n"
      "  - {name: hand, circles: []}\n",
      folder_ / "s.yaml", overrides);
  EXPECT_DOUBLE_EQ(hidden.view.center_x, 1) << "hiding a layer does not move the view";
}

}  // namespace
}  // namespace roundel
