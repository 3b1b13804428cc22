#include <filesystem>
#include <nlohmann/json.hpp>

#include "renderer/base/error.h"
#include "renderer/compare/difference_image.h"
#include "renderer/compare/picture_difference.h"
#include "tools/roundel/commands.h"
#include "tools/roundel/diff_folders.h"
#include "tools/roundel/diff_options.h"
#include "tools/roundel/diff_report.h"
#include "tools/roundel/machine.h"
#include "tools/roundel/run_report.h"
#include "tools/roundel/terminal.h"

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

void report(const DiffOptions& options, const PictureDifference& difference,
            const Verdict& verdict) {
  const bool is_quiet = options.verbosity == Verbosity::kQuiet;
  if (options.json) {
    nlohmann::ordered_json json = {{"a", options.a}, {"b", options.b}};
    json.update(difference_json(difference, verdict));
    const std::string text =
        json.dump(2, ' ', false, nlohmann::ordered_json::error_handler_t::replace) + "\n";
    if (*options.json == "-") return print_out(text);
    write_file_atomically(*options.json,
                          {reinterpret_cast<const std::uint8_t*>(text.data()), text.size()});
  }
  if (!is_quiet)
    print_out(options.a + " " + options.b + ": " + difference_line(difference, verdict) + "\n");
}

int compare_two_files(const DiffOptions& options) {
  if (options.files.manifest || options.files.report || options.files.junit) {
    throw Error(ExitCode::kUsage, "--manifest, --report, --junit: expected two folders to compare");
  }
  const ComparedFiles compared =
      compare_files(options.a, options.b, options.tolerance, options.measures);
  const Verdict verdict = judge(compared.difference, options.tolerance);
  if (options.diff_image) write_diff_image(options, compared);
  report(options, compared.difference, verdict);
  return verdict.same ? kSame : kDiffer;
}

int explain_scenes(const DiffOptions& options) {
  ExplainDifferenceOptions explain = options.explain;
  explain.scene_a = options.a, explain.scene_b = options.b;
  explain.json = options.json;
  explain.verbosity = options.verbosity;
  return run_explain_difference(explain);
}

int compare_two_folders(const DiffOptions& options) {
  if (options.diff_image) {
    throw Error(ExitCode::kUsage,
                "--diff-image: expected two files to compare; --report is for "
                "folders");
  }
  return diff_folders(options);
}

int compare(const DiffOptions& options) {
  const ThreadLimit thread_limit(options.threads);
  if (options.explain.is_wanted) return explain_scenes(options);
  std::error_code ignored;
  const bool are_folders = std::filesystem::is_directory(options.a, ignored) &&
                           std::filesystem::is_directory(options.b, ignored);
  return are_folders ? compare_two_folders(options) : compare_two_files(options);
}

}  // namespace

int run_diff(const Arguments& arguments) {
  return run_comparing([&] {
    DiffOptions options;
    return parse(arguments, options) ? compare(options) : static_cast<int>(kSame);
  });
}

}  // namespace roundel
