#include <fmt/format.h>

#include "renderer/base/error.h"
#include "renderer/compare/pending_goldens.h"
#include "renderer/scene/text.h"
#include "tools/roundel/commands.h"
#include "tools/roundel/problems.h"
#include "tools/roundel/run_report.h"
#include "tools/roundel/terminal.h"

namespace roundel {
namespace {

/// The pictures to accept; throws Error(kUsage) naming every argument that means none.
std::vector<std::string> names_to_accept(const AcceptOptions& options,
                                         const std::vector<std::string>& pending) {
  if (options.all) return pending;
  std::vector<std::string> names;
  std::string problems;
  for (const std::string& text : options.names) {
    const std::vector<std::string> meant = names_meant(text, pending);
    names.insert(names.end(), meant.begin(), meant.end());
    if (!meant.empty()) continue;
    problems += fmt::format("{}{}: not among what the last run has left in {}{}",
                            problems.empty() ? "" : "\n", roundel::quoted(text), options.output,
                            did_you_mean(text, pending));
  }
  if (!problems.empty()) throw Error(ExitCode::kUsage, problems);
  return names;
}

int accept(const AcceptOptions& options) {
  const AcceptableGoldens goldens = read_pending(options.output);
  Problems problems;
  bool has_changed = false;
  for (const std::string& name : names_to_accept(options, goldens.names)) {
    problems.attempt([&] {
      const Accepted accepted = accept_golden(goldens, name);
      has_changed |= accepted != Accepted::kAlready;
      if (options.verbosity == Verbosity::kQuiet) return;
      const char* const what = accepted == Accepted::kAlready    ? "is the golden already"
                               : accepted == Accepted::kReplaced ? "replaced"
                                                                 : "stored";
      print_out(fmt::format("{}: {}\n", printable(name), what));
    });
  }
  if (!problems.empty()) return kCouldNotCompare;
  return has_changed ? kDiffer : kSame;
}

}  // namespace

int run_accept(const Arguments& arguments) {
  return run_comparing([&] {
    AcceptOptions options;
    return parse(arguments, options) ? accept(options) : static_cast<int>(kSame);
  });
}

}  // namespace roundel
