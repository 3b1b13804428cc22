#pragma once
#include <set>
#include <string>
#include <vector>

#include "renderer/compare/comparison_run.h"

namespace roundel {

/// The goldens in a folder of no picture of a run: of scenes that were renamed or deleted, or not
/// given. `drawn`: the names of the run's pictures; a name that ends in / stands for a film's.
std::vector<std::string> unused_goldens(const std::string& folder,
                                        const std::set<std::string>& drawn,
                                        const GoldenRules& rules);
void print_unused_goldens(const std::vector<std::string>& unused, const std::string& folder);

/// With --strict a golden of no picture is a result, too.
PairResult missing_picture(const std::string& name, const std::string& folder);

/// Says of new pictures which of the unused goldens is of the same scene and frame.
void find_renamed(const std::vector<std::string>& unused, const std::string& folder,
                  ComparisonRun& run);

}  // namespace roundel
