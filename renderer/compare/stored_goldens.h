#pragma once
#include <set>
#include <string>
#include <vector>

#include "renderer/compare/comparison_run.h"
#include "renderer/compare/golden_lock.h"
#include "renderer/compare/golden_rules.h"
#include "renderer/compare/picture.h"

namespace roundel {

struct StoredGoldens {
  std::string folder;
  std::vector<std::string> files;  ///< pictures
  GoldenLock lock;
  /// Without a picture in the run: their scenes were renamed, deleted or not given.
  std::vector<std::string> unused = {};
};
/// Returns the pictures in a folder of goldens; none if the folder is missing.
std::vector<std::string> golden_pictures(const std::string& folder);

/// Leaves `unused` empty. Throws Error if folder or lock cannot be read.
StoredGoldens find_goldens(const std::string& folder);

/// `drawn`: the run's pictures; a name ending in / stands for a film's.
std::vector<std::string> unused_goldens(const StoredGoldens& stored,
                                        const std::set<std::string>& drawn,
                                        const GoldenRules& rules);

/// An unused golden with --strict.
PairResult missing_picture(const std::string& name, const StoredGoldens& stored);

/// Adds to new pictures which unused golden has their scene and frame.
void find_renamed(const std::vector<std::string>& unused, const StoredGoldens& stored,
                  ComparisonRun& run);

struct GoldenTrial {
  PairResult result;
  Picture golden;
  Picture alike;  ///< the compared picture if it was changed by make_comparable()

  const Picture& compared(const Picture& drawn) const { return alike.width > 0 ? alike : drawn; }
};

/// Compares with one or more goldens by the rule for the picture's name. `subject`: its result so
/// far. Returns the first golden that matches, else the nearest, named in the reasons if there are
/// several. Throws Error if a golden cannot be read.
GoldenTrial try_goldens(const PairResult& subject, const std::vector<std::string>& goldens,
                        const Picture& drawn, const GoldenRules& rules, const Measures& measures);

/// `folder` has the lock.
GoldenTrial try_locked(const PairResult& subject, const LockedGolden& golden,
                       const std::string& folder, const Picture& drawn);

/// For pictures of one scene.
bool same_pixels(const Picture& a, const Picture& b);

}  // namespace roundel
