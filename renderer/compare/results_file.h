#pragma once
#include <optional>
#include <string>
#include <vector>

#include "renderer/base/lines.h"
#include "renderer/compare/comparison_run.h"
#include "renderer/format/format_errors.h"

namespace roundel {

/// A parsed file of run_json().
struct ResultsFile {
  std::string path;
  ComparisonRun run;
  std::vector<Place> places;  ///< each result's
};

/// Checks the file as scenes are checked. Its paths become relative to the working directory;
/// `golden_folder` replaces the file's. A missing mask is empty, and so fits no picture. Throws as
/// load_scene does: every problem with its place.
ResultsFile read_results(const std::string& path, const std::optional<std::string>& golden_folder);
ResultsFile parse_results(std::string_view text, const std::string& path,
                          const std::optional<std::string>& golden_folder);

/// Removes pictures that may belong to others, since a file of results may come from anywhere.
/// Pictures must lie below the file's folder, without links; all but images of differences also in
/// `golden_folder`, which a person has named.
struct RefusedPictures {
  std::vector<std::string> goldens;  ///< warnings about results that need their golden
  Lines others;                      ///< problems of the file, with places
};
RefusedPictures refuse_pictures_elsewhere(const std::optional<std::string>& golden_folder,
                                          ResultsFile& file);

/// Merges results into one run, by name. A missing share becomes a result that was not compared.
/// Throws Error(kInvalidScene) if two results of a name disagree.
ComparisonRun merge_results(const std::vector<ResultsFile>& files);

}  // namespace roundel
