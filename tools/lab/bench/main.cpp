#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <map>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "renderer/base/cores.h"
#include "renderer/base/error.h"
#include "renderer/base/stopwatch.h"
#include "renderer/base/text.h"
#include "renderer/circles/classic.h"
#include "renderer/format/json_text.h"
#include "renderer/raster/rasterizer.h"
#include "renderer/render.h"
#include "renderer/scene/classic_scenes.h"
#include "tools/lab/bench/commit.h"
#include "tools/lab/bench/frame_work.h"
#include "tools/lab/bench/machine_limits.h"
#include "tools/lab/bench/resident_frame.h"
#include "tools/roundel/cli/common_options.h"
#include "tools/roundel/cli/machine.h"
#include "tools/roundel/cli/output_path.h"
#include "tools/roundel/cli/problems.h"
#include "tools/roundel/cli/process.h"
#include "tools/roundel/cli/terminal.h"

namespace roundel {
namespace {

using Json = nlohmann::ordered_json;

constexpr int kWarmUps = 3, kMaxRepeats = 100000;

struct BenchOptions {
  std::vector<std::string> scenes;  ///< empty: the classic ones
  SceneOptions scene;
  MachineOptions machine;
  int repeats = 20;
  std::optional<std::string> json;  ///< file, or "-" for stdout
  Verbosity verbosity = Verbosity::kNormal;
};

/// Least, median and so on of repeated times, in microseconds.
struct Spread {
  double min, median, p95;
};

struct BenchResult {
  std::string scene, backend;
  int width = 0, height = 0;  ///< pixels
  std::uint64_t circles = 0, overlaps = 0, chunks = 0, fragments = 0;
  double bytes = 0, operations = 0;  ///< the frame's minimum, see FrameWork
  Spread frame_us{};                 ///< CUDA: the device's time, by events; CPU: as wall_us
  Spread wall_us{};                  ///< from the call until the 8-bit image is complete
  std::vector<std::pair<std::string, double>> stages_us;  ///< medians
  double floor_us = 0;  ///< the longer of bytes and operations over the machine's limits
};

struct BenchMachine {
  std::string name;    ///< GPU, or vector instructions
  std::string driver;  ///< versions of driver and runtime, empty on the CPU
  int threads = 0;
  double clock_mhz = 0;  ///< highest clock of the GPU; 0: unknown
};

struct BenchReport {
  BenchMachine machine;
  MachineLimits limits{};
  std::vector<BenchResult> results;
};

bool parse(const Arguments& arguments, BenchOptions& options) {
  CommandLine line(
      "roundel-bench", "[SCENE...] [OPTION...]",
      "Draws scenes again and again, from circles in memory to an 8-bit image in memory (on CUDA: "
      "device memory, by a graph), and prints microseconds: wall is from the call until the image "
      "is there, frame the device's own time, floor what the bytes and operations that the picture "
      "needs would take at this machine's measured rates, ratio frame/floor; medians. The picture "
      "is compared with the CPU's by its bits; a different picture gets no times.");
  line.add_arguments("SCENE...", 0, kAnyNumber, options.scenes,
                     "scene files (YAML); default: the classic scenes");
  add_size(line, options.scene);
  add_seed_and_frame(line, options.scene);
  add_machine(line, options.machine);
  line.add_value(
      "repeat", "N", whole(options.repeats, 1, kMaxRepeats),
      {Group::kTask, fmt::format("time each scene N times; 1 to {}, default: 20", kMaxRepeats)});
  line.add_value(
      "json", "FILE", text(options.json),
      {Group::kResults,
       "write all results as JSON, times in microseconds; - prints them instead of the table"});
  add_quiet(line, options.verbosity);
  line.set_exit_codes(exit_codes(ExitCode::kOutputRefused));
  return line.parse(arguments);
}

Json spread_json(const Spread& spread) {
  return {{"min", spread.min}, {"median", spread.median}, {"p95", spread.p95}};
}

BenchMachine bench_machine(Backend backend, const RasterOptions& options) {
  BenchMachine machine;
  machine.threads = options.threads > 0 ? options.threads : default_threads();
  machine.name = cpu_vector_target();
  if (backend == Backend::kCpu) return machine;
  for (const CudaDevice& device : cuda_devices()) {
    if (device.index != options.device) continue;
    machine.name = device.name;
    machine.driver =
        fmt::format("{}.{}", device.driver_version / 1000, device.driver_version % 1000 / 10);
    machine.clock_mhz = device.clock_mhz;
  }
  return machine;
}

/// Prints for people: the lines before the rows, and a row.
Lines bench_head(const BenchReport& report) {
  return Lines(fmt::format("{}: copies {:.0f} GB/s, {:.2f} T operations/s (binary32)\n",
                           report.machine.name, report.limits.bytes_per_second / 1e9,
                           report.limits.operations_per_second / 1e12)) +
         fmt::format("{:<28}{:>12}{:>13}{:>12}{:>12}{:>12}{:>10}{:>8}\n", "scene", "size",
                     "circles", "wall, us", "frame, us", "p95, us", "floor, us", "ratio");
}

std::string bench_row(const BenchResult& result) {
  return fmt::format("{:<28}{:>12}{:>13}{:>12.1f}{:>12.1f}{:>12.1f}{:>10.1f}{:>8.1f}\n",
                     result.scene, fmt::format("{}x{}", result.width, result.height),
                     with_commas(result.circles), result.wall_us.median, result.frame_us.median,
                     result.frame_us.p95, result.floor_us,
                     result.frame_us.median / result.floor_us);
}

/// Writes for programs: to a file, replaced as a whole, or to stdout for "-".
void write_json(const BenchReport& report, const std::string& path) {
  Json results = Json::array();
  for (const BenchResult& result : report.results) {
    Json stages = Json::object();
    for (const auto& [name, median] : result.stages_us) stages[name] = median;
    results.push_back({{"scene", result.scene},
                       {"backend", result.backend},
                       {"size", fmt::format("{}x{}", result.width, result.height)},
                       {"circles", result.circles},
                       {"frame_us", spread_json(result.frame_us)},
                       {"wall_us", spread_json(result.wall_us)},
                       {"stages_us", stages},
                       {"overlaps", result.overlaps},
                       {"chunks", result.chunks},
                       {"fragments", result.fragments},
                       {"bytes", result.bytes},
                       {"operations", result.operations},
                       {"floor_us", result.floor_us},
                       {"time_over_floor", result.frame_us.median / result.floor_us}});
  }
  const BenchMachine& machine = report.machine;
  const Json json = {{"machine",
                      {{"name", machine.name},
                       {"cuda_driver", machine.driver},
                       {"clock_mhz", machine.clock_mhz},
                       {"threads", machine.threads},
                       {"bytes_per_second", report.limits.bytes_per_second},
                       {"operations_per_second", report.limits.operations_per_second}}},
                     {"commit", kCommit},
                     {"version", ROUNDEL_VERSION},
                     {"results", results}};
  write_text(path, json_text(json, 1));
}

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
    const Stopwatch watch;
    rasterizer->draw(circles, image, picture, stats);
    return 1e6 * watch.seconds();
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
  source.generate(options.scene.frame.value_or(scene.default_frame()), circles);
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

  // The plainest way to draw: one thread.
  RasterOptions one_thread;
  one_thread.threads = backend == Backend::kCpu ? 1 : 0;
  StageStats stats;
  make_cpu_rasterizer(one_thread)->draw(circles, scene.image, expected, stats);
  if (!std::equal(picture.bytes.begin(), picture.bytes.end(), expected.bytes.begin(),
                  expected.bytes.end()))
    throw Error(ExitCode::kRuntimeFailure,
                scene.path +
                    ": the picture that was timed differs from the CPU's; its times mean nothing "
                    "(\"roundel selftest\" tells more)");

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

int run(const Arguments& arguments) {
  BenchOptions options;
  if (!parse(arguments, options)) return 0;
  options.machine.raster.times_stages = true;
  Problems problems;
  const std::vector<Scene> scenes = bench_scenes(options, problems);
  if (scenes.empty()) return static_cast<int>(problems.exit_code());
  if (options.json && !is_stream_path(*options.json))
    check_output_is_no_input(*options.json, input_paths(scenes), ExitCode::kOutputRefused);
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

}  // namespace
}  // namespace roundel

int main(int argc, char** argv) {
  const roundel::Arguments arguments(argv + (argc > 0), argv + argc);
  return roundel::run_process(
      [&] { return roundel::run(arguments); },
      ": fewer circles or pixels need less, and so does a smaller --memory");
}
