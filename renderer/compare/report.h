#pragma once
#include <cstdint>
#include <string>

#include "renderer/compare/comparison_run.h"

namespace roundel {

/// What the pictures of a report may take on disk: CI systems keep files of some hundred MB.
inline constexpr std::uint64_t kReportBytes = std::uint64_t{256} << 20;

/// Writes FOLDER/index.html, which shows a run in a browser without server or network, and the
/// pictures of what failed as FOLDER/pictures/NUMBER.js, at most `picture_bytes` of them: the
/// others are reported without. Makes the folder; replaces an earlier report in it. The same run
/// gives the same files. Throws Error(kOutputRefused) where an index.html is there that is no
/// report, or the folder cannot be written to; Error(kRuntimeFailure).
void write_report(const std::string& folder, const ComparisonRun& run,
                  std::uint64_t picture_bytes = kReportBytes);

/// FOLDER/index.html
std::string report_page_path(const std::string& folder);

/// Removes a report that write_report has written there, and nothing else. What cannot be removed
/// stays.
void remove_report(const std::string& folder) noexcept;

}  // namespace roundel
