#include <fmt/format.h>

#include "renderer/generate/generate.h"
#include "renderer/raster/tile_grid.h"
#include "renderer/render.h"
#include "renderer/scene/fingerprint.h"
#include "renderer/scene/text.h"
#include "tools/roundel/commands.h"
#include "tools/roundel/output_path.h"
#include "tools/roundel/problems.h"
#include "tools/roundel/requirements.h"
#include "tools/roundel/terminal.h"

namespace roundel {
namespace {

/// Generates the circles, which checks the values of data files, and says what the frame needs.
std::string describe(const Scene& scene, const ValidateOptions& options) {
  const ImageFormat format = output_format(scene);
  const std::uint64_t count = count_circles(scene);
  const std::uint64_t in_memory = circles_in_memory(scene);
  const std::uint64_t list_budget = options.memory_budget;
  if (scene.output) {
    check_feasible(scene, format, in_memory, list_budget);
  } else {
    check_memory(scene, memory_needed(scene.image, format, in_memory, in_memory, list_budget));
  }

  const std::uint64_t overlaps =
      count_overlaps(scene, options.scene.frame.value_or(scene.default_frame()));
  const double chunk = count > 0 ? static_cast<double>(in_memory) / static_cast<double>(count) : 1;
  const auto listed = static_cast<std::uint64_t>(chunk * static_cast<double>(overlaps));
  const std::uint64_t memory = memory_needed(scene.image, format, in_memory, listed, list_budget);
  return fmt::format("{}: valid\n", scene.path) +
         fmt::format("  size         {}x{} pixels\n", scene.image.width, scene.image.height) +
         fmt::format("  circles      {}\n", with_commas(count)) +
         fmt::format("  overlaps     {} with bins of {} pixels\n", with_commas(overlaps),
                     kCpuBinSize) +
         fmt::format("  memory       {}\n", memory_text(static_cast<double>(memory))) +
         fmt::format("  fingerprint  {}\n", fingerprint(scene));
}

}  // namespace

int run_validate(const Arguments& arguments) {
  ValidateOptions options;
  if (!parse(arguments, options)) return 0;
  Problems problems;
  for (const Scene& scene : load_scenes(options.scenes, options.scene.overrides, problems)) {
    problems.attempt([&] {
      const std::string description = describe(scene, options);
      if (options.verbosity != Verbosity::kQuiet) print_out(description);
    });
  }
  return static_cast<int>(problems.exit_code());
}

}  // namespace roundel
