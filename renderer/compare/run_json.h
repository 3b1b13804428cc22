#pragma once
#include <nlohmann/json.hpp>
#include <string>

#include "renderer/compare/comparison_run.h"

namespace roundel {

/// "renderer changed", "scene changed", "other frame"; empty for kUnknown.
const char* origin_name(Origin origin);

/// docs/compare.md lists the keys. Infinite numbers are null.
nlohmann::ordered_json difference_json(const PictureDifference& difference);
/// Adds {same, kind, reasons} in front.
nlohmann::ordered_json difference_json(const PictureDifference& difference, const Verdict& verdict);
nlohmann::ordered_json counts_json(const RunCounts& counts);

/// On one line, with replacement characters for invalid UTF-8.
std::string dump(const nlohmann::ordered_json& json);

/// A picture per line, for results_file.h. Paths are relative to the folder of `path`; "-": to the
/// working directory.
std::string run_json(const ComparisonRun& run, const std::string& path = "-");

/// "goldens" for "goldens/"
std::string without_slash(std::string folder);

/// A result without paths and times.
nlohmann::ordered_json statement_json(const PairResult& result);

/// JUnit XML for CI systems: a test case per picture, with its reasons as the failure's text. A
/// picture that could not be compared is an error. Failures attach their existing files.
std::string run_junit(const ComparisonRun& run);

}  // namespace roundel
