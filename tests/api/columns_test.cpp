#include <array>
#include <cstdint>

#include "tests/api/api_testing.h"

namespace api_test {
namespace {

using roundel::Column;
using roundel::Scene;
using roundel::SceneOptions;

Scene scene_of(std::vector<Column> columns, const std::string& map) {
  SceneOptions options;
  options.tables["points"] = std::move(columns);
  return Scene::from_text(
      "version: 1\nlayers: [{data: points, map: {x: x, y: y, radius: 0.1, " + map + "}}]", options);
}

struct Point {
  double x;
  float y;
  std::uint8_t alpha;
};

TEST(ApiColumns, AcceptsNumbersOfAnyTypeAndStride) {
  const std::vector<Point> points = {{0.25, 0.5f, 255}, {0.75, 0.125f, 51}};
  const auto expect = [](const Scene& scene) {
    const std::vector<roundel::Circle> circles = scene.circles();
    ASSERT_EQ(circles.size(), 2u);
    EXPECT_EQ(circles[0].x, 0.25);
    EXPECT_EQ(circles[1].y, 0.125);
    EXPECT_EQ(circles[0].alpha, 1);
    EXPECT_EQ(circles[1].alpha, 0.2f);
  };
  const std::string map = "alpha: alpha";
  expect(scene_of(
      {{"x", points, &Point::x}, {"y", points, &Point::y}, {"alpha", points, &Point::alpha}}, map));
  const std::array<float, 2> y = {0.5f, 0.125f};
  const std::uint8_t alpha[] = {255, 51};
  expect(scene_of({Column("x", &points[0].x, 2, sizeof(Point)), Column("y", y),
                   Column("alpha", std::span(alpha))},
                  map));
  expect(scene_of({Column("x", std::vector<double>{0.25, 0.75}),  // moved into the column
                   Column("y", std::vector<double>{0.5, 0.125}),
                   Column("alpha", std::vector<std::uint8_t>{255, 51})},
                  map));
  const auto owner = std::make_shared<std::vector<double>>(std::vector<double>{0.25, 0.75});
  const Column kept("x", owner->data(), 2, sizeof(double), owner);
  EXPECT_EQ(owner.use_count(), 2);
}

TEST(ApiColumns, AcceptsEmptyColumns) {
  const std::vector<Point> points;
  EXPECT_EQ(
      scene_of({{"x", points, &Point::x}, {"y", points, &Point::y}}, "alpha: 1").circle_count(),
      0u);
}

TEST(ApiColumns, TextsAreCategories) {
  const std::vector<std::string> kinds = {"star", "gas", ""};
  const std::vector<double> x = {0.1, 0.2, 0.3};
  const Scene scene =
      scene_of({{"x", x}, {"y", x}, {"kind", kinds}},
               "color: {column: kind, categories: {star: \"#ff0000\", gas: \"#00ff00\"}, "
               "missing: \"#0000ff\"}");
  const std::vector<roundel::Circle> circles = scene.circles();
  ASSERT_EQ(circles.size(), 3u);
  EXPECT_EQ(circles[0].red, 1);
  EXPECT_EQ(circles[1].green, 1);
  EXPECT_EQ(circles[2].blue, 1);
}

TEST(ApiColumns, TablesAreChecked) {
  const std::vector<double> two = {1, 2}, three = {1, 2, 3};
  EXPECT_EQ(message_of<roundel::UsageError>([&] {
              scene_of({{"x", two}, {"y", three}}, "");
            }),
            "tables: \"points\": expected columns of 2 rows, as the first, got 3 in \"y\"");
  EXPECT_EQ(message_of<roundel::UsageError>([&] { scene_of({}, ""); }),
            "tables: \"points\": expected at least one column, got none");
  const std::string message = message_of<roundel::SceneError>([&] {
    scene_of({{"x", two}, {"z", two}}, "alpha: 1");
  });
  EXPECT_NE(message.find("\"y\""), std::string::npos) << message;
}

}  // namespace
}  // namespace api_test
