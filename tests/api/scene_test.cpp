#include <limits>

#include "tests/api/api_testing.h"

namespace api_test {
namespace {

using roundel::Scene;
using roundel::SceneError;
using roundel::SceneOptions;
using roundel::UsageError;

/// Returns the message with which options are refused.
std::string refusal(const SceneOptions& options) {
  return message_of<UsageError>([&] { Scene::from_text(kDiscs, options); });
}

TEST(ApiScene, AnswersQuestions) {
  const Scene scene = Scene::from_text(kDiscs);
  EXPECT_EQ(scene.width(), 32);
  EXPECT_EQ(scene.height(), 24);
  EXPECT_EQ(scene.channels(), 3);
  EXPECT_EQ(scene.circle_count(), 51u);
  EXPECT_EQ(scene.first_frame(), 0);
  EXPECT_EQ(scene.frames(), 1);
  EXPECT_EQ(scene.fingerprint().size(), 32u);
  EXPECT_NE(scene.description().find(R"("width":32)"), std::string::npos);
  const Scene film = Scene::from_text(
      "version: 1\nimage: {alpha: true}\nanimation: {start: 5, frames: 9, fps: 25}\n"
      "layers: [{generator: snow, shader: snow}]\n");
  EXPECT_EQ(film.channels(), 4);
  EXPECT_EQ(film.first_frame(), 5);
  EXPECT_EQ(film.frames(), 9);
  EXPECT_EQ(film.fps(), 25);
}

TEST(ApiScene, OptionsOverrideTheFile) {
  SceneOptions options;
  options.width = 20, options.height = 10;
  options.scale = 2;
  options.crop = roundel::Box{4, 3, 30, 15};
  options.antialias = true;
  options.seed = 7;
  options.set = {{"count", "9"}, {"radius", "0.05"}};
  options.memory = 1 << 20;
  const Scene scene = Scene::from_text(kDiscs, options);
  EXPECT_EQ(scene.width(), 30);
  EXPECT_EQ(scene.height(), 15);
  EXPECT_EQ(scene.circle_count(), 10u);
  EXPECT_EQ(scene.circles().front().radius, 0.05f);
  options.seed = 8;
  EXPECT_NE(Scene::from_text(kDiscs, options).fingerprint(), scene.fingerprint());
  options.layers = {"middle"};
  EXPECT_EQ(Scene::from_text(kDiscs, options).circle_count(), 1u);
}

TEST(ApiScene, ReportsWrongOptionsAndExpectedValues) {
  EXPECT_EQ(refusal({.width = 0}), "width: expected 1 to 65536, got 0");
  EXPECT_EQ(refusal({.height = 65537}), "height: expected 1 to 65536, got 65537");
  EXPECT_EQ(refusal({.scale = 0}), "scale: expected a number > 0, got 0");
  EXPECT_EQ(refusal({.scale = std::numeric_limits<double>::infinity()}),
            "scale: expected a number > 0, got inf");
  EXPECT_EQ(refusal({.scale = 1e6}), "scale: expected at most 65536 pixels a side, got 32000000");
  EXPECT_EQ(refusal({.crop = roundel::Box{-1, 0, 3, 3}}),
            "crop: expected x and y >= 0, width and height > 0, got -1, 0, 3 and 3");
  EXPECT_EQ(refusal({.crop = roundel::Box{0, 0, 33, 3}}),
            "crop: expected a part of the 32x24 pixels of the picture, got 33x3 at 0,0");
  EXPECT_EQ(refusal({.set = {{"radios", "1"}}}),
            "set radios: scene has no such var (did you mean \"radius\"?)");
  EXPECT_EQ(refusal({.layers = std::vector<std::string>{"disks"}}),
            "layers: scene has no layer named \"disks\" (did you mean \"discs\"?)");
  EXPECT_EQ(refusal({.memory = 1000}), "memory: expected at least 1048576 bytes, got 1000");
  const Scene scene = Scene::from_text(kDiscs);
  EXPECT_EQ(message_of<UsageError>([&] { scene.circle_count(10'000'001); }),
            "frame: expected -10000000 to 10000000, got 10000001");
}

TEST(ApiScene, ErrorsListAllProblems) {
  try {
    Scene::from_text(
        "version: 1\nlayers:\n  - circles: [{x: 0, y: 0, radius: big}]\n  - random: 3\n", {},
        "my.yaml");
    FAIL() << "the scene is wrong";
  } catch (const SceneError& error) {
    EXPECT_EQ(error.exit_code(), 3);
    ASSERT_EQ(error.problems().size(), 2u);
    const roundel::Problem& problem = error.problems()[0];
    EXPECT_EQ(problem.path, "my.yaml");
    EXPECT_EQ(problem.line, 3);
    EXPECT_EQ(problem.column, 36);
    EXPECT_EQ(problem.key, "layers[0].circles[0].radius");
    EXPECT_NE(problem.message.find("got \"big\""), std::string::npos);
    EXPECT_EQ(std::string(error.what()).find("my.yaml:3:36: layers[0].circles[0].radius: "), 0u);
  }
}

TEST(ApiScene, FilesAreReadWithTheirData) {
  const Folder folder;
  folder.write("points.csv", "x,y\n0.25,0.5\n0.75,0.5\n");
  const std::string path = folder.write(
      "s.yaml", "version: 1\nlayers: [{data: points.csv, map: {x: x, y: y, radius: 0.1}}]\n");
  const Scene scene = Scene::from_file(path);
  ASSERT_EQ(scene.circle_count(), 2u);
  EXPECT_EQ(scene.circles()[1].x, 0.75);
  const std::string missing = folder / "t.yaml";
  EXPECT_EQ(message_of<SceneError>([&] { Scene::from_file(missing); }).find(missing + ": no such"),
            0u);
}

TEST(ApiScene, CirclesAreInPaintOrderWithColoursOfTheFile) {
  const Scene scene = Scene::from_text(R"(
version: 1
image: {blend: linear}
layers:
  - circles: [{x: 0.25, y: 0.5, z: 0.125, radius: 0.5, color: [0.5, 0.25, 0], alpha: 0.75}]
  - circles: [{x: 0.5, y: 0.5, radius: 0.25}]
    stroke: {width: 0.125}
)");
  const std::vector<roundel::Circle> circles = scene.circles();
  ASSERT_EQ(circles.size(), 2u);
  const roundel::Circle& first = circles[0];
  EXPECT_EQ((std::array{first.x, first.y, first.z, first.radius}),
            (std::array{0.25, 0.5, 0.125, 0.5}));
  EXPECT_EQ((std::array{first.red, first.green, first.blue, first.alpha}),
            (std::array{0.5, 0.25, 0.0, 0.75}));
  EXPECT_EQ(first.inner_radius, first.radius);
  EXPECT_EQ(circles[1].inner_radius, 0.125);
}

TEST(ApiScene, IsAValue) {
  std::optional<Scene> scene = Scene::from_text(kDiscs);
  const Scene copy = *scene;
  const std::string fingerprint = scene->fingerprint();
  scene.reset();
  EXPECT_EQ(copy.fingerprint(), fingerprint);
}

}  // namespace
}  // namespace api_test
