#pragma once
#include <optional>
#include <string>
#include <vector>

#include "renderer/base/lines.h"
#include "renderer/compare/comparison_run.h"
#include "renderer/format/format_errors.h"

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

/// Takes from the results the pictures that may be somebody else's: a file of results may come from
/// anywhere. Pictures lie below the file's folder, and no link below it leads to them; those that
/// are not images of differences may also lie in `golden_folder`, which a person has named.
struct RefusedPictures {
  std::vector<std::string> goldens;  ///< lines for warnings, of results that need their golden
  Lines others;                      ///< lines with the places of what is wrong with the file
};
RefusedPictures refuse_pictures_elsewhere(const std::optional<std::string>& golden_folder,
                                          ResultsFile& file);

/// One run of all, by name. A share that is not there becomes a result that was not compared.
/// Throws Error(kInvalidScene) where a name has two results that say different things.
ComparisonRun merge_results(const std::vector<ResultsFile>& files);

}  // namespace roundel
