#include "tools/roundel/diff_folders.h"

#include <fmt/format.h>

#include "renderer/base/error.h"
#include "renderer/compare/compare_folders.h"
#include "tools/roundel/run_report.h"

namespace roundel {

int diff_folders(const std::string& golden_folder, const std::string& actual_folder,
                 const RunOptions& options, Verbosity verbosity) {
  const GoldenRules rules = load_rules(options, golden_folder);
  const ComparisonRun run =
      compare_folders(golden_folder, actual_folder, rules, options.measures);
  if (run.results.empty()) {
    throw Error(ExitCode::kInvalidScene, fmt::format("{} and {}: expected pictures (.png, .exr or "
                                                     ".pfm) in them, there are none",
                                                     golden_folder, actual_folder));
  }
  return finish_run(run, rules, options, verbosity);
}

}  // namespace roundel
