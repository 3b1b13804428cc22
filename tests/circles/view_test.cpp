#include "renderer/circles/view.h"

#include <gtest/gtest.h>
#include <algorithm>
#include <cmath>

#include <random>

namespace roundel {
namespace {

TEST(View, DefaultOnASquareImageIsTheExactIdentity) {
  std::mt19937 engine(3);
  std::uniform_real_distribution<float> exponent(-40, 10);
  EXPECT_TRUE(is_identity({}, 333, 333));
  for (int i = 0; i < 10000; ++i) {
    const Shape shape{std::exp2(exponent(engine)), -std::exp2(exponent(engine)), 0.5f,
                      std::exp2(exponent(engine))};
    const Shape moved = to_frame_space(shape, {}, 333, 333);
    EXPECT_EQ(moved.x, shape.x);
    EXPECT_EQ(moved.y, shape.y);
    EXPECT_EQ(moved.radius, shape.radius);
  }
}

TEST(View, AWideImageShowsMoreToBothSides) {
  const Shape moved = to_frame_space({0.25f, 0.75f, 0, 0.125f}, {}, 200, 100);
  EXPECT_EQ(moved.x, 0.25f + 0.5f);
  EXPECT_EQ(moved.y, 0.75f);
  EXPECT_EQ(moved.radius, 0.125f);
  EXPECT_FALSE(is_identity({}, 200, 100));
}

TEST(View, CenterMovesToTheMiddleAndZoomScales) {
  const View view{0.3, 0.6, 4};
  const Shape middle = to_frame_space({0.3f, 0.6f, 0, 0.01f}, view, 300, 200);
  EXPECT_NEAR(middle.x, 0.75, 1e-6);
  EXPECT_NEAR(middle.y, 0.5, 1e-6);
  EXPECT_FLOAT_EQ(middle.radius, 0.04f);
}

TEST(View, DeepZoomsKeepSignificantDigits) {
  // Two neighbouring floats move apart by exactly their difference.
  const float x = 0.3f, next = std::nextafter(x, 1.0f);
  const View view{static_cast<double>(x), 0.5, 1e7};
  const float a = to_frame_space({x, 0.5f, 0, 1e-8f}, view, 100, 100).x;
  const float b = to_frame_space({next, 0.5f, 0, 1e-8f}, view, 100, 100).x;
  EXPECT_EQ(a, 0.5f);
  const double apart = (static_cast<double>(next) - static_cast<double>(x)) * 1e7;
  EXPECT_NEAR(b - 0.5, apart, 1e-7);
}

TEST(View, ReportsFarCirclesWithTheirPositions) {
  const View view{900'000.5, 900'000.5, 1};
  const FrameMove move(view, 640, 360);
  const Shape frame{move.x(900'000.53125), move.y(900'000.25), 0,
                    static_cast<float>(.01f * view.zoom)};
  const SceneShape back = to_scene_space(frame, view, 640, 360);
  EXPECT_NEAR(back.x, 900'000.53125, 1e-7);
  EXPECT_NEAR(back.y, 900'000.25, 1e-7);
}

CircleMove move_of(const View& view, const LayerMove& move = {}) {
  Scene scene;
  scene.image.width = 300, scene.image.height = 200;
  scene.view = view;
  return {scene, move, true};
}

TEST(View, QuarterTurnsSwapCoordinatesExactly) {
  View view{0.5, 0.5, 1};
  view.rotate = 90;
  const Shape up = move_of(view)({0.75f, 0.5f, 0, 0.125f});
  EXPECT_EQ(up.x, 0.75f) << "the middle of 1.5";
  EXPECT_EQ(up.y, 0.75f);
  EXPECT_EQ(up.radius, 0.125f);
  view.flip_y = true;  // y points down; the picture still turns counter-clockwise
  const Shape down = move_of(view)({0.5f, 0.75f, 0, 0.125f});
  EXPECT_EQ(down.x, 1.0f);
  EXPECT_EQ(down.y, 0.5f);
  view.rotate = -720;
  EXPECT_EQ(move_of(view)({0.5f, 0.75f, 0, 1}).y, 0.25f);
}

TEST(View, TurnsAfterTheLayersMove) {
  const LayerMove move{.offset = {0.1, 0.2}, .pivot = {0.3, 0.4}, .scale = 2, .rotate = 25};
  View view{0.7, 0.1, 3};
  view.rotate = 40;
  const Shape got = move_of(view, move)({0.6f, 0.8f, 0, 0.01f});
  const auto [x, y] = PointMove(move)(static_cast<double>(0.6f), static_cast<double>(0.8f));
  const double angle = 40 * 3.14159265358979 / 180, right = 3 * (x - 0.7), above = 3 * (y - 0.1);
  EXPECT_NEAR(got.x, 0.75 + right * std::cos(angle) - above * std::sin(angle), 1e-6);
  EXPECT_NEAR(got.y, 0.5 + right * std::sin(angle) + above * std::cos(angle), 1e-6);
  EXPECT_NEAR(got.radius, 0.06, 1e-8);
  const SceneShape back = to_scene_space(got, view, 300, 200);
  EXPECT_NEAR(back.x, x, 1e-6);
  EXPECT_NEAR(back.y, y, 1e-6);
}

TEST(View, FarCirclesStayApartInATurnedView) {
  View view{900'000.5, 900'000.5, 1000};
  view.rotate = 90;
  const CircleMove move = move_of(view);
  const Shape one = move.at(900'000.5, 900'000.5 + 1e-6, {0, 0, 0, 1});
  EXPECT_NEAR(one.x, 0.75 - 1e-3, 3e-7) << "binary64 has 1.2e-10 there";
  EXPECT_NEAR(one.y, 0.5, 1e-9);
}

TEST(View, InverseNearlyRestoresTheCircle) {
  const Shape shape{0.3f, 0.7f, 0.25f, 0.1f};
  for (const View& view : {View{}, View{0.45, 0.55, 1.2}, View{0.2, 0.9, 0.01}}) {
    for (const auto& [width, height] : {std::pair{100, 100}, {120, 80}, {80, 120}}) {
      const Shape frame = to_frame_space(shape, view, width, height);
      const SceneShape back = to_scene_space(frame, view, width, height);
      const double unit = 1e-6 / std::min(view.zoom, 1.0);  // rounding of frame space
      EXPECT_NEAR(back.x, shape.x, unit);
      EXPECT_NEAR(back.y, shape.y, unit);
      EXPECT_NEAR(back.radius, shape.radius, unit);
      EXPECT_EQ(back.z, shape.z);
    }
  }
}

}  // namespace
}  // namespace roundel
