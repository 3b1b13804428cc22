#pragma once
#include <string>
#include <vector>

#include "renderer/compare/comparison_run.h"
#include "tools/roundel/compare/regress_plan.h"

namespace roundel {

/// Draws the scenes of pictures that differ, but for those of which the renderer changed, as they
/// were at a revision of the git repository that they are in, with their data of then, and says in
/// each result's `explanation` why the two pictures differ. What keeps a scene from it is said
/// there, too.
void explain_failures(const std::string& revision, const std::vector<Subject>& subjects,
                      const SceneOverrides& overrides, ComparisonRun& run);

}  // namespace roundel
