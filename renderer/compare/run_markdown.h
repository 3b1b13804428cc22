#pragma once
#include <string>
#include <vector>

#include "renderer/compare/comparison_run.h"

namespace roundel {

/// Writes Markdown for a pull request: a table of the first pictures that differ, with golden,
/// actual and difference as STEM-pictures/NUMBER-KIND.png, at most 8 bits deep. Replaces an earlier
/// summary's files. Throws Error(kOutputRefused), Error(kRuntimeFailure).
void write_markdown(const std::string& path, const ComparisonRun& run);
/// All files that write_markdown() may write.
std::vector<std::string> markdown_files(const std::string& path);
/// Removes only these. Ignores errors.
void remove_markdown_pictures(const std::string& path) noexcept;

/// GitHub runner's commands that show errors at the goldens of the first pictures that differ, one
/// per line, without the leading "::".
Lines github_annotations(const ComparisonRun& run);

}  // namespace roundel
