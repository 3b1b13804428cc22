#pragma once
#include <cstdint>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "renderer/compare/comparison_run.h"
#include "renderer/scene/scene.h"
#include "tools/roundel/cli/common_options.h"
#include "tools/roundel/compare/comparing.h"
#include "tools/roundel/compare/scene_files.h"

namespace roundel {

struct RegressOptions {
  std::vector<std::string> scenes;
  std::string goldens;
  std::string output;  ///< folder for what differs
  std::optional<Shard> shard;
  std::optional<std::string> explain_from;  ///< a revision of git's
  int retries = 0;                          ///< of pictures that differ
  bool is_strict = false;                   ///< goldens of no picture fail
  FramesOption frames;
  SceneOptions scene;
  MachineOptions machine;
  std::optional<ImageFormat> format;  ///< of goldens; else what they are, PNG where there are none
  bool is_on_both = false;            ///< backends, whatever `machine` says of them
  RunFiles files;
  Tolerance tolerance;  ///< of pictures without a rule in the manifest
  Measures measures;
  Verbosity verbosity = Verbosity::kNormal;
};

/// One picture to draw and to compare.
struct Subject {
  const Scene* scene;
  std::int64_t frame;
  std::string name;  ///< of its golden
};

/// What is known before anything is drawn.
struct RegressPlan {
  std::vector<GoldenScene> files;
  std::vector<Scene> scenes;  ///< as given, but those that could not be read
  std::vector<Subject> subjects;
  std::vector<PairResult> broken;  ///< one for each scene that cannot be drawn
};

/// Reads the scenes; one that cannot be drawn does not keep the others from it. Throws
/// Error(kUsage) for scenes whose goldens could not have their names.
RegressPlan make_regress_plan(const RegressOptions& options);

/// Of all pictures; a name that ends in / stands for a film's.
std::set<std::string> names_of(const RegressPlan& plan);

/// Leaves what this share is to do. Films stay in one piece as far as they can.
void keep_share(const Shard& shard, RegressPlan& plan, std::vector<std::string>& unused);

}  // namespace roundel
