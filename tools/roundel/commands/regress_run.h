#pragma once
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "renderer/compare/stored_goldens.h"
#include "renderer/machine.h"
#include "renderer/raster/rasterizer.h"
#include "renderer/scene/scene.h"
#include "tools/roundel/cli/common_options.h"
#include "tools/roundel/cli/problems.h"
#include "tools/roundel/commands/comparing.h"

namespace roundel {

struct RegressOptions {
  std::vector<std::string> scenes;
  std::string goldens;
  std::string output;  ///< folder for what differs
  std::optional<Shard> shard;
  std::optional<std::string> explain_from;  ///< another checkout of the project
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

/// A scene file that regress draws.
struct GoldenScene {
  std::string path;
  std::string name;  ///< of its goldens, without ending: "logo", or in a folder "sub/logo"
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

/// What draws each picture: one backend, or two, both of which must draw the golden.
struct RegressMachine {
  std::vector<Backend> backends;
  std::function<std::unique_ptr<Rasterizer>(Backend, const RasterOptions&)> make = make_rasterizer;
};

/// Draws the subjects and compares each with its golden: small pictures side by side, a thread
/// each, large ones one after the other on all threads. Keeps what differs for accept, with the
/// names of goldens that are unused; where the list of it cannot be written, that goes to
/// `problems`. The results have the order of the subjects.
ComparisonRun draw_and_compare(const std::vector<Subject>& subjects, const RegressOptions& options,
                               const GoldenRules& rules, const StoredGoldens& stored,
                               const RegressMachine& machine, Problems& problems);

/// Throws Error(kUsage), with the command that makes one, where the folder of --explain-from does
/// not exist.
void check_checkout(const std::string& folder);

/// Explains pictures that differ, but for those of which the renderer changed: draws each scene as
/// it is in another checkout of the project, under the same path from the working directory on, and
/// says in the result's `explanation` why the two pictures differ, or why it cannot be told.
void explain_failures(const std::string& checkout, const std::vector<Subject>& subjects,
                      const SceneOverrides& overrides, ComparisonRun& run);

}  // namespace roundel
