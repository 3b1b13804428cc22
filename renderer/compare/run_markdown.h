#pragma once
#include <string>
#include <vector>

#include "renderer/compare/comparison_run.h"

namespace roundel {

/// Writes a run as Markdown for a pull request: a table of the first pictures that are not the
/// same, with golden, actual and difference in files beside it, STEM-pictures/NUMBER-KIND.png, at
/// most 8 bits deep. An earlier summary's are removed first. Throws Error(kOutputRefused),
/// Error(kRuntimeFailure).
void write_markdown(const std::string& path, const ComparisonRun& run);
/// All files that it may write.
std::vector<std::string> markdown_files(const std::string& path);
/// Removes those pictures, and nothing else. What cannot be removed stays.
void remove_markdown_pictures(const std::string& path) noexcept;

/// Commands that GitHub's runner shows as errors at the goldens, one a line without the "::" that
/// it begins with, for the first pictures that are not the same.
Lines github_annotations(const ComparisonRun& run);

}  // namespace roundel
