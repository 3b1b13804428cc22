#pragma once
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "renderer/compare/stored_goldens.h"
#include "renderer/machine_options.h"
#include "renderer/raster/rasterizer.h"
#include "renderer/scene/scene.h"
#include "tools/roundel/cli/common_options.h"
#include "tools/roundel/cli/problems.h"
#include "tools/roundel/commands/comparing.h"

namespace roundel {

struct RegressOptions {
  std::vector<std::string> scenes;
  std::string goldens;
  std::string output;  ///< folder for differing pictures
  std::optional<Shard> shard;
  std::optional<std::string> explain_from;  ///< another checkout of the project
  int retries = 0;                          ///< for differing pictures
  bool keeps_same = false;                  ///< also equal pictures, for accept
  bool is_strict = false;                   ///< unused goldens fail
  FramesOption frames;
  SceneOptions scene;
  MachineOptions machine;
  std::optional<ImageFormat> format;  ///< format of goldens; default: theirs, or PNG for new ones
  bool is_on_both = false;            ///< both backends, instead of `machine`'s
  RunFiles files;
  Tolerance tolerance;  ///< for pictures without a rule in the manifest
  Measures measures;
  Verbosity verbosity = Verbosity::kNormal;
};

struct GoldenScene {
  std::string path;
  std::string name;  ///< name of its goldens, without extension: "logo", or in a folder "sub/logo"
};

/// One picture to draw and to compare.
struct Subject {
  const Scene* scene;
  std::int64_t frame;
  std::string name;  ///< name of its golden
};

/// Facts known before any drawing.
struct RegressPlan {
  std::vector<GoldenScene> files;
  std::vector<Scene> scenes;  ///< in the given order, without unreadable ones
  std::vector<Subject> subjects;
  std::vector<PairResult> broken;  ///< one for each scene that cannot be drawn
};

/// Reads the scenes; a scene that cannot be drawn does not affect the others. Throws Error(kUsage)
/// for scenes whose goldens could not have their names.
RegressPlan make_regress_plan(const RegressOptions& options);

/// Returns the names of all pictures; a name that ends in / stands for a film's.
std::set<std::string> names_of(const RegressPlan& plan);

/// Keeps the work of this share. Films stay in one piece if possible.
void keep_share(const Shard& shard, RegressPlan& plan, std::vector<std::string>& unused);

/// The rasterizers of each picture: one backend, or two, both of which must draw the golden.
struct RegressMachine {
  std::vector<Backend> backends;
  std::function<std::unique_ptr<Rasterizer>(Backend, const RasterOptions&)> make = make_rasterizer;
};

/// Draws the subjects and compares each with its golden: small pictures one a thread, large ones in
/// order on all threads. Keeps differing pictures for accept, with the names of unused goldens; an
/// error about their list goes to `problems`. The results are in the order of the subjects.
ComparisonRun draw_and_compare(const std::vector<Subject>& subjects, const RegressOptions& options,
                               const GoldenRules& rules, const StoredGoldens& stored,
                               const RegressMachine& machine, Problems& problems);

/// Throws Error(kUsage), with the command that makes it, if the folder of --explain-from does not
/// exist.
void check_checkout(const std::string& folder);

/// Explains differing pictures, unless they differ because the renderer changed: draws each scene
/// as in another checkout of the project, under the same path below the working directory, and
/// stores in the result's `explanation` why the two pictures differ, or why this is unknown.
void explain_failures(const std::string& checkout, const std::vector<Subject>& subjects,
                      const SceneOverrides& overrides, ComparisonRun& run);

}  // namespace roundel
