#include "tools/roundel/cli/machine_options.h"

#include <fmt/format.h>

#include "tools/roundel/cli/common_options.h"
#include "tools/roundel/cli/values.h"

namespace roundel {
namespace {

constexpr int kMaxDevice = 255;

std::vector<int> parse_devices(const std::string& text) {
  std::vector<int> devices;
  for (std::size_t begin = 0; begin <= text.size();) {
    const std::size_t comma = std::min(text.find(',', begin), text.size());
    devices.push_back(
        static_cast<int>(parse_whole(text.substr(begin, comma - begin), 0, kMaxDevice)));
    begin = comma + 1;
  }
  return devices;
}

}  // namespace

void add_backend(CommandLine& line, BackendChoice& backend, const std::string& help) {
  line.add_value(
      "backend", "NAME",
      [&backend](const std::string& value) {
        if (value == "auto") {
          backend = BackendChoice::kAuto;
        } else if (value == "cpu") {
          backend = BackendChoice::kCpu;
        } else if (value == "cuda") {
          backend = BackendChoice::kCuda;
        } else {
          throw Expected{"auto, cpu or cuda"};
        }
      },
      help);
}

void add_machine(CommandLine& line, MachineOptions& options) {
  add_backend(
      line, options.backend,
      "auto, cpu or cuda; auto is cuda where a device is present, but cpu where that is expected "
      "to "
      "be done before CUDA has started: (circles + pixels) x 60 ns / threads below 300 ms; the "
      "pictures are the same (default: auto)");
  line.add_value(
      "device", "N",
      [&options](const std::string& value) {
        options.devices = parse_devices(value);
        options.raster.device = options.devices.front();
      },
      "number of the CUDA device, as listed by \"roundel info\"; several, as in 0,2, for a "
      "sequence (default: 0, for a sequence all)");
  add_threads(line, options.raster.threads,
              fmt::format("number of CPU threads, 1 to {} (default: one a core)", kMaxThreads));
  add_memory(line, options.raster.memory_budget,
             "the most main memory that a picture may take beyond the program itself: circles, "
             "lists, unfinished pixels, the picture and its file (with --backend cuda: device "
             "memory for circles, lists and pixels); in bytes, or with K, M, G, T as in 512M, 8G; "
             "at least 1M; what does not fit at once is drawn in chunks, with the same result, and "
             "what cannot be had is refused with what it needs (default: a quarter of the memory "
             "for lists and unfinished pixels)");
}

void add_verbose(CommandLine& line, Verbosity& verbosity, const std::string& help) {
  line.add_switch(
      "verbose,v", [&verbosity] { verbosity = Verbosity::kVerbose; }, help);
}

void add_scenes(CommandLine& line, std::vector<std::string>& scenes) {
  line.add_arguments("SCENE...", 1, kAnyNumber, scenes, "scene files (YAML)");
}

}  // namespace roundel
