#pragma once
#include <cstdint>
#include <string>

#include "renderer/compare/comparison_run.h"

namespace roundel {

/// CI systems keep files of some hundred MB.
inline constexpr std::uint64_t kReportBytes = std::uint64_t{256} << 20;

/// Writes FOLDER/index.html, which shows a run in a browser without server or network, and pictures
/// of failures as FOLDER/pictures/NUMBER.js, at most `picture_bytes` in all. Makes the folder;
/// replaces an earlier report. Equal runs give equal files. Throws Error(kOutputRefused) if
/// index.html is not a report or the folder is not writable; Error(kRuntimeFailure).
void write_report(const std::string& folder, const ComparisonRun& run,
                  std::uint64_t picture_bytes = kReportBytes);

/// FOLDER/index.html
std::string report_page_path(const std::string& folder);

/// Removes only the files of a report. Ignores errors.
void remove_report(const std::string& folder) noexcept;

}  // namespace roundel
