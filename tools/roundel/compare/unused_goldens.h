#pragma once
#include <set>
#include <string>
#include <vector>

#include "renderer/compare/comparison_run.h"
#include "renderer/compare/golden_lock.h"

namespace roundel {

/// The goldens that there are.
struct StoredGoldens {
  std::string folder;
  std::vector<std::string> files;  ///< names of pictures
  GoldenLock lock;
  /// Names of no picture of a run: of scenes that were renamed or deleted, or not given.
  std::vector<std::string> unused = {};
};
/// Without those that are unused. Throws Error where folder or lock cannot be read.
StoredGoldens find_goldens(const std::string& folder);

/// `drawn`: the names of the run's pictures; a name that ends in / stands for a film's.
std::vector<std::string> unused_goldens(const StoredGoldens& stored,
                                        const std::set<std::string>& drawn,
                                        const GoldenRules& rules);
void print_unused_goldens(const StoredGoldens& stored);

/// With --strict a golden of no picture is a result, too.
PairResult missing_picture(const std::string& name, const StoredGoldens& stored);

/// Says of new pictures which of the unused goldens is of the same scene and frame.
void find_renamed(const std::vector<std::string>& unused, const StoredGoldens& stored,
                  ComparisonRun& run);

}  // namespace roundel
