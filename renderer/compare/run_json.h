#pragma once
#include <string>

#include "renderer/compare/comparison_run.h"

namespace roundel {

/// A run for programs, pictures by name: {title, counts {…}, pictures [{name, state, rule, origin,
/// golden, actual, reasons, difference}]}. Ends with a line feed.
std::string run_json(const ComparisonRun& run);

/// A run for CI systems: JUnit's XML, a test case a picture, its reasons as the failure's text;
/// what could not be compared is an error.
std::string run_junit(const ComparisonRun& run);

}  // namespace roundel
