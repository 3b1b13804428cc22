#pragma once
#include <functional>
#include <string>

#include "renderer/compare/comparison_run.h"
#include "tools/roundel/run_options.h"

namespace roundel {

enum CompareExitCode : int { kSame = 0, kDiffer = 1, kCouldNotCompare = 2 };

/// Runs a command that compares. Whatever goes wrong in it: 1 would say that the pictures differ.
int run_comparing(const std::function<int()>& command);

/// The manifest's rules, and `tolerance` for pictures without one.
GoldenRules load_rules(const RunFiles& files, const std::string& golden_folder,
                       const Tolerance& tolerance);

/// Writes the files that were asked for, prints a line for each picture that is not the same and
/// one for all, and returns the exit code.
int finish_run(const ComparisonRun& run, const GoldenRules& rules, const RunFiles& files,
               Verbosity verbosity);

}  // namespace roundel
