#include "tools/roundel/cli/common_options.h"

#include <fmt/format.h>

#include <limits>
#include <tuple>

#include "tools/roundel/cli/values.h"

namespace roundel {

const char* const kExitCodes =
    "Exit codes: 0 done; 1 failed at run time, may succeed when tried again; 2 wrong command line; "
    "3 scene or data invalid; 4 output refused (exists, or is not writable); 5 some of the scenes "
    "failed; 130, 143 after SIGINT, SIGTERM. A failed or interrupted run leaves no partial file.";

void add_size(CommandLine& line, SceneOptions& options) {
  line.add_value(
      "size", "WxH",
      [&options](const std::string& value) {
        std::tie(options.overrides.width, options.overrides.height) = parse_size(value);
      },
      fmt::format("width and height in pixels, 1 to {} each, instead of the scene's",
                  kMaxImageSide));
}

void add_seed(CommandLine& line, SceneOptions& options) {
  line.add_value(
      "seed", "S",
      [&options](const std::string& value) {
        options.overrides.seed = static_cast<std::uint32_t>(
            parse_whole(value, 0, std::numeric_limits<std::uint32_t>::max()));
      },
      "seed of the random numbers, 0 to 4294967295, instead of the scene's");
}

void add_seed_and_frame(CommandLine& line, SceneOptions& options) {
  add_seed(line, options);
  line.add_value(
      "frame", "N",
      [&options](const std::string& value) { options.frame = parse_whole(value, 0, kMaxFrame); },
      fmt::format("frame number, 0 to {}: the state after N steps of 1/60 s (default: the first "
                  "one of the scene's animation, else 0)",
                  kMaxFrame));
}

void add_threads(CommandLine& line, int& threads, const std::string& help) {
  line.add_value(
      "threads", "N",
      [&threads](const std::string& value) {
        threads = static_cast<int>(parse_whole(value, 1, kMaxThreads, "threads"));
      },
      help);
}

void add_memory(CommandLine& line, std::uint64_t& budget, const std::string& help) {
  line.add_value(
      "memory", "SIZE", [&budget](const std::string& value) { budget = parse_memory(value); },
      help);
}

void add_quiet(CommandLine& line, Verbosity& verbosity, const std::string& help) {
  line.add_switch(
      "quiet,q", [&verbosity] { verbosity = Verbosity::kQuiet; }, help);
}

}  // namespace roundel
