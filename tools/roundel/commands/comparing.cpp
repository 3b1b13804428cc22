#include "tools/roundel/commands/comparing.h"

#include <fmt/format.h>
#include <spdlog/spdlog.h>
#include <unistd.h>

#include <filesystem>
#include <new>
#include <set>

#include "renderer/base/error.h"
#include "renderer/compare/compare_folders.h"
#include "renderer/compare/report.h"
#include "renderer/compare/run_json.h"
#include "renderer/image/files.h"
#include "tools/roundel/cli/output_path.h"
#include "tools/roundel/cli/problems.h"
#include "tools/roundel/cli/terminal.h"

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

/// For a run that prints no lines: an exit code alone would not say what went wrong.
void print_not_compared(const ComparisonRun& run) {
  for (const PairResult& result : run.results) {
    if (result.state == PairState::kNotCompared) print_err(result_line(result) + "\n");
  }
}

}  // namespace

bool prints_lines(const RunFiles& files, Verbosity verbosity) {
  return verbosity != Verbosity::kQuiet && files.json != "-";
}

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

std::string manifest_path(const RunFiles& files, const std::string& golden_folder) {
  return files.manifest ? *files.manifest : (fs::path(golden_folder) / kManifestName).string();
}

GoldenRules load_rules(const RunFiles& files, const std::string& golden_folder,
                       const Tolerance& tolerance) {
  const std::string path = manifest_path(files, golden_folder);
  std::error_code ignored;
  if (!files.manifest && !fs::exists(path, ignored)) return rules_without_manifest(tolerance);
  return read_manifest(path, tolerance);
}

std::vector<std::string> result_files(const RunFiles& files) {
  std::vector<std::string> paths;
  for (const auto& file : {files.json, files.junit}) {
    if (file && *file != "-") paths.push_back(*file);
  }
  if (files.report) paths.push_back(report_page_path(*files.report));
  return paths;
}

std::vector<std::string> pictures_read(const std::string& folder) {
  try {
    std::vector<std::string> paths = list_pictures(folder).pictures;
    for (std::string& path : paths) path = (fs::path(folder) / path).string();
    return paths;
  } catch (const Error&) {  // reading them will say so
    return {};
  }
}

void check_outputs(const std::vector<std::string>& outputs,
                   const std::vector<std::string>& inputs) {
  std::error_code ignored;
  std::set<fs::path> files;
  for (const std::string& output : outputs) {
    // What is not there replaces nothing; thousands of inputs take their time.
    if (fs::exists(output, ignored)) {
      check_replaces_no_input(output, inputs, ExitCode::kUsage);
    }
    if (fs::is_other(output, ignored)) continue;
    if (files.insert(fs::weakly_canonical(fs::absolute(output, ignored), ignored)).second) continue;
    throw Error(ExitCode::kUsage,
                fmt::format("{}: expected a file for each output, got it for two", output));
  }
}

void remove_old_result(const std::string& path) {
  std::error_code ignored;
  if (!fs::is_regular_file(path, ignored) || access(path.c_str(), W_OK) != 0) return;
  if (fs::is_symlink(path, ignored)) {
    fs::resize_file(path, 0, ignored);
  } else {
    fs::remove(path, ignored);
  }
}

void remove_old_results(const RunFiles& files) {
  for (const auto* file : {&files.json, &files.junit}) {
    if (*file && **file != "-") remove_old_result(**file);
  }
  if (files.report) remove_report(*files.report);
}

int finish_run(const ComparisonRun& run, const GoldenRules& rules, const RunFiles& files,
               Verbosity verbosity) {
  if (prints_lines(files, verbosity)) {
    print_results(run, rules, verbosity);
  } else {
    print_not_compared(run);
  }
  Problems problems;
  if (files.json) problems.attempt([&] { write_result_file(*files.json, run_json(run)); });
  if (files.junit) problems.attempt([&] { write_result_file(*files.junit, run_junit(run)); });
  if (files.report) problems.attempt([&] { write_report(*files.report, run); });
  const RunCounts counts = count_states(run);
  if (counts.not_compared > 0 || !problems.empty()) return kCouldNotCompare;
  return counts.same == counts.all() ? kSame : kDiffer;
}

}  // namespace roundel
