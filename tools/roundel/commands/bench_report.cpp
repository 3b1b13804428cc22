#include "tools/roundel/commands/bench_report.h"

#include <fmt/format.h>
#include <tbb/info.h>

#include <nlohmann/json.hpp>

#include "renderer/image/files.h"
#include "tools/roundel/cli/commit.h"
#include "tools/roundel/cli/terminal.h"

namespace roundel {
namespace {

using Json = nlohmann::ordered_json;

Json spread_json(const Spread& spread) {
  return {{"min", spread.min}, {"median", spread.median}, {"p95", spread.p95}};
}

}  // namespace

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
  const std::string text = json.dump(1, ' ', false, Json::error_handler_t::replace) + "\n";
  if (path == "-") {
    print_out(text);
    return;
  }
  write_file_atomically(path, {reinterpret_cast<const std::uint8_t*>(text.data()), text.size()});
}

}  // namespace roundel
