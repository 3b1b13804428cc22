#include <cstring>

#include "renderer/generate/generate.h"
#include "renderer/scene/load_scene.h"
#include "tests/raster/testing.h"

namespace roundel {
namespace {

constexpr std::int64_t kFrames[] = {0, 1, 2, 60, 7, 300, 300};  // forth and back

Scene scene_with(const std::string& layers) {
  return parse_scene(
      "version: 1\nimage: {width: 320, height: 200}\nview: {center: [0.4, 0.5], zoom: 1.25}\n"
      "layers:\n" +
          layers,
      "test.yaml");
}

/// Frames whose circles the device makes and those whose circles come from the host.
TEST(DeviceCircles, FramesOfFilmsAreThoseOfTheCpu) {
  ROUNDEL_NEEDS_CUDA();
  const auto cuda = make_cuda_rasterizer({});
  const auto cpu = make_cpu_rasterizer({});
  const Scene scenes[] = {
      scene_with("  - generator: snow\n"),
      scene_with(
          "  - generator: hypnosis\n    opacity: 0.4\n  - generator: bouncingballs\n    offset: "
          "[0.1, 0.1]\n"
          "  - generator: fireworks\n    scale: 1.5\n    rotate: 30\n    pivot: [0.5, 0.5]\n"),
      scene_with("  - generator: rand100k\n"),
      scene_with("  - random: {count: 0}\n"),
  };
  for (int turn = 0; turn < 2; ++turn) {
    for (const Scene& scene : scenes) {
      ASSERT_TRUE(cuda->makes_circles(count_circles(scene)));
      FilmSource film(scene);
      CircleSource source(scene);
      Circles circles;
      for (const std::int64_t frame : kFrames) {
        Image expected, actual;
        StageStats stats;
        cpu->draw(source.at(frame, circles), scene.image, expected, stats);
        const CircleRecipe recipe = film.recipe(frame);
        cuda->draw(CircleStream(recipe), scene.image, actual, stats);
        EXPECT_TRUE(std::equal(actual.bytes.begin(), actual.bytes.end(), expected.bytes.begin(),
                               expected.bytes.end()))
            << circles.count() << " circles, frame " << frame;
      }
      Image expected, actual;
      StageStats stats;
      const Circles few = testing::random_circles(100, 0.1f, 0.5f, 0.2);
      cpu->draw(few, scene.image, expected, stats);
      cuda->draw(few, scene.image, actual, stats);
      EXPECT_TRUE(std::equal(actual.bytes.begin(), actual.bytes.end(), expected.bytes.begin(),
                             expected.bytes.end()));
    }
  }
}

TEST(DeviceCircles, AFilmThatLeavesNoRoomForListsIsNotForTheDevice) {
  ROUNDEL_NEEDS_CUDA();
  RasterOptions options;
  options.memory_budget = std::uint64_t{64} << 20;
  const auto cuda = make_cuda_rasterizer(options);
  EXPECT_TRUE(cuda->makes_circles(1000));
  EXPECT_FALSE(cuda->makes_circles(10'000'000));
}

}  // namespace
}  // namespace roundel
