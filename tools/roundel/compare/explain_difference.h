#pragma once
#include <cstddef>
#include <optional>
#include <string>

#include "tools/roundel/cli/command_line.h"
#include "tools/roundel/cli/common_options.h"

namespace roundel {

/// `roundel diff --explain SCENE_A SCENE_B`.
struct ExplainDifferenceOptions {
  bool is_wanted = false;
  SceneOptions scene;                   ///< for both
  std::optional<std::size_t> clusters;  ///< explained at most
  std::optional<std::size_t> limit;     ///< circles listed at most of each
};

/// The option --explain and those that only go with it.
void add_explain(CommandLine& line, ExplainDifferenceOptions& options);

/// Renders both scenes and says, on stdout, which circles are responsible for the largest
/// clusters of differing pixels. Returns the exit code of diff: 0 where no pixel differs, not even
/// in float; 1 where some do; 2 where a scene is wrong, with all reasons on stderr. Throws Error
/// where the pictures cannot be drawn. `json`: a file, or "-" for stdout, then instead of the
/// table.
int run_explain_difference(const std::string& scene_a, const std::string& scene_b,
                           const ExplainDifferenceOptions& options,
                           const std::optional<std::string>& json, Verbosity verbosity);

}  // namespace roundel
