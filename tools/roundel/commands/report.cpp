#include <fmt/format.h>

#include <filesystem>
#include <optional>

#include "renderer/base/error.h"
#include "renderer/compare/folder_claim.h"
#include "renderer/compare/results_file.h"
#include "tools/roundel/cli/machine.h"
#include "tools/roundel/cli/problems.h"
#include "tools/roundel/cli/terminal.h"
#include "tools/roundel/commands/commands.h"
#include "tools/roundel/commands/comparing.h"

namespace roundel {
namespace {

namespace fs = std::filesystem;

struct ReportOptions {
  std::vector<std::string> results;
  std::optional<std::string> goldens;
  std::optional<std::string> output;
  RunFiles files;
  Verbosity verbosity = Verbosity::kNormal;
};

bool parse(const Arguments& arguments, ReportOptions& options) {
  CommandLine line("report", "RESULT.json... [OPTION...]",
                   "Merges the results of several runs and reports on them. Reads the JSON that "
                   "\"regress\" and \"diff\" of folders wrote, also on other machines, as the "
                   "shares of one run; prints what differs, and writes reports and summaries.");
  line.add_arguments("RESULT.json", 1, kAnyNumber, options.results,
                     "results; the paths in them are relative to each");
  line.add_value("goldens", "DIR", text(options.goldens, "a folder"),
                 {Group::kTask, "folder of the goldens; default: the one in the results"});
  line.add_value("output,o", "DIR", file_name(options.output, "a folder"),
                 {Group::kResults,
                  "gather the pictures that may be accepted in DIR; \"roundel accept --output "
                  "DIR\" finds all of them there"});
  add_result_files(line, options.files);
  line.add_value("json", "FILE", text(options.files.json, "a file name, or - for stdout"),
                 {Group::kResults, "write all results as JSON; - prints them instead of lines"});
  add_quiet(line, options.verbosity, "print only errors; the exit code tells the result");
  add_verbose(line, options.verbosity, "also list the pictures that are the same");
  line.add_note(
      "Two results of one name must be the same, but for paths and times. A share of \"regress "
      "--shard\" whose results are not given counts as not compared. Missing pictures are named, "
      "and left out of the report. Pictures outside the folder of their results, or of --goldens, "
      "are refused.");
  line.add_note(kResultsNote);
  line.set_usual({"report", "output", "goldens", "json", "junit", "markdown", "verbose"});
  line.set_examples({"roundel report results.json --report report",
                     "roundel report share1/results.json share2/results.json --markdown summary.md",
                     "roundel report results.json --goldens goldens --output gathered"});
  line.set_exit_codes(
      "0 all the same; 1 some differ, are new or missing; 2 some were not compared, or something "
      "is wrong (command line, a file of results, an output); 130, 143 after SIGINT (Ctrl-C), "
      "SIGTERM");
  line.set_guide("docs/reports.md");
  return line.parse(arguments);
}

/// Returns all files; their errors go to `problems`.
std::vector<ResultsFile> read_all(const ReportOptions& options, Problems& problems) {
  std::vector<ResultsFile> files;
  for (const std::string& path : options.results)
    problems.attempt([&] { files.push_back(read_results(path, options.goldens)); });
  return files;
}

/// Refuses to replace inputs, and to gather pictures into their own folder.
void check_report_outputs(const ReportOptions& options, const std::vector<ResultsFile>& files) {
  std::vector<std::string> inputs = options.results;
  for (const ResultsFile& file : files)
    for (const PairResult& result : file.run.results)
      for (const std::string& path :
           {result.golden_path, result.actual_path, result.difference_path, result.scene_path})
        if (!path.empty()) inputs.push_back(path);
  const std::vector<std::string> outputs = result_files(options.files);
  if (options.output) check_apart(*options.output, inputs, outputs);
  check_outputs(outputs, inputs);
}

/// Reports the pictures that are left out, since they may be another user's.
void refuse_pictures(const ReportOptions& options, std::vector<ResultsFile>& files,
                     Problems& problems) {
  for (ResultsFile& file : files) {
    const RefusedPictures refused = refuse_pictures_elsewhere(options.goldens, file);
    print_warning(refused.goldens);
    if (refused.others.empty()) continue;
    problems.attempt([&] { throw Error(ExitCode::kInvalidScene, refused.others); });
  }
}

/// Returns true unless the picture equals its golden.
bool differs_from_golden(const PairResult& result) {
  return result.state != PairState::kSame ||
         result.difference.kind != PictureDifference::Kind::kEqualBytes;
}

/// Reports missing files of pictures that differ or have something to show.
void print_missing_files(const ComparisonRun& run) {
  for (const PairResult& result : run.results) {
    if (result.state == PairState::kSame && result.actual_path.empty()) continue;
    for (const std::string& path : {result.golden_path, result.actual_path}) {
      std::error_code ignored;
      if (!path.empty() && !fs::exists(path, ignored))
        print_warning(fmt::format("{}: {}: no such file", result.name, path));
    }
  }
}

int report(const ReportOptions& options) {
  set_verbosity(options.verbosity);
  const ThreadLimit thread_limit;
  Problems problems;
  std::vector<ResultsFile> files = read_all(options, problems);
  check_report_outputs(options, files);
  std::optional<NameClaims> claims;
  if (options.output) claims.emplace(*options.output, claimed_results(options.files));
  remove_old_results(options.files);
  if (!problems.empty()) return kCouldNotCompare;
  refuse_pictures(options, files, problems);
  ComparisonRun run = merge_results(files);
  if (options.output && run.golden_folder.empty())
    throw Error(
        ExitCode::kUsage,
        "--output: needs --goldens DIR: the results name several folders of goldens, or none");
  print_missing_files(run);
  if (options.output)
    gather_pictures(*options.output, differs_from_golden, PendingGoldens::Others::kRemove, run,
                    problems);
  if (!run.output_folder.empty())
    run.accept_command = accept_command(run.output_folder, options.goldens.value_or(""));
  const int code = finish_run(run, rules_without_manifest({}), options.files, options.verbosity);
  if (!run.output_folder.empty() && prints_lines(options.files, options.verbosity))
    print_advice(run);
  return problems.empty() ? code : static_cast<int>(kCouldNotCompare);
}

}  // namespace

int run_report(const Arguments& arguments) {
  ReportOptions options;
  return parse(arguments, options) ? report(options) : static_cast<int>(kSame);
}

}  // namespace roundel
