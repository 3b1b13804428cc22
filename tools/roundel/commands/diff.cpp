#include <filesystem>
#include <nlohmann/json.hpp>

#include "renderer/base/error.h"
#include "renderer/compare/difference_image.h"
#include "renderer/compare/picture_difference.h"
#include "tools/roundel/cli/machine.h"
#include "tools/roundel/cli/problems.h"
#include "tools/roundel/cli/terminal.h"
#include "tools/roundel/commands/commands.h"
#include "tools/roundel/commands/comparing.h"
#include "tools/roundel/commands/diff_folders.h"
#include "tools/roundel/commands/diff_options.h"
#include "tools/roundel/commands/diff_report.h"

namespace roundel {
namespace {

void write_diff_image(const DiffOptions& options, const ComparedFiles& compared) {
  if (compared.difference.kind != PictureDifference::Kind::kDifferent) return;
  const Picture &a = *compared.a, &b = *compared.b;
  const Image image = options.diff_image_kind == DiffImageKind::kFlip
                          ? flip_image(flip_map(a, b, options.measures.pixels_per_degree))
                          : difference_image(a, b, options.tolerance.max_delta);
  write_png(*options.diff_image, image, {"roundel " ROUNDEL_VERSION, "", 0, 0});
}

/// The line for people, and JSON.
void report(const DiffOptions& options, const PictureDifference& difference, const Verdict& verdict,
            Problems& problems) {
  const bool is_quiet = options.verbosity == Verbosity::kQuiet;
  if (options.json) {
    nlohmann::ordered_json json = {{"a", options.a}, {"b", options.b}};
    json.update(difference_json(difference, verdict));
    const std::string text =
        json.dump(2, ' ', false, nlohmann::ordered_json::error_handler_t::replace) + "\n";
    if (*options.json == "-") return print_out(text);
    problems.attempt([&] {
      write_file_atomically(*options.json,
                            {reinterpret_cast<const std::uint8_t*>(text.data()), text.size()});
    });
  }
  if (!is_quiet)
    print_out(options.a + " " + options.b + ": " + difference_line(difference, verdict) + "\n");
}

int compare_two_files(const DiffOptions& options) {
  const ComparedFiles compared =
      compare_files(options.a, options.b, options.tolerance, options.measures);
  const Verdict verdict = judge(compared.difference, options.tolerance);
  Problems problems;
  if (options.diff_image) problems.attempt([&] { write_diff_image(options, compared); });
  report(options, compared.difference, verdict, problems);
  if (!problems.empty()) return kCouldNotCompare;
  return verdict.same ? kSame : kDiffer;
}

bool is_for_folders(const DiffOptions& options) {
  return options.files.manifest || options.files.report || options.files.junit;
}

int explain_scenes(const DiffOptions& options) {
  ExplainDifferenceOptions explain = options.explain;
  explain.scene_a = options.a, explain.scene_b = options.b;
  explain.json = options.json;
  explain.verbosity = options.verbosity;
  return run_explain_difference(explain);
}

/// Refuses what is not for the kind of things that A and B are, and to replace one of them; then
/// removes what an earlier run has left.
void prepare_outputs(const DiffOptions& options, bool are_folders) {
  RunFiles files = options.files;
  files.json = options.json;
  if (!are_folders && is_for_folders(options)) {
    std::error_code ignored;
    for (const std::string& path : {options.a, options.b}) {
      if (!std::filesystem::exists(path, ignored)) continue;
      if (std::filesystem::is_directory(path, ignored)) continue;
      throw Error(ExitCode::kUsage,
                  "--manifest, --report, --junit: expected two folders to compare");
    }
  }
  if (are_folders && options.diff_image) {
    throw Error(ExitCode::kUsage,
                "--diff-image: expected two files to compare; --report is for "
                "folders");
  }
  std::vector<std::string> inputs = {options.a, options.b, manifest_path(files, options.a)};
  std::vector<std::string> outputs = result_files(files);
  if (options.diff_image) outputs.push_back(*options.diff_image);
  for (const std::string& folder : {options.a, options.b}) {
    if (!are_folders || outputs.empty()) break;
    for (std::string& picture : pictures_read(folder)) inputs.push_back(std::move(picture));
  }
  check_outputs(outputs, inputs);
  remove_old_results(files);
  if (options.diff_image) remove_old_result(*options.diff_image);
}

int compare(const DiffOptions& options) {
  const ThreadLimit thread_limit(options.threads);
  if (options.explain.is_wanted) return explain_scenes(options);
  std::error_code ignored;
  const bool are_folders = std::filesystem::is_directory(options.a, ignored) &&
                           std::filesystem::is_directory(options.b, ignored);
  prepare_outputs(options, are_folders);
  return are_folders || is_for_folders(options) ? diff_folders(options)
                                                : compare_two_files(options);
}

}  // namespace

int run_diff(const Arguments& arguments) {
  return run_comparing([&] {
    DiffOptions options;
    return parse(arguments, options) ? compare(options) : static_cast<int>(kSame);
  });
}

}  // namespace roundel
