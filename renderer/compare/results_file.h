#pragma once
#include <optional>
#include <string>
#include <vector>

#include "renderer/compare/comparison_run.h"
#include "renderer/scene/scene_errors.h"

namespace roundel {

/// A file that run_json() has made, read back.
struct ResultsFile {
  std::string path;
  ComparisonRun run;
  std::vector<Place> places;  ///< of the results
};

/// Reads and checks it as scenes are. Paths in it become those from the working directory on; what
/// the file says of the folder of goldens counts unless `golden_folder` is another one. A mask that
/// is not there has no pixels, and so fits no picture. Throws as load_scene does: every problem
/// with its place.
ResultsFile read_results(const std::string& path, const std::optional<std::string>& golden_folder);
ResultsFile parse_results(std::string_view text, const std::string& path,
                          const std::optional<std::string>& golden_folder);

/// One run of all, by name. A share that is not there becomes a result that was not compared.
/// Throws Error(kInvalidScene) where a name has two results that say different things.
ComparisonRun merge_results(const std::vector<ResultsFile>& files);

}  // namespace roundel
