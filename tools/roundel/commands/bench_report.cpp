#include "tools/roundel/commands/bench_report.h"

#include <fmt/format.h>
#include <tbb/info.h>

#include <nlohmann/json.hpp>

#include "tools/roundel/cli/terminal.h"

namespace roundel {
namespace {

using Json = nlohmann::ordered_json;

constexpr int kMaxRepeats = 100000;

Json spread_json(const Spread& spread) {
  return {{"min", spread.min}, {"median", spread.median}, {"p95", spread.p95}};
}

}  // namespace

bool parse(const Arguments& arguments, BenchOptions& options) {
  CommandLine line(
      "bench", "[SCENE...] [OPTION...]",
      "Draws scenes again and again, from circles in memory to an 8-bit image in memory "
      "(on CUDA: device memory, by a graph), and prints microseconds: wall is from the "
      "call until the image is there, frame the device's own time, floor what the "
      "bytes and operations that the picture needs would take at this machine's "
      "measured rates, ratio frame/floor; medians. The picture is compared with the "
      "CPU's by its bits; where it differs there are no times.");
  line.add_arguments("SCENE...", 0, kAnyNumber, options.scenes,
                     "scene files (YAML) (default: the classic scenes)");
  add_size(line, options.scene);
  add_seed_and_frame(line, options.scene);
  add_machine(line, options.machine);
  line.add_value("repeat", "N", whole(options.repeats, 1, kMaxRepeats),
                 fmt::format("how often each scene is timed, 1 to {} (default: 20)", kMaxRepeats));
  line.add_value(
      "json", "FILE", text(options.json),
      "write all results as JSON, times in microseconds; - for stdout, instead of the table");
  add_quiet(line, options.verbosity);
  line.add_note(kExitCodes);
  return line.parse(arguments);
}

BenchMachine bench_machine(Backend backend, const RasterOptions& options) {
  BenchMachine machine;
  machine.threads = options.threads > 0 ? options.threads : tbb::info::default_concurrency();
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

std::string bench_head(const BenchReport& report) {
  return fmt::format("{}: copies {:.0f} GB/s, {:.2f} T operations/s (binary32)\n",
                     report.machine.name, report.limits.bytes_per_second / 1e9,
                     report.limits.operations_per_second / 1e12) +
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

}  // namespace roundel
