// Times the stages of one frame of a scene on the CPU backend, repeatedly in one process:
//   roundel_bench_draw SCENE [REPEATS [THREADS [WIDTH HEIGHT [VECTOR_TARGET]]]]
// Prints one line a stage: name, least and median milliseconds; "draw" is bin and blend together.
#include <fmt/format.h>
#include <tbb/global_control.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <map>
#include <string>
#include <vector>

#include "renderer/base/buffer.h"
#include "renderer/image/files.h"
#include "renderer/render.h"
#include "renderer/scene/load_scene.h"

namespace roundel {
namespace {

struct Times {
  std::vector<std::string> names;  ///< in the order of the stages
  std::map<std::string, std::vector<double>> milliseconds;

  void add(const std::string& name, double time) {
    if (milliseconds.find(name) == milliseconds.end()) names.push_back(name);
    milliseconds[name].push_back(time);
  }
};

StageStats time_frame(const Scene& scene, CircleSource& source, Rasterizer& rasterizer,
                      Circles& circles, Image& image, Times& times) {
  StageStats stats;
  {
    const StageTimer timer(stats, "generate");
    source.generate(scene.default_frame(), circles);
  }
  {
    const StageTimer timer(stats, "draw");
    rasterizer.draw(circles, scene.image, image, stats);
  }
  {
    const StageTimer timer(stats, "encode");
    encode_png(image, {"bench", "", 0, 0});
  }
  for (const Stage& stage : stats.stages) times.add(stage.name, stage.milliseconds);
  return stats;
}

int run(const std::string& path, int repeats, int threads, const SceneOverrides& overrides) {
  const tbb::global_control limit(tbb::global_control::max_allowed_parallelism,
                                  static_cast<std::size_t>(threads));
  const Scene scene = load_scene(path, overrides);
  const auto rasterizer = make_cpu_rasterizer({.threads = threads});
  CircleSource source(scene);
  Times times;
  Circles circles;
  Image image;
  StageStats stats;
  for (int repeat = 0; repeat < repeats; ++repeat)
    stats = time_frame(scene, source, *rasterizer, circles, image, times);
  for (const std::string& name : times.names) {
    std::vector<double>& sorted = times.milliseconds[name];
    std::sort(sorted.begin(), sorted.end());
    fmt::print("{:<10}{:>10.3f}{:>10.3f}\n", name, sorted.front(), sorted[sorted.size() / 2]);
  }
  fmt::print("{} overlaps, {} chunks\n", stats.overlaps, stats.chunks);
  return 0;
}

}  // namespace
}  // namespace roundel

int main(int argc, char** argv) try {
  roundel::keep_freed_blocks();
  if (argc < 2) {
    std::fprintf(stderr, "usage: %s SCENE [REPEATS [THREADS [WIDTH HEIGHT [VECTOR_TARGET]]]]\n",
                 argv[0]);
    return 2;
  }
  roundel::SceneOverrides overrides;
  if (argc > 5) {
    overrides.width = std::atoi(argv[4]);
    overrides.height = std::atoi(argv[5]);
  }
  if (argc > 6 && !roundel::force_cpu_vector_target(argv[6])) {
    std::fprintf(stderr, "%s: cannot run on this machine\n", argv[6]);
    return 1;
  }
  return roundel::run(argv[1], argc > 2 ? std::atoi(argv[2]) : 20,
                      argc > 3 ? std::atoi(argv[3]) : 2, overrides);
} catch (const std::exception& problem) {
  std::fprintf(stderr, "roundel_bench_draw: %s\n", problem.what());
  return 1;
}
