#include "tools/roundel/run_report.h"

#include <fmt/format.h>
#include <spdlog/spdlog.h>

#include <filesystem>
#include <new>
#include <set>

#include "renderer/base/error.h"
#include "renderer/compare/report.h"
#include "renderer/compare/run_json.h"
#include "renderer/image/files.h"
#include "tools/roundel/problems.h"
#include "tools/roundel/terminal.h"

namespace roundel {
namespace {

namespace fs = std::filesystem;

void write_result_file(const std::string& path, const std::string& text) {
  if (path == "-") return print_out(text);
  write_file_atomically(path, {reinterpret_cast<const std::uint8_t*>(text.data()), text.size()});
}

/// A picture that is the same is worth a line where it needed its tolerance.
bool is_printed(const PairResult& result, Verbosity verbosity) {
  return result.state != PairState::kSame || result.difference.pixels > 0 ||
         verbosity == Verbosity::kVerbose;
}

void print_results(const ComparisonRun& run, const GoldenRules& rules, Verbosity verbosity) {
  std::string text;
  std::set<std::string> used;
  for (const PairResult& result : run.results) {
    used.insert(result.rule);
    if (is_printed(result, verbosity)) text += result_line(result) + "\n";
  }
  print_out(text + counts_text(count_states(run)) + "\n");
  for (const std::string& rule : unused_rules(rules, used)) {
    spdlog::info("{}: fits none of the pictures", rule);
  }
}

}  // namespace

int run_comparing(const std::function<int()>& command) {
  try {
    const int code = command();
    finish_output();
    return code;
  } catch (const Error& error) {
    print_error(error);
  } catch (const std::bad_alloc&) {
    spdlog::error("out of memory");
  } catch (const std::exception& error) {
    spdlog::error("unexpected failure: {}", error.what());
  }
  return kCouldNotCompare;
}

GoldenRules load_rules(const RunFiles& files, const std::string& golden_folder,
                       const Tolerance& tolerance) {
  if (files.manifest) return read_manifest(*files.manifest, tolerance);
  const std::string usual = (fs::path(golden_folder) / kManifestName).string();
  std::error_code ignored;
  if (!fs::exists(usual, ignored)) return rules_without_manifest(tolerance);
  return read_manifest(usual, tolerance);
}

int finish_run(const ComparisonRun& run, const GoldenRules& rules, const RunFiles& files,
               Verbosity verbosity) {
  if (verbosity != Verbosity::kQuiet && files.json != "-") print_results(run, rules, verbosity);
  if (files.json) write_result_file(*files.json, run_json(run));
  if (files.junit) write_result_file(*files.junit, run_junit(run));
  if (files.report) write_report(*files.report, run);
  const RunCounts counts = count_states(run);
  if (counts.not_compared > 0) return kCouldNotCompare;
  return counts.same == counts.all() ? kSame : kDiffer;
}

}  // namespace roundel
