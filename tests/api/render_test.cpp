#include <algorithm>
#include <cstdint>
#include <iterator>

#include "tests/api/api_testing.h"

namespace api_test {
namespace {

using roundel::Picture;
using roundel::Renderer;
using roundel::RenderOptions;
using roundel::Samples;
using roundel::Scene;
using roundel::UsageError;

template <typename T>
std::vector<T> copy_of(std::span<const T> samples) {
  return {samples.begin(), samples.end()};
}

std::string bytes_of(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

const std::string kBalls =
    "version: 1\nimage: {width: 40, height: 30, alpha: true}\nanimation: {frames: 20}\n"
    "layers: [{generator: bouncingballs}]\n";

TEST(ApiRender, DrawsSamplesOfEachType) {
  const Scene scene = Scene::from_text(
      "version: 1\nimage: {width: 4, height: 2, background: [0.5, 0.25, 1]}\n"
      "layers: [{circles: [{x: 0, y: 0, radius: 0.1, color: [1, 1, 1], alpha: 1}]}]");
  Renderer renderer;
  const Picture bytes = renderer.render(scene);
  EXPECT_EQ(bytes.width(), 4);
  EXPECT_EQ(bytes.height(), 2);
  EXPECT_EQ(bytes.channels(), 3);
  EXPECT_EQ(bytes.samples(), Samples::kUint8);
  ASSERT_EQ(bytes.uint8().size(), 24u);
  EXPECT_EQ(bytes.uint8()[0], 128);  // the uppermost row first: the circle is below
  EXPECT_EQ(bytes.uint8()[1], 64);
  EXPECT_EQ(bytes.uint8()[2], 255);
  const Picture words = renderer.render(scene, {}, Samples::kUint16);
  EXPECT_EQ(words.uint16()[1], 16384);
  const Picture floats = renderer.render(scene, {}, Samples::kFloat32);
  EXPECT_EQ(floats.float32()[1], 0.25f);
  EXPECT_EQ(message_of<UsageError>([&] { words.uint8(); }),
            "uint8: expected a picture of uint8, got uint16");
}

TEST(ApiRender, FilesEqualThePictureInMemory) {
  const Folder folder;
  const Scene scene = Scene::from_text(kDiscs);
  Renderer renderer;
  const std::string png = folder / "new/folders/a.png", exr = folder / "a.exr";
  renderer.save(scene, png);
  renderer.save(scene, exr);
  EXPECT_EQ(copy_of(Picture::from_file(png).uint8()), copy_of(renderer.render(scene).uint8()));
  EXPECT_EQ(copy_of(Picture::from_file(exr).float32()),
            copy_of(renderer.render(scene, {}, Samples::kFloat32).float32()));
  const Scene words = Scene::from_text(
      "version: 1\nimage: {width: 9, height: 9, bits: 16}\nlayers: [{random: {count: 99}}]");
  renderer.save(words, png);
  EXPECT_EQ(copy_of(Picture::from_file(png).uint16()),
            copy_of(renderer.render(words, {}, Samples::kUint16).uint16()));
}

TEST(ApiRender, RejectsPathsAndLeavesNoFile) {
  const Folder folder;
  const std::string path = folder.write("scene.png", kDiscs);
  const Scene scene = Scene::from_file(path);
  Renderer renderer;
  EXPECT_NE(message_of<roundel::OutputError>([&] { renderer.save(scene, path); }), "");
  EXPECT_EQ(bytes_of(path), kDiscs);
  EXPECT_NE(message_of<UsageError>([&] { renderer.save(scene, folder / "a/b.gif"); }), "");
  EXPECT_FALSE(std::filesystem::exists(folder / "a"));
  EXPECT_NE(message_of<roundel::OutputError>([&] { renderer.save(scene, path + "/b.png"); }), "");
}

TEST(ApiRender, FramesAreTheSameInAnyOrder) {
  const Scene scene = Scene::from_text(kBalls), other = Scene::from_text(kDiscs);
  Renderer renderer;
  std::vector<std::vector<std::uint8_t>> rising;
  for (const int frame : {0, 1, 2, 7})
    rising.push_back(copy_of(renderer.render(scene, frame).uint8()));
  EXPECT_NE(rising[0], rising[3]);
  for (std::size_t i = 4; i-- > 0;) {
    const int frame = std::array{0, 1, 2, 7}[i];
    EXPECT_EQ(copy_of(renderer.render(scene, frame).uint8()), rising[i]) << frame;
    renderer.render(other);
    EXPECT_EQ(copy_of(Renderer().render(scene, frame).uint8()), rising[i]) << frame;
  }
}

TEST(ApiRender, ValuesWithKeysFollowTheFrames) {
  const Scene scene = Scene::from_text(
      "version: 1\nimage: {width: 16, height: 16}\nanimation: {frames: 3}\n"
      "layers:\n  - circles: [{x: 0.5, y: 0.5, radius: 0.5, color: [0, 0, 0]}]\n"
      "    opacity: {keys: {0: 0, 2: 1}}\n");
  Renderer renderer;
  for (const auto& [frame, shade] : {std::pair(2, 128), {0, 255}, {1, 191}})
    EXPECT_NEAR(renderer.render(scene, frame).uint8()[3 * (16 * 8 + 8)], shade, 1) << frame;
  EXPECT_NE(scene.fingerprint(0), scene.fingerprint(1));
}

TEST(ApiRender, OptionsChangeNoPixel) {
  const Scene scene = Scene::from_text(kBalls);
  Renderer all;
  const auto expected = copy_of(all.render(scene, 3).uint8());
  Renderer few({.backend = roundel::Backend::kCpu, .threads = 1, .memory = 1 << 24});
  EXPECT_EQ(few.backend(scene), roundel::Backend::kCpu);
  EXPECT_EQ(copy_of(few.render(scene, 3).uint8()), expected);
  all = std::move(few);
  EXPECT_EQ(copy_of(all.render(scene, 3).uint8()), expected);
}

TEST(ApiRender, ReportsWrongOptionsAndExpectedValues) {
  const auto refusal = [](const RenderOptions& options) {
    return message_of<UsageError>([&] { Renderer{options}; });
  };
  EXPECT_EQ(refusal({.threads = -1}), "threads: expected 0 to 1024, got -1");
  EXPECT_EQ(refusal({.threads = 1025}), "threads: expected 0 to 1024, got 1025");
  EXPECT_EQ(refusal({.device = -1}), "device: expected 0 to 255, got -1");
  EXPECT_EQ(refusal({.backend = roundel::Backend::kCpu, .device = 0}),
            "device: expected the backend kAuto or kCuda, got kCpu");
  EXPECT_EQ(refusal({.memory = 0}), "memory: expected at least 1048576 bytes, got 0");
  EXPECT_EQ(refusal({.backend = static_cast<roundel::Backend>(7)}),
            "backend: expected kAuto, kCpu or kCuda, got 7");
}

TEST(ApiRender, WorksAfterAnError) {
  const Folder folder;
  folder.write("p_0.csv", "x,y\n0.25,0.5\n");
  const Scene film = Scene::from_file(
      folder.write("s.yaml",
                   "version: 1\nanimation: {frames: 1}\n"
                   "layers: [{data: \"p_{frame}.csv\", map: {x: x, y: y, radius: 0.1}}]\n"));
  const Scene good = Scene::from_text(kDiscs);
  Renderer renderer;
  const auto expected = copy_of(renderer.render(good).uint8());
  EXPECT_NE(message_of<roundel::SceneError>([&] { renderer.render(film, 1); }), "");
  EXPECT_EQ(copy_of(renderer.render(good).uint8()), expected);
  EXPECT_EQ(renderer.render(film, 0).width(), 1024);
  EXPECT_EQ(message_of<UsageError>([&] { renderer.render(good, 1LL << 40); }),
            "frame: expected -10000000 to 10000000, got 1099511627776");
}

}  // namespace
}  // namespace api_test
