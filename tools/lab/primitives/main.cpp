#include <fmt/format.h>
#include <tbb/task_arena.h>

#include <algorithm>
#include <array>
#include <limits>
#include <optional>

#include "renderer/base/error.h"
#include "renderer/base/memory.h"
#include "renderer/base/text.h"
#include "renderer/raster/rasterizer.h"
#include "tools/lab/bench/machine_limits.h"
#include "tools/lab/primitives/cuda/device_rows.h"
#include "tools/lab/primitives/measure.h"
#include "tools/roundel/cli/command_line.h"
#include "tools/roundel/cli/common_options.h"
#include "tools/roundel/cli/process.h"
#include "tools/roundel/cli/terminal.h"

namespace roundel::primitives {
namespace {

struct Maker {
  const char* name;
  std::unique_ptr<Primitive> (*make)(std::uint64_t largest);
};
constexpr std::array kMakers = {
    Maker{"saxpy", make_saxpy}, Maker{"scan", make_scan}, Maker{"compaction", make_compaction},
    Maker{"selection", make_selection}, Maker{"find-repeats", make_find_repeats}};

struct Options {
  std::vector<std::string> primitives;  ///< empty: all
  std::vector<std::uint64_t> sizes = usual_sizes();
  int repeats = 20;
  int threads = 0;
  std::optional<std::string> json;
};

bool is_wanted(const Maker& maker, const Options& options) {
  const auto& names = options.primitives;
  return names.empty() || std::find(names.begin(), names.end(), maker.name) != names.end();
}

void check_names(const Options& options, CommandLine::Problems& problems) {
  std::vector<std::string> known;
  known.reserve(kMakers.size());
  for (const Maker& maker : kMakers) known.emplace_back(maker.name);
  for (const std::string& name : options.primitives) {
    if (std::find(known.begin(), known.end(), name) != known.end()) continue;
    problems.push_back(fmt::format("{}: expected {}{}", roundel::quoted(name),
                                   join_names(known, "or", false), did_you_mean(name, known)));
  }
}

bool parse(const Arguments& arguments, Options& options) {
  CommandLine line("roundel-primitives", "[PRIMITIVE...] [OPTION...]",
                   "Times what renderers are built of, on this machine's CPU and its first CUDA "
                   "device: microseconds (median), GB/s of the bytes that must be moved, and their "
                   "share of the bandwidth at which all threads, or the device, copy memory, "
                   "measured here and now. Every result is checked.");
  line.add_arguments("PRIMITIVE...", 0, std::numeric_limits<std::size_t>::max(), options.primitives,
                     "saxpy, scan, compaction, selection, find-repeats (default: all)");
  line.add_value("sizes", "LIST",
                 [&](const std::string& value) { options.sizes = parse_sizes(value); },
                 {Group::kTask,
                  "numbers of elements, 0 to 2^32: 1000,2^20,2^20-3; default: the powers of two "
                  "from 2^10 to 2^28 and three less, 10^6, 10^7, 2*10^7, 4*10^7"});
  line.add_value("repeat", "N",
                 [&](const std::string& value) {
                   options.repeats = static_cast<int>(parse_whole(value, 1, 10000));
                 },
                 {Group::kTask,
                  "time each row at most N times, 1 to 10000; no longer than 0.2 s after the third "
                  "time. Default: 20"});
  add_threads(line, options.threads,
              fmt::format("number of CPU threads, 1 to {}; default: one a core", kMaxThreads));
  line.add_value("json", "FILE", [&](const std::string& value) { options.json = value; },
                 {Group::kResults, "write all rows as JSON; - prints them instead of the tables"});
  line.set_exit_codes(
      "0 done; 1 a result was wrong, or a failure at run time; 2 wrong command line; 4 output "
      "refused; 130, 143 after SIGINT (Ctrl-C), SIGTERM");
  line.add_check([&](CommandLine::Problems& problems) { check_names(options, problems); });
  return line.parse(arguments);
}

void check_memory_for(std::uint64_t largest) {
  const std::uint64_t needed = largest * kBytesPerElement;
  if (needed <= physical_memory()) return;
  throw Error(ExitCode::kRuntimeFailure,
              fmt::format("--sizes: {} elements need {} of memory, this machine has {}", largest,
                          memory_text(static_cast<double>(needed)),
                          memory_text(static_cast<double>(physical_memory()))));
}

/// Returns all tables, and prints each on stdout if `shows_tables`. Runs on the calling arena.
std::vector<Table> measure_all(const Options& options, std::uint64_t largest,
                               const CopyBandwidths& copies, bool shows_tables) {
  std::vector<Table> tables;
  for (const Maker& maker : kMakers) {
    if (!is_wanted(maker, options)) continue;
    const std::unique_ptr<Primitive> primitive = maker.make(largest);
    if (shows_tables) print_out(table_head(*primitive));
    const auto on_row = [&](const Row& row) {
      if (!shows_tables) return;
      print_out(table_row(row, copies));
      finish_output();
    };
    tables.push_back({primitive->name(), primitive->text(),
                      measure(*primitive, options.sizes, options.repeats, on_row)});
    if (shows_tables) print_out(left_out(*primitive, largest));
  }
  return tables;
}

bool all_right(const std::vector<Table>& tables) {
  return std::all_of(tables.begin(), tables.end(), [](const Table& table) {
    return std::all_of(table.rows.begin(), table.rows.end(),
                       [](const Row& row) { return row.is_right; });
  });
}

int run(const Arguments& arguments) {
  Options options;
  if (!parse(arguments, options)) return 0;
  const std::uint64_t largest = *std::max_element(options.sizes.begin(), options.sizes.end());
  check_memory_for(largest);
  const std::string no_device = missing_device_reason();
  const std::string device = no_device.empty() ? cuda_devices().front().name : "";
  const CopyBandwidths copies{measure_cpu_limits(options.threads).bytes_per_second,
                              no_device.empty() ? measure_cuda_limits(0).bytes_per_second : 0};
  tbb::task_arena arena(options.threads > 0 ? options.threads : tbb::task_arena::automatic);
  const int threads = arena.max_concurrency();
  const bool shows_tables = options.json != "-";
  if (shows_tables) {
    print_out(fmt::format("{} thread{}, {}: copies {:.1f} GB/s (read and written)\n", threads,
                          threads == 1 ? "" : "s", cpu_vector_target(), copies.cpu * 1e-9));
    if (no_device.empty())
      print_out(fmt::format("{}: copies {:.0f} GB/s\n", device, copies.device * 1e-9));
  }
  std::vector<Table> tables;
  arena.execute([&] { tables = measure_all(options, largest, copies, shows_tables); });
  if (shows_tables && !no_device.empty())
    print_out(Lines("\n") + fmt::format("CPU rows only: {}\n", no_device));
  if (options.json) write_text(*options.json, tables_json(tables, copies, threads, device));
  return static_cast<int>(all_right(tables) ? ExitCode::kDone : ExitCode::kRuntimeFailure);
}

}  // namespace
}  // namespace roundel::primitives

int main(int argc, char** argv) {
  const roundel::Arguments arguments(argv + (argc > 0), argv + argc);
  return roundel::run_process([&] { return roundel::primitives::run(arguments); },
                              ": smaller --sizes need less");
}
