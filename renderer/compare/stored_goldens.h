#pragma once
#include <set>
#include <string>
#include <vector>

#include "renderer/compare/comparison_run.h"
#include "renderer/compare/golden_lock.h"
#include "renderer/compare/golden_rules.h"
#include "renderer/compare/picture.h"

namespace roundel {

/// Existing goldens.
struct StoredGoldens {
  std::string folder;
  std::vector<std::string> files;  ///< names of pictures
  GoldenLock lock;
  /// Goldens without a picture in the run: of scenes that were renamed, deleted or not given.
  std::vector<std::string> unused = {};
};
/// Leaves `unused` empty. Throws Error if folder or lock cannot be read.
StoredGoldens find_goldens(const std::string& folder);

/// `drawn`: names of the run's pictures; a name ending in / stands for a film's pictures.
std::vector<std::string> unused_goldens(const StoredGoldens& stored,
                                        const std::set<std::string>& drawn,
                                        const GoldenRules& rules);

/// The result for an unused golden with --strict.
PairResult missing_picture(const std::string& name, const StoredGoldens& stored);

/// Notes on new pictures which unused golden has the same scene and frame.
void find_renamed(const std::vector<std::string>& unused, const StoredGoldens& stored,
                  ComparisonRun& run);

/// A drawn picture, compared with one of its goldens.
struct GoldenTrial {
  PairResult result;
  Picture golden;
  Picture alike;  ///< the compared picture, if make_alike() changed it

  const Picture& compared(const Picture& drawn) const { return alike.width > 0 ? alike : drawn; }
};

/// Compares a picture with its goldens, at least one file, by the rule for its name. `subject`: its
/// result so far. Returns the first golden that matches, else the nearest; with several goldens the
/// reasons name it. Throws Error if a golden cannot be read.
GoldenTrial try_goldens(const PairResult& subject, const std::vector<std::string>& goldens,
                        const Picture& drawn, const GoldenRules& rules, const Measures& measures);

/// Compares with a golden in the lock of `folder`.
GoldenTrial try_locked(const PairResult& subject, const LockedGolden& golden,
                       const std::string& folder, const Picture& drawn);

/// True for pictures of one scene with the same bits.
bool same_pixels(const Picture& a, const Picture& b);

}  // namespace roundel
