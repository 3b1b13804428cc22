#pragma once
#include <set>
#include <string>
#include <vector>

#include "renderer/compare/comparison_run.h"
#include "renderer/compare/golden_lock.h"
#include "renderer/compare/golden_rules.h"
#include "renderer/compare/picture.h"

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

/// With --strict a golden of no picture is a result, too.
PairResult missing_picture(const std::string& name, const StoredGoldens& stored);

/// Says of new pictures which of the unused goldens is of the same scene and frame.
void find_renamed(const std::vector<std::string>& unused, const StoredGoldens& stored,
                  ComparisonRun& run);

/// A picture that was drawn, held against one of its goldens.
struct GoldenTrial {
  PairResult result;
  Picture golden;
  Picture alike;  ///< what was compared, where that is not the picture as it was drawn

  const Picture& compared(const Picture& drawn) const { return alike.width > 0 ? alike : drawn; }
};

/// Compares a picture with its goldens, one file at least, by the rule for its name. `subject`: its
/// result so far. Gives the first that it equals, else the one that is nearest, which the reasons
/// name where there are several. Throws Error where a golden cannot be read.
GoldenTrial try_goldens(const PairResult& subject, const std::vector<std::string>& goldens,
                        const Picture& drawn, const GoldenRules& rules, const Measures& measures);

/// The same with what a lock in `folder` has of the golden.
GoldenTrial try_locked(const PairResult& subject, const LockedGolden& golden,
                       const std::string& folder, const Picture& drawn);

/// True for pictures of one scene that hold the same bits.
bool same_pixels(const Picture& a, const Picture& b);

}  // namespace roundel
