#pragma once
#include <string>
#include <vector>

#include "renderer/compare/comparison_run.h"

namespace roundel {

/// Writes Markdown for a pull request: a table of the first pictures that differ, with the cause,
/// the size of the difference, golden, actual and difference as STEM-pictures/NUMBER-KIND.png, at
/// most 8 bits deep; and the command that accepts these pictures. Replaces an earlier
/// summary's files. Throws Error(kOutputRefused), Error(kRuntimeFailure).
void write_markdown(const std::string& path, const ComparisonRun& run);
/// All files that write_markdown() may write.
std::vector<std::string> markdown_files(const std::string& path);
/// Removes only these. Ignores errors.
void remove_markdown_pictures(const std::string& path) noexcept;

/// At most ten commands of GitHub's runner, which shows no more, one per line, without the leading
/// "::". They show errors at the changed line of the scene, or at the golden of a run without
/// scenes. Paths in the folder `workspace`, if not empty, are relative to it.
Lines github_annotations(const ComparisonRun& run, const std::string& workspace);

}  // namespace roundel
