#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <map>
#include <memory>

#include "renderer/base/error.h"
#include "renderer/bench/frame_work.h"
#include "renderer/bench/machine_limits.h"
#include "renderer/bench/resident_frame.h"
#include "renderer/generate/classic.h"
#include "renderer/render.h"
#include "renderer/scene/classic_scenes.h"
#include "tools/roundel/cli/machine.h"
#include "tools/roundel/cli/problems.h"
#include "tools/roundel/cli/terminal.h"
#include "tools/roundel/commands/bench_report.h"
#include "tools/roundel/commands/commands.h"

namespace roundel {
namespace {

constexpr int kWarmUps = 3;

Spread spread_of(std::vector<double> times) {
  std::sort(times.begin(), times.end());
  const auto at = [&](double share) {
    return times[static_cast<std::size_t>(share * static_cast<double>(times.size() - 1) + 0.5)];
  };
  return {times.front(), at(0.5), at(0.95)};
}

/// Times `draw`, which returns microseconds.
template <typename Draw>
Spread repeat(int repeats, Draw&& draw) {
  for (int i = 0; i < kWarmUps; ++i) draw();
  std::vector<double> times;
  times.reserve(static_cast<std::size_t>(repeats));
  for (int i = 0; i < repeats; ++i) times.push_back(draw());
  return spread_of(std::move(times));
}

/// Times the stages of `draw(stats)`, microseconds, medians; leaves the last run's counts.
template <typename Draw>
void time_stages(int repeats, Draw&& draw, BenchResult& result) {
  std::map<std::string, std::vector<double>> times;
  for (int i = 0; i < repeats; ++i) {
    StageStats stats;
    draw(stats);
    for (const Stage& stage : stats.stages) times[stage.name].push_back(1000 * stage.milliseconds);
    result.overlaps = stats.overlaps;
    result.chunks = stats.chunks;
  }
  for (auto& [name, values] : times)
    result.stages_us.emplace_back(name, spread_of(std::move(values)).median);
}

void bench_cuda(const BenchOptions& options, const Circles& circles, const ImageSettings& image,
                BenchResult& result, Image& picture) {
  const auto frame = make_resident_frame(options.machine.raster, circles, image);
  result.wall_us = repeat(options.repeats, [&] { return frame->draw_wall_us(); });
  result.frame_us = repeat(options.repeats, [&] { return frame->draw_device_us(); });
  frame->read(picture);
  time_stages(
      options.repeats, [&](StageStats& stats) { frame->draw_stages(stats); }, result);
}

void bench_cpu(const BenchOptions& options, const Circles& circles, const ImageSettings& image,
               BenchResult& result, Image& picture) {
  const auto rasterizer = make_rasterizer(Backend::kCpu, options.machine.raster);
  result.wall_us = repeat(options.repeats, [&] {
    StageStats stats;
    const auto start = std::chrono::steady_clock::now();
    rasterizer->draw(circles, image, picture, stats);
    const std::chrono::duration<double, std::micro> elapsed =
        std::chrono::steady_clock::now() - start;
    return elapsed.count();
  });
  result.frame_us = result.wall_us;
  time_stages(
      options.repeats, [&](StageStats& stats) { rasterizer->draw(circles, image, picture, stats); },
      result);
}

BenchResult bench_scene(const Scene& scene, const BenchOptions& options, Backend backend,
                        const MachineLimits& limits) {
  Circles circles;
  CircleSource source(scene);
  generate_in_frame_space(source, options.scene.frame.value_or(scene.default_frame()), circles);
  BenchResult result;
  result.scene = scene.path;
  result.backend = backend_name(backend);
  result.width = scene.image.width;
  result.height = scene.image.height;
  result.circles = circles.count();

  Image picture, expected;
  if (backend == Backend::kCuda)
    bench_cuda(options, circles, scene.image, result, picture);
  else
    bench_cpu(options, circles, scene.image, result, picture);

  // One thread draws as plainly as the program can.
  RasterOptions one_thread;
  one_thread.threads = backend == Backend::kCpu ? 1 : 0;
  StageStats stats;
  make_cpu_rasterizer(one_thread)->draw(circles, scene.image, expected, stats);
  if (!std::equal(picture.bytes.begin(), picture.bytes.end(), expected.bytes.begin(),
                  expected.bytes.end()))
    throw Error(ExitCode::kRuntimeFailure,
                scene.path +
                    ": the picture that was timed differs from the CPU's; its times mean "
                    "nothing (\"roundel selftest\" tells more)");

  const FrameWork work = count_work(circles, scene.image);
  result.fragments = work.fragments;
  result.bytes = work.bytes(scene.image);
  result.operations = work.operations(scene.image);
  result.floor_us = 1e6 * std::max(result.bytes / limits.bytes_per_second,
                                   result.operations / limits.operations_per_second);
  return result;
}

std::vector<Scene> bench_scenes(const BenchOptions& options, Problems& problems) {
  if (!options.scenes.empty())
    return load_scenes(options.scenes, options.scene.overrides, problems);
  std::vector<Scene> scenes;
  scenes.reserve(std::size(kClassicScenes));
  for (const ClassicScene& classic : kClassicScenes)
    scenes.push_back(parse_scene(fmt::format("version: 1\nimage: {{width: 1024, height: 1024}}\n"
                                             "layers: [{{generator: {}}}]\n",
                                             classic.name),
                                 classic.name, options.scene.overrides));
  return scenes;
}

}  // namespace

int run_bench(const Arguments& arguments) {
  BenchOptions options;
  if (!parse(arguments, options)) return 0;
  Problems problems;
  const std::vector<Scene> scenes = bench_scenes(options, problems);
  if (scenes.empty()) return static_cast<int>(problems.exit_code());
  const ThreadLimit thread_limit(options.machine.raster.threads);
  const ChosenBackend chosen = choose_backend(options.machine);
  BenchReport report;
  report.machine = bench_machine(chosen.backend, options.machine.raster);
  report.limits = chosen.backend == Backend::kCuda
                      ? measure_cuda_limits(options.machine.raster.device)
                      : measure_cpu_limits(options.machine.raster.threads);
  const bool shows_table = options.verbosity != Verbosity::kQuiet && options.json != "-";
  if (shows_table) print_out(bench_head(report));
  for (const Scene& scene : scenes) {
    problems.attempt([&] {
      report.results.push_back(bench_scene(scene, options, chosen.backend, report.limits));
      if (shows_table) {
        print_out(bench_row(report.results.back()));
        finish_output();
      }
    });
  }
  if (problems.exit_code() == ExitCode::kDone && options.json) write_json(report, *options.json);
  return static_cast<int>(problems.exit_code());
}

}  // namespace roundel
