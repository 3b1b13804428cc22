#pragma once
#include <cstddef>
#include <string>

#include "tools/roundel/options.h"

namespace roundel {

struct ExplainDifferenceOptions {
  std::string scene_a, scene_b;
  SceneOptions scene;               ///< for both
  std::size_t limit = 20;           ///< circles listed at most
  std::uint64_t memory_budget = 0;  ///< bytes for lists; 0: the renderer's choice
  bool json = false;
};

/// Renders both scenes and prints, on stdout, which circles are responsible for the largest cluster
/// of differing pixels. Returns the exit code of diff: 0 where no pixel differs, not even in float;
/// 1 where some do; 2 where a scene is wrong, with all reasons on stderr. Throws Error where the
/// pictures are of other size or channels, or cannot be drawn.
int run_explain_difference(const ExplainDifferenceOptions& options);

}  // namespace roundel
