#pragma once
#include <nlohmann/json.hpp>
#include <string>

#include "renderer/compare/comparison_run.h"

namespace roundel {

/// "renderer changed", "scene changed", "other frame"; empty for kUnknown.
const char* origin_name(Origin origin);

/// A difference for programs; docs/compare.md lists the keys. Numbers that are infinite are null.
nlohmann::ordered_json difference_json(const PictureDifference& difference);
/// The same, after {same, kind, reasons}.
nlohmann::ordered_json difference_json(const PictureDifference& difference, const Verdict& verdict);
nlohmann::ordered_json counts_json(const RunCounts& counts);

/// On one line, names that are not UTF-8 with replacement characters.
std::string dump(const nlohmann::ordered_json& json);

/// A run for programs, a picture a line, as results_file.h reads it. `path`: of the file that it is
/// for, to whose folder the paths in it are relative; "-": to the working directory.
std::string run_json(const ComparisonRun& run, const std::string& path = "-");

/// "goldens" for "goldens/".
std::string without_slash(std::string folder);

/// What a result says, without paths and times.
nlohmann::ordered_json statement_json(const PairResult& result);

/// A run for CI systems: JUnit's XML, a test case a picture, its reasons as the failure's text;
/// what could not be compared is an error. Those that are not the same have their pictures, as far
/// as they are files, as attachments.
std::string run_junit(const ComparisonRun& run);

}  // namespace roundel
