#pragma once
#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "renderer/bench/machine_limits.h"
#include "renderer/raster/rasterizer.h"
#include "tools/roundel/cli/common_options.h"

namespace roundel {

struct BenchOptions {
  std::vector<std::string> scenes;  ///< empty: the classic ones
  SceneOptions scene;
  MachineOptions machine;
  int repeats = 20;
  std::optional<std::string> json;  ///< file, or "-" for stdout
  Verbosity verbosity = Verbosity::kNormal;
};
/// Reads the command line. False when it asked for help or the version, which has been printed.
/// Throws Error(kUsage) with every problem found, one a line.
bool parse(const Arguments& arguments, BenchOptions& options);

/// Of repeated times, in microseconds.
struct Spread {
  double min, median, p95;
};

/// What `roundel bench` found for one scene.
struct BenchResult {
  std::string scene, backend;
  int width = 0, height = 0;  ///< pixels
  std::uint64_t circles = 0, overlaps = 0, chunks = 0, fragments = 0;
  double bytes = 0, operations = 0;  ///< that the frame needs, see FrameWork
  Spread frame_us{};                 ///< CUDA: the device's time, by events; CPU: as wall_us
  Spread wall_us{};                  ///< from the call until the 8-bit image is there
  std::vector<std::pair<std::string, double>> stages_us;  ///< medians
  double floor_us = 0;  ///< the longer of bytes and operations over the machine's limits
};

struct BenchMachine {
  std::string name;    ///< of the GPU, or of the vector instructions
  std::string driver;  ///< versions of driver and runtime, empty on the CPU
  int threads = 0;
  double clock_mhz = 0;  ///< highest clock of the GPU; 0: unknown
};

struct BenchReport {
  BenchMachine machine;
  MachineLimits limits{};
  std::vector<BenchResult> results;
};

BenchMachine bench_machine(Backend backend, const RasterOptions& options);

/// For people: what comes before the rows, and a row.
std::string bench_head(const BenchReport& report);
std::string bench_row(const BenchResult& result);

/// For programs: to a file, replaced as a whole, or to stdout for "-".
void write_json(const BenchReport& report, const std::string& path);

}  // namespace roundel
