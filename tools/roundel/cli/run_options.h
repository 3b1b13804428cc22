#pragma once
#include <optional>
#include <string>
#include <vector>

#include "renderer/compare/golden_rules.h"
#include "tools/roundel/cli/command_line.h"
#include "tools/roundel/cli/options.h"

namespace roundel {

/// Files that the commands which compare many pictures read and write.
struct RunFiles {
  std::optional<std::string> manifest;  ///< default: goldens.yaml with the goldens, if it is there
  std::optional<std::string> report, junit, json;  ///< json may be "-"
};
/// All but --json.
void add_run_files(CommandLine& line, RunFiles& files);
/// What holds for all of them, for the notes below the options.
extern const char* const kResultsNote;

/// `roundel regress`
struct RegressOptions {
  std::vector<std::string> scenes;
  std::string goldens;
  std::string output;  ///< folder for what differs
  std::optional<FrameList> frames;
  bool all_frames = false;
  SceneOptions scene;
  MachineOptions machine;
  RunFiles files;
  Tolerance tolerance;  ///< of pictures without a rule in the manifest
  Measures measures;
  Verbosity verbosity = Verbosity::kNormal;
};

/// `roundel accept`
struct AcceptOptions {
  std::vector<std::string> names;
  bool all = false;
  std::string output;                  ///< folder that regress has written to
  std::optional<std::string> goldens;  ///< default: the folder that regress has compared with
  Verbosity verbosity = Verbosity::kNormal;
};
inline constexpr const char* kRegressOutput = "regress-output";

bool parse(const Arguments& arguments, RegressOptions& options);
bool parse(const Arguments& arguments, AcceptOptions& options);

}  // namespace roundel
