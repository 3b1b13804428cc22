#include <fmt/format.h>

#include <cstring>
#include <filesystem>
#include <fstream>
#include <memory>
#include <string>
#include <thread>
#include <vector>

#include "renderer/circles/generate.h"
#include "renderer/image/files.h"
#include "renderer/image/png_stream.h"
#include "renderer/raster/backend.h"
#include "renderer/scene/load_scene.h"
#include "tests/raster/testing.h"

namespace roundel {
namespace {

constexpr std::int64_t kFrames[] = {0, 1, 2, 60, 7, 300, 300};

Scene scene_with(const std::string& layers) {
  return parse_scene(
      "version: 1\nimage: {width: 320, height: 200}\nview: {center: [0.4, 0.5], zoom: 1.25}\n"
      "layers:\n" +
          layers,
      "test.yaml");
}

/// A film whose circles the device makes, and the CPU's pictures of it.
class FilmOfBoth {
 public:
  explicit FilmOfBoth(const Scene& scene) : scene_(scene), film_(scene), source_(scene) {}

  CircleRecipe recipe(std::int64_t frame) { return film_.recipe(frame); }
  void expect_same(Rasterizer& cuda, std::int64_t frame) {
    Image expected, actual;
    StageStats stats;
    cpu_->draw(source_.at(frame, circles_), scene_.image, expected, stats);
    const CircleRecipe recipe = film_.recipe(frame);
    cuda.draw(CircleStream(recipe), scene_.image, actual, stats);
    EXPECT_TRUE(std::equal(actual.bytes.begin(), actual.bytes.end(), expected.bytes.begin(),
                           expected.bytes.end()))
        << count_circles(scene_) << " circles, frame " << frame;
  }

 private:
  const Scene& scene_;
  FilmSource film_;
  CircleSource source_;
  std::unique_ptr<Rasterizer> cpu_ = make_cpu_rasterizer({});
  Circles circles_;
};

/// Frames whose circles the device makes and those whose circles come from the host.
TEST(DeviceCircles, FilmFramesEqualTheCpu) {
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
      FilmOfBoth film(scene);
      for (const std::int64_t frame : kFrames) film.expect_same(*cuda, frame);
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

/// Their shared data stay as long as one of them draws, and are made again after that.
TEST(DeviceCircles, RasterizersShareAFilm) {
  ROUNDEL_NEEDS_CUDA();
  const Scene scene = scene_with("  - generator: rand10k\n  - generator: snow\n    opacity: 0.3\n");
  FilmSource film(scene);
  CircleSource source(scene);
  Circles circles;
  StageStats unused;
  std::vector<CircleRecipe> recipes;
  std::vector<Image> expected(std::size(kFrames));
  for (const std::int64_t frame : kFrames) {
    make_cpu_rasterizer({})->draw(source.at(frame, circles), scene.image, expected[recipes.size()],
                                  unused);
    recipes.push_back(film.recipe(frame));
  }
  const auto draw_first_frames = [&](std::size_t frames) {
    const auto cuda = make_cuda_rasterizer({});
    Image image;  // drawn into again: its memory changes from the second frame on
    StageStats stats;
    for (std::size_t i = 0; i < frames; ++i) {
      cuda->draw(CircleStream(recipes[i]), scene.image, image, stats);
      EXPECT_TRUE(std::equal(image.bytes.begin(), image.bytes.end(), expected[i].bytes.begin(),
                             expected[i].bytes.end()))
          << frames << " frames, number " << i;
    }
  };
  for (int turn = 0; turn < 2; ++turn) {
    std::vector<std::thread> threads;
    for (const std::size_t frames : {recipes.size(), std::size_t{1}, std::size_t{3}})
      threads.emplace_back(draw_first_frames, frames);
    for (std::thread& thread : threads) thread.join();
  }
}

/// Each third of a film's frames, from the first to the last and once more: states of simulated
/// circles are made ahead, taken from each other, and made again.
TEST(DeviceCircles, RasterizersShareStates) {
  ROUNDEL_NEEDS_CUDA();
  constexpr std::size_t kCount = 120, kThreads = 3;
  const Scene scene = scene_with(
      "  - generator: fireworks\n  - random: {count: 100, radius: 0.1, alpha: 0.1}\n"
      "  - generator: snow\n  - generator: bouncingballs\n");
  FilmSource film(scene);
  CircleSource source(scene);
  Circles circles;
  StageStats unused;
  std::vector<CircleRecipe> recipes;
  std::vector<Image> expected(kCount);
  const auto cpu = make_cpu_rasterizer({});
  for (std::size_t frame = 0; frame < kCount; ++frame) {
    cpu->draw(source.at(static_cast<std::int64_t>(frame), circles), scene.image, expected[frame],
              unused);
    recipes.push_back(film.recipe(static_cast<std::int64_t>(frame)));
  }
  std::vector<std::thread> threads;
  for (std::size_t first = 0; first < kThreads; ++first) {
    threads.emplace_back([&, first] {
      const auto cuda = make_cuda_rasterizer({});
      Image image;
      StageStats stats;
      for (int turn = 0; turn < 2; ++turn)
        for (std::size_t frame = first; frame < kCount; frame += kThreads) {
          cuda->draw(CircleStream(recipes[frame]), scene.image, image, stats);
          EXPECT_TRUE(std::equal(image.bytes.begin(), image.bytes.end(),
                                 expected[frame].bytes.begin(), expected[frame].bytes.end()))
              << "frame " << frame << ", turn " << turn;
        }
    });
  }
  for (std::thread& thread : threads) thread.join();
}

/// Frames are polled after as many chunks as the previous one needed.
TEST(DeviceCircles, FramesMayNeedMoreChunksThanThePrevious) {
  ROUNDEL_NEEDS_CUDA();
  const Scene whole = parse_scene(
      "version: 1\nimage: {width: 200, height: 200}\nlayers:\n  - generator: rand100k\n", "a.yaml");
  const Scene with_a_bare_edge = scene_with("  - generator: rand100k\n");
  FilmSource whole_film(whole), other_film(with_a_bare_edge);
  const auto cuda = make_cuda_rasterizer({});
  for (const bool is_packed : {false, true}) {
    for (const unsigned chunks : {1U, 2U, 1U, 2U, 2U, 1U}) {
      const Scene& scene = chunks == 1 ? whole : with_a_bare_edge;
      Circles circles;
      CircleSource source(scene);
      Image expected, actual;
      StageStats stats, cuda_stats;
      make_cpu_rasterizer({})->draw(source.at(0, circles), scene.image, expected, stats);
      const CircleRecipe recipe = (chunks == 1 ? whole_film : other_film).recipe(0);
      FrameTarget target(actual);
      PngFile file;
      file.head = png_head({scene.image.width, scene.image.height, 3, 8}, {});
      if (is_packed) target.png = &file;
      cuda->draw(CircleStream(recipe), scene.image, target, cuda_stats);
      EXPECT_EQ(cuda_stats.chunks, chunks);
      if (is_packed) {
        const std::vector<std::uint8_t> bytes = encode_png(expected, {});
        EXPECT_TRUE(std::equal(file.bytes.begin(), file.bytes.end(), bytes.begin(), bytes.end()));
      } else {
        EXPECT_TRUE(std::equal(actual.bytes.begin(), actual.bytes.end(), expected.bytes.begin(),
                               expected.bytes.end()));
      }
    }
  }
}

/// Frames that go to the device as a graph, and those that differ from the previous one: standing
/// still, moving, and with growing lists.
TEST(DeviceCircles, FilmsThatMoveAtTimesGrowTheirLists) {
  ROUNDEL_NEEDS_CUDA();
  const Scene scene = scene_with(
      "  - random: {count: 20000, radius: 0.002, alpha: 0.01}\n"
      "    scale: {keys: {0: 0.3, 3: 0.3, 6: 0.35, 9: 0.35, 14: 6}}\n"
      "  - generator: snow\n    opacity: 0.5\n");
  FilmOfBoth film(scene);
  const auto cuda = make_cuda_rasterizer({});
  for (std::int64_t frame = 0; frame < 17; ++frame) film.expect_same(*cuda, frame);
}

TEST(DeviceCircles, FailedFrameDoesNotAffectOthers) {
  ROUNDEL_NEEDS_CUDA();
  const Scene scene = scene_with("  - generator: snow\n  - generator: rand10k\n    opacity: 0.1\n");
  FilmOfBoth film(scene);
  const auto cuda = make_cuda_rasterizer({});
  auto& backend = dynamic_cast<RasterBackend&>(*cuda);
  for (std::int64_t frame = 0; frame < 20; ++frame) {
    if (frame % 4 != 3) {
      film.expect_same(*cuda, frame);
      continue;
    }
    Image picture;
    StageStats stats;
    const CircleRecipe recipe = film.recipe(frame);
    const CircleStream stream(recipe);
    const Chunk chunk = backend.plan(stream, scene.image, picture, stats).chunk();
    backend.bin(chunk, stats);
    if (frame % 8 == 3) backend.blend(chunk, stats);
  }
}

/// Also of chunks that the host does not poll.
TEST(DeviceCircles, TimesCoverAllChunks) {
  ROUNDEL_NEEDS_CUDA();
  const Scene scene = scene_with("  - random: {count: 400000, radius: 0.02, alpha: 0.00001}\n");
  FilmSource film(scene);
  const auto least_time = [&](const RasterOptions& options, std::uint64_t chunks) {
    const auto cuda = make_cuda_rasterizer(options);
    double least = std::numeric_limits<double>::infinity();
    for (int frame = 0; frame < 5; ++frame) {
      Image image;
      StageStats stats;
      const CircleRecipe recipe = film.recipe(frame);
      cuda->draw(CircleStream(recipe), scene.image, image, stats);
      EXPECT_EQ(stats.chunks, chunks);
      const auto time = [&](const char* name) {
        return stats.stage(name, StageResource::kCuda).milliseconds;
      };
      least = std::min(least, time("bin") + time("blend"));
    }
    return least;
  };
  EXPECT_GT(least_time({.chunk_circles = 50'000, .times_stages = true}, 8),
            0.5 * least_time({.chunk_circles = 400'000, .times_stages = true}, 1));
}

TEST(DeviceCircles, UnusedTimesAreNotMeasured) {
  ROUNDEL_NEEDS_CUDA();
  const Scene scene = scene_with("  - random: {count: 4000, radius: 0.02, alpha: 0.5}\n");
  FilmSource film(scene);
  const CircleRecipe recipe = film.recipe(0);
  std::vector<Image> images(2);
  for (const bool times_stages : {false, true}) {
    StageStats stats;
    make_cuda_rasterizer({.times_stages = times_stages})
        ->draw(CircleStream(recipe), scene.image, images[times_stages ? 1 : 0], stats);
    EXPECT_GT(stats.overlaps, 0U);
    for (const Stage& stage : stats.stages)
      EXPECT_EQ(stage.milliseconds > 0, times_stages) << stage.name;
  }
  EXPECT_TRUE(std::equal(images[0].bytes.begin(), images[0].bytes.end(), images[1].bytes.begin(),
                         images[1].bytes.end()));
}

/// Chunk by chunk, across layers; the CPU's come from the host.
TEST(DeviceCircles, RandomLayersEqualTheCpu) {
  ROUNDEL_NEEDS_CUDA();
  static constexpr char kHead[] =
      "version: 1\nimage: {{width: 320, height: 200{}}}\nview: {{center: [0.4, 0.5], zoom: 1.25}}\n"
      "layers:\n{}";
  constexpr const char* kLayers =
      "  - random: {count: 3000, radius: 0.01, color: {uniform: [[0, 0, 0], [1, 1, 1]]}, alpha: "
      "0.4}\n"
      "  - random: {count: 0}\n"
      "  - random: {count: 2000, position: {gaussian: {mean: [0.5, 0.5], sigma: 0.2}},\n"
      "             radius: {gaussian: {mean: 0.01, sigma: 0.01}}, alpha: {uniform: [0, 1]}}\n"
      "    opacity: 0.7\n    rotate: 30\n    scale: 1.5\n"
      "  - random: {count: 1001, position: {disc: {center: [0.2, 0.4], radius: 0.3}}, color: "
      "'#80c040'}\n"
      "    shader: snow\n"
      "  - random: {count: 999, position: {ring: {center: [0.6, 0.4], radius: 0.3, width: 0.1}}}\n";
  const std::string blended = std::string(kLayers) + "    blend: screen\n";
  const std::string on_host =
      "  - random: {count: 999, color: {choice: ['#ff0000', '#00ff00']}, alpha: 0.5}\n";
  const std::string far_away =  // its positions are binary64
      "  - random: {count: 999, position: {disc: {center: [9.0e+5, 9.0e+5], radius: 0.3}}}\n"
      "    offset: [-899999.5, -899999.5]\n";
  for (const char* image : {"", ", blend: linear", ", antialias: true"}) {
    for (const std::string& layers :
         {std::string(kLayers), blended, kLayers + on_host, kLayers + far_away}) {
      const Scene scene = parse_scene(fmt::format(kHead, image, layers), "test.yaml");
      CircleSource source(scene);
      EXPECT_EQ(!source.device_runs().empty(), layers.find("choice") == std::string::npos &&
                                                   layers.find("e+5") == std::string::npos);
      Circles circles;
      source.generate(0, circles);
      Image expected;
      StageStats stats;
      make_cpu_rasterizer({})->draw(circles, scene.image, expected, stats);
      for (const std::uint64_t chunk : {0u, 700u}) {
        RasterOptions options;
        options.chunk_circles = chunk;
        Image actual;
        Circles unused;
        make_cuda_rasterizer(options)->draw(source.at(0, unused), scene.image, actual, stats);
        EXPECT_TRUE(std::equal(actual.bytes.begin(), actual.bytes.end(), expected.bytes.begin(),
                               expected.bytes.end()))
            << image << ", chunks of " << chunk << ", " << layers;
      }
    }
  }
}

/// Rows are copied once, for all rasterizers; those that do not fit are drawn all the same.
TEST(DeviceCircles, MovingRowsEqualTheCpu) {
  ROUNDEL_NEEDS_CUDA();
  const std::string path = ::testing::TempDir() + "roundel_moving_rows.csv";
  {
    std::ofstream file(path);
    file << "x,y,to_x,to_y,size,level,start\n";
    for (int i = 0; i < 5000; ++i)
      file << fmt::format("{},{},{},{},{},{},{}\n", i % 71 / 71.0, i % 89 / 89.0, i % 97 / 97.0,
                          i % 53 / 53.0, (1 + i % 6) / 300.0, i % 13, i % 31 - 5);
  }
  const std::string map =
      "map: {x: {keys: {0: {column: x}, 12: {column: to_x}, 20: 0.5}, ease: in-out}, y: {keys: {0: "
      "{column: y}, 9: {column: to_y}, 30: 0.4}, path: spline, repeat: ping-pong}, radius: {keys: "
      "{0: 0.005, 9: {column: size}}}, alpha: {keys: {0: 0.2, 9: 0.9}, ease: out}, start: {column: "
      "start}, color: ";
  for (const std::string& layers :
       {"  - {data: " + path + ", " + map + "\"#80ff20\"}}\n",
        "  - random: {count: 999}\n  - {data: " + path + ", " + map +
            "{column: {keys: {3: level, 25: size}}, scale: sqrt}}, opacity: 0.5, rotate: 12}\n",
        "  - {data: " + path + ", " + map + "\"#80ff20\"}, shader: soft, blend: add}\n"}) {
    const Scene scene = scene_with(layers);
    FilmSource film(scene), moved(scene);
    film.keep_circles(std::uint64_t{1} << 30);
    const auto cpu = make_cpu_rasterizer({});
    RasterOptions small;
    small.memory_budget = std::uint64_t{40} << 20;
    const std::unique_ptr<Rasterizer> rasterizers[] = {make_cuda_rasterizer({}),
                                                       make_cuda_rasterizer({.chunk_circles = 700}),
                                                       make_cuda_rasterizer(small)};
    for (const std::int64_t frame : {0, 3, 11, 40, 2}) {
      Circles circles, unused;
      Image expected, actual;
      StageStats stats;
      const FilmSource::Frame read = moved.at(frame), held = film.at(frame);
      cpu->draw(read.circles->at(frame, circles), read.scene->image, expected, stats);
      const CircleStream stream = held.circles->at(frame, unused);
      ASSERT_NE(stream.recipe(), nullptr);
      for (const auto& cuda : rasterizers) {
        cuda->draw(stream, held.scene->image, actual, stats);
        EXPECT_TRUE(std::equal(actual.bytes.begin(), actual.bytes.end(), expected.bytes.begin(),
                               expected.bytes.end()))
            << layers << "frame " << frame;
      }
    }
  }
  std::filesystem::remove(path);
}

TEST(DeviceCircles, HostDrawsFilmsWhoseListsDoNotFit) {
  ROUNDEL_NEEDS_CUDA();
  RasterOptions options;
  options.memory_budget = std::uint64_t{64} << 20;
  const auto cuda = make_cuda_rasterizer(options);
  EXPECT_TRUE(cuda->makes_circles(1000));
  EXPECT_FALSE(cuda->makes_circles(10'000'000));
}

}  // namespace
}  // namespace roundel
