#pragma once
#include <string>
#include <vector>

#include "renderer/compare/comparison_run.h"

namespace roundel {

/// Writes a run as Markdown for a pull request: a table of the first pictures that differ, with
/// golden, actual and difference in files beside it, STEM-pictures/NUMBER-KIND.png, at most 8 bits
/// deep. Removes the files of an earlier summary first. Throws Error(kOutputRefused),
/// Error(kRuntimeFailure).
void write_markdown(const std::string& path, const ComparisonRun& run);
/// Returns all files that write_markdown() may write.
std::vector<std::string> markdown_files(const std::string& path);
/// Removes only these pictures. Ignores errors.
void remove_markdown_pictures(const std::string& path) noexcept;

/// Commands that make GitHub's runner show errors at the goldens of the first pictures that differ,
/// one per line, without the leading "::".
Lines github_annotations(const ComparisonRun& run);

}  // namespace roundel
