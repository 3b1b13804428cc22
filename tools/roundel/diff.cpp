#include <spdlog/spdlog.h>

#include <nlohmann/json.hpp>

#include "renderer/base/error.h"
#include "renderer/compare/difference_image.h"
#include "renderer/compare/picture_difference.h"
#include "tools/roundel/commands.h"
#include "tools/roundel/diff_options.h"
#include "tools/roundel/diff_report.h"
#include "tools/roundel/machine.h"
#include "tools/roundel/problems.h"
#include "tools/roundel/terminal.h"

namespace roundel {
namespace {

enum DiffExitCode : int { kSame = 0, kDiffer = 1, kCouldNotCompare = 2 };

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
  const ThreadLimit thread_limit(options.threads);
  const ComparedFiles compared =
      compare_files(options.a, options.b, options.tolerance, options.measures);
  const Verdict verdict = judge(compared.difference, options.tolerance);
  if (options.diff_image) write_diff_image(options, compared);
  report(options, compared.difference, verdict);
  finish_output();
  return verdict.same ? kSame : kDiffer;
}

int explain_scenes(const DiffOptions& options) {
  const ThreadLimit thread_limit(options.threads);
  ExplainDifferenceOptions explain = options.explain;
  explain.scene_a = options.a, explain.scene_b = options.b;
  explain.json = options.json;
  explain.verbosity = options.verbosity;
  const int code = run_explain_difference(explain);
  finish_output();
  return code;
}

}  // namespace

int run_diff(const Arguments& arguments) {
  // Whatever goes wrong: 1 would say that the pictures differ.
  try {
    DiffOptions options;
    if (!parse(arguments, options)) return kSame;
    return options.explain.is_wanted ? explain_scenes(options) : compare_two_files(options);
  } catch (const Error& error) {
    print_error(error);
  } catch (const std::bad_alloc&) {
    spdlog::error("out of memory");
  } catch (const std::exception& error) {
    spdlog::error("unexpected failure: {}", error.what());
  }
  return kCouldNotCompare;
}

}  // namespace roundel
