#pragma once
#include <nlohmann/json.hpp>
#include <string>

#include "renderer/compare/comparison_run.h"

namespace roundel {

/// "renderer changed", "scene changed", "other frame"; empty for kUnknown.
const char* origin_name(Origin origin);

/// A difference as JSON; docs/compare.md lists the keys. Infinite numbers are null.
nlohmann::ordered_json difference_json(const PictureDifference& difference);
/// Adds {same, kind, reasons} in front.
nlohmann::ordered_json difference_json(const PictureDifference& difference, const Verdict& verdict);
nlohmann::ordered_json counts_json(const RunCounts& counts);

/// Prints JSON on one line, with replacement characters for invalid UTF-8.
std::string dump(const nlohmann::ordered_json& json);

/// A run as JSON, a picture per line, for results_file.h. `path`: the file to write, to whose
/// folder its paths are relative; "-": relative to the working directory.
std::string run_json(const ComparisonRun& run, const std::string& path = "-");

/// Returns "goldens" for "goldens/".
std::string without_slash(std::string folder);

/// The statement of a result, without paths and times.
nlohmann::ordered_json statement_json(const PairResult& result);

/// A run for CI systems: JUnit XML with a test case per picture and its reasons as the failure's
/// text. A picture that could not be compared is an error. Failures have their existing files as
/// attachments.
std::string run_junit(const ComparisonRun& run);

}  // namespace roundel
