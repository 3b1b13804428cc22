#include "tools/roundel/commands/diff_folders.h"

#include <fmt/format.h>

#include "renderer/base/error.h"
#include "renderer/compare/compare_folders.h"
#include "tools/roundel/cli/process.h"
#include "tools/roundel/commands/comparing.h"

namespace roundel {

int diff_folders(const DiffOptions& options) {
  set_log_level(options.verbosity);
  RunFiles files = options.files;
  files.json = options.json;
  const GoldenRules rules = load_rules(files, options.a, options.tolerance);
  const ComparisonRun run = compare_folders(options.a, options.b, rules, options.measures);
  if (run.results.empty()) {
    throw Error(ExitCode::kInvalidScene,
                fmt::format("{} and {}: expected pictures (.png, .exr or .pfm), got none",
                            options.a, options.b));
  }
  return finish_run(run, rules, files, options.verbosity);
}

}  // namespace roundel
