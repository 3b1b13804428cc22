#include <fmt/format.h>

#include <filesystem>
#include <nlohmann/json.hpp>

#include "renderer/base/error.h"
#include "renderer/base/text.h"
#include "renderer/compare/compare_levels.h"
#include "renderer/compare/comparison_run.h"
#include "renderer/compare/difference_image.h"
#include "renderer/compare/folder_claim.h"
#include "renderer/compare/pending_goldens.h"
#include "renderer/compare/picture_difference.h"
#include "renderer/compare/report.h"
#include "renderer/compare/run_json.h"
#include "renderer/explain/scene_difference.h"
#include "renderer/format/json_text.h"
#include "renderer/frame_encoder.h"
#include "renderer/image/files.h"
#include "tools/roundel/cli/common_options.h"
#include "tools/roundel/cli/guesses.h"
#include "tools/roundel/cli/machine.h"
#include "tools/roundel/cli/output_path.h"
#include "tools/roundel/cli/problems.h"
#include "tools/roundel/cli/terminal.h"
#include "tools/roundel/commands/commands.h"
#include "tools/roundel/commands/comparing.h"

namespace roundel {
namespace {

using Json = nlohmann::ordered_json;
using Kind = PictureDifference::Kind;

constexpr std::size_t kCirclesExplained = 20, kClustersExplained = 10;

enum class DiffImageKind { kPixels, kFlip };

struct ExplainDifferenceOptions {
  bool is_wanted = false;
  SceneOptions scene;
  std::optional<std::size_t> clusters;  ///< maximal number to explain
  std::optional<std::size_t> limit;     ///< maximal number of circles to list for each
};

struct DiffOptions {
  std::string a, b;
  Tolerance tolerance;
  Measures measures;
  std::optional<std::string> diff_image;
  std::optional<DiffImageKind> diff_image_kind;  ///< default: pixels
  RunFiles files;                                ///< all but json and report are for folders
  std::optional<std::string> output;
  ExplainDifferenceOptions explain;  ///< for scenes, instead of comparing pictures
  int threads = 0;                   ///< 0: one a core
  Verbosity verbosity = Verbosity::kNormal;
};

/// Joins `--json FILE.json`, too, which Boost would read as an option without a value and an
/// argument.
Arguments with_json_files_joined(const Arguments& arguments) {
  Arguments joined;
  for (const std::string& argument : arguments) {
    const bool follows = !joined.empty() && joined.back() == "--json";
    if (follows && (argument == "-" || argument.ends_with(".json"))) {
      joined.back() += "=" + argument;
    } else {
      joined.push_back(argument);
    }
  }
  return joined;
}

void add_diff_image(CommandLine& line, DiffOptions& options) {
  line.add_value("diff-image", "FILE",
                 text(options.diff_image, "a file name ending in .png", ".png"),
                 {Group::kResults,
                  "PNG to write if a pixel differs; A faded, with the pixels that count as "
                  "different in red, those within --max-delta in yellow"});
  line.add_value("diff-image-kind", "KIND",
                 one_of(options.diff_image_kind,
                        {{"pixels", DiffImageKind::kPixels}, {"flip", DiffImageKind::kFlip}}),
                 {Group::kResults,
                  "pixels (as above) or flip; flip shows FLIP's values in the colours of "
                  "matplotlib's magma, black where the pictures look the same. Default: pixels"});
  line.add_check([&options](CommandLine::Problems& problems) {
    if (options.diff_image_kind && !options.diff_image)
      problems.emplace_back("--diff-image-kind: works only with --diff-image");
  });
}

void add_explain(CommandLine& line, ExplainDifferenceOptions& options) {
  line.add_switch(
      "explain", options.is_wanted,
      {Group::kTask,
       "draw scenes A and B, and print why they differ; which values of the scenes changed, and "
       "which circles are responsible for the largest clusters of differing pixels"});
  line.add_value(
      "clusters", "N", whole(options.clusters, 1, 1000),
      {Group::kTask, fmt::format("explain the N largest clusters of pixels; 1 to 1000, default: {}",
                                 kClustersExplained)});
  line.add_value("limit", "N", whole(options.limit, 0, 1'000'000),
                 {Group::kTask,
                  fmt::format("list at most N circles of each cluster; 0 to 1000000, default: {}",
                              kCirclesExplained)});
  add_size(line, options.scene);
  add_seed_and_frame(line, options.scene);
  line.add_check([&options](CommandLine::Problems& problems) {
    const SceneOverrides& overrides = options.scene.overrides;
    const bool has_others = options.limit || options.clusters || overrides.width ||
                            overrides.antialias || overrides.seed || options.scene.frame ||
                            !overrides.vars.empty();
    if (has_others && !options.is_wanted) {
      problems.emplace_back(
          "--clusters, --limit, --size, --antialias, --no-antialias, --set, --seed and --frame: "
          "work only with --explain");
    }
  });
}

bool is_for_folders(const DiffOptions& options) {
  const RunFiles& files = options.files;
  return files.manifest || files.junit || files.markdown || files.annotates;
}

bool parse(const Arguments& arguments, DiffOptions& options) {
  CommandLine line("diff", "A B [OPTION...]",
                   "Compares two pictures, or the pictures of two folders. Prints whether they are "
                   "the same and how they differ, in one line on stdout; for folders a line for "
                   "each picture that is not the same. By default no pixel may differ.");
  std::vector<std::string> files;
  line.add_arguments("A B", 2, 2, files,
                     "two pictures or folders, A is the reference; pictures are PNG, EXR, PFM, "
                     "JPEG or WebP, whatever their extensions. In folders the files .png, .exr, "
                     ".pfm, .jpg, .jpeg and .webp are compared, by their paths in the folder");
  add_tolerance(line, options.tolerance, options.measures);
  add_diff_image(line, options);
  add_run_files(line, options.files);
  line.add_value(
      "output,o", "DIR", file_name(options.output, "a folder"),
      {Group::kResults,
       "keep the pictures of B that differ or are new; \"roundel accept --output DIR\" stores them "
       "as A's: in the folder A, or the folder of the file A. Only sound PNG and EXR files are "
       "kept. Pictures of an earlier run stay in DIR if A and B are files"});
  add_explain(line, options.explain);
  line.add_optional_value(
      "json", "FILE", "-", text(options.files.json),
      {Group::kResults,
       "print one JSON object instead; with FILE.json write it there, and print lines"});
  add_threads(line, options.threads);
  add_quiet(line, options.verbosity, "print only errors; the exit code tells the result");
  line.add_note("--manifest, --junit, --markdown and --annotations work with two folders.");
  line.add_note(
      "--clusters, --limit, --size, --antialias, --no-antialias, --set, --seed and --frame work "
      "only with --explain.");
  line.add_note(
      "Size, channels, bit depth, colour space and Exif orientation must be the same. EXR files "
      "are "
      "compared by the names of their channels, in all parts and levels. "
      "docs/compare.md defines all measures.");
  line.add_note(kResultsNote);
  line.set_usual(
      {"max-delta", "max-pixels", "ignore", "flip", "diff-image", "json", "report", "explain"});
  line.set_examples({"roundel diff a.png b.png",
                     "roundel diff old/ new/ --max-delta 1 --report report/",
                     "roundel diff --explain old.yaml new.yaml"});
  line.set_exit_codes(
      "0 same, or within the limits; 1 different; 2 could not compare (wrong command line, a file "
      "that cannot be read); 130, 143 after SIGINT (Ctrl-C), SIGTERM");
  line.set_guide("docs/compare.md");
  line.add_check([&options](CommandLine::Problems& problems) {
    const Tolerance& tolerance = options.tolerance;
    const bool judges =
        tolerance.max_delta > 0 || !tolerance.channel_deltas.empty() || tolerance.max_pixels ||
        tolerance.max_density || !tolerance.ignore.empty() || tolerance.mask ||
        tolerance.ignores_antialiasing || tolerance.is_shape_tolerant || options.measures.flip ||
        options.measures.ssim || options.measures.shift || options.diff_image ||
        is_for_folders(options) || options.files.report || options.files.title || options.output;
    if (options.explain.is_wanted && judges) {
      problems.emplace_back(
          "--explain: does not work with limits, measures, --diff-image, --report, --title, "
          "--output and "
          "options for folders");
    }
  });
  if (!line.parse(with_json_files_joined(arguments))) return false;
  options.a = files[0], options.b = files[1];
  return true;
}

std::string box_text(const PixelBox& box) {
  return fmt::format("{}x{} pixels at ({}, {})", box.width, box.height, box.x, box.y);
}

std::string channels_text(const PictureDifference& difference) {
  std::string text = channel_places_text(difference);
  if (!text.empty()) return "; largest" + text.substr(1);
  for (const PictureDifference::Channel& channel : difference.channels) {
    if (channel.largest > 0)
      text += fmt::format("{}{} {:.6g}", text.empty() ? "; largest " : ", ", channel.name,
                          channel.largest);
  }
  return text;
}

std::string measures_text(const PictureDifference& difference) {
  std::string text = channels_text(difference);
  text += fmt::format("; RMSE {:.4g}, PSNR {:.2f} dB", difference.rmse, difference.psnr);
  if (difference.pixels_over > 0) text += "; in " + box_text(difference.box);
  if (difference.pixels_over > 1) {
    text +=
        fmt::format(", most ({}) in {}", difference.densest_pixels, box_text(difference.densest));
  }
  if (difference.flip) {
    text +=
        fmt::format("; FLIP mean {:.6f}, weighted median {:.6f}, max {:.6f}", difference.flip->mean,
                    difference.flip->weighted_median, difference.flip->max);
  }
  if (difference.ssim) text += fmt::format("; SSIM {:.6f}", *difference.ssim);
  return text;
}

std::string counts_text(const PictureDifference& difference) {
  const double share = 100 * static_cast<double>(difference.pixels) /
                       static_cast<double>(difference.compared_pixels());
  std::string text = fmt::format(
      "{} of {} ({:.3g} %)", difference.pixels,
      difference.all_pixels == 0
          ? fmt::format("{}x{} pixels", difference.width, difference.height)
          : fmt::format("{} in all parts and levels", counted(difference.all_pixels, "pixel")),
      share);
  if (difference.pixels_over + difference.antialiased != difference.pixels) {
    text += fmt::format(", {} by more than --max-delta",
                        difference.pixels_over + difference.antialiased);
  }
  if (difference.not_finite > 0) {
    text += fmt::format(", {} by NaN or infinity", difference.not_finite);
  }
  if (difference.antialiased > 0) {
    text += fmt::format(", {} by antialiasing", difference.antialiased);
  }
  if (difference.ignored > 0) {
    text += fmt::format("; {} of {} ignored ones differ", difference.ignored_different,
                        difference.ignored);
  }
  return text;
}

/// Returns "differ: 12 pixels differ, at most 0 may; largest red 3, blue 1; RMSE …": one line
/// without an end, and without the files' names.
std::string difference_line(const PictureDifference& difference, const Verdict& verdict) {
  if (difference.kind == Kind::kEqualBytes) return "same: equal bytes";
  if (difference.kind == Kind::kEqualPixels) return "same: equal pixels";
  std::string reasons;
  for (const std::string& reason : verdict.reasons)
    reasons += (reasons.empty() ? "" : ", ") + reason;
  if (difference.kind == Kind::kOtherShape) return "differ: " + reasons;
  const std::string line = counts_text(difference) + measures_text(difference);
  return verdict.same ? "same within the limits: " + line
                      : "differ: " + line + " [" + reasons + "]";
}

void write_diff_image(const DiffOptions& options, const ComparedFiles& compared) {
  if (!has_difference_image(compared.difference)) return;
  const Picture &a = *compared.a, &b = *compared.b;
  const Image image = options.diff_image_kind == DiffImageKind::kFlip
                          ? flip_of(a, b, options.tolerance, options.measures.pixels_per_degree)
                          : difference_image(a, b, options.tolerance);
  write_png(*options.diff_image, image, {kSoftware, "", 0, 0});
}

void report(const DiffOptions& options, const PictureDifference& difference, const Verdict& verdict,
            Problems& problems) {
  if (options.files.json) {
    Json json = {{"a", options.a}, {"b", options.b}};
    json.update(difference_json(difference, verdict));
    problems.attempt([&] { write_text(*options.files.json, json_text(json, 2)); });
  }
  if (prints_lines(options.files, options.verbosity))
    print_out(options.a + " " + options.b + ": " + difference_line(difference, verdict));
}

bool may_be_accepted(const PairResult& result) {
  return result.state != PairState::kSame && is_acceptable(result.name);
}

/// Keeps the pictures that accept could store, if requested.
void keep_pictures(const DiffOptions& options, PendingGoldens::Others others, ComparisonRun& run,
                   Problems& problems) {
  if (!options.output) return;
  gather_pictures(*options.output, may_be_accepted, others, run, problems);
  run.accept_command = accept_command(*options.output, run.golden_folder);
}

void print_kept(const DiffOptions& options, const ComparisonRun& run) {
  if (!options.output || !prints_lines(options.files, options.verbosity)) return;
  std::vector<std::string> kept;
  std::size_t others = run.not_accepted;
  for (const PairResult& result : run.results) {
    if (result.state == PairState::kSame || result.actual_path.empty()) continue;
    if (is_within(result.actual_path, *options.output))
      kept.push_back(result.name);
    else if (!is_acceptable(result.name))
      ++others;
  }
  if (!kept.empty()) print_accept_command(run, kept);
  print_earlier_pictures(run);
  if (others > 0)
    print_out(
        fmt::format("{} not kept: accept stores only sound PNG and EXR files with names in UTF-8\n",
                    counted(others, "picture")));
}

/// Returns the two files as a run of one picture, which has the name of A's file.
ComparisonRun run_of_two_files(const DiffOptions& options, const ComparedFiles& compared,
                               const Verdict& verdict) {
  namespace fs = std::filesystem;
  const fs::path parent = fs::path(options.a).parent_path();
  ComparisonRun run;
  run.title = fmt::format("{} and {}", options.a, options.b);
  run.golden_folder = parent.empty() ? "." : parent.string();
  PairResult result;
  result.name = fs::path(options.a).filename().string();
  result.state = verdict.same ? PairState::kSame : PairState::kDiffers;
  if (compared.a && compared.b)
    result.origin = origin_of(compared.a->metadata, compared.b->metadata);
  result.golden_path = options.a, result.actual_path = options.b;
  result.tolerance = options.tolerance;
  result.pixels_per_degree = options.measures.pixels_per_degree;
  result.difference = compared.difference;
  result.reasons = verdict.reasons;
  run.results.push_back(std::move(result));
  return run;
}

ComparedFiles compare_files(const DiffOptions& options) try {
  return compare_files(options.a, options.b, options.tolerance, options.measures);
} catch (const Error& error) {
  if (!has_scene_ending(options.a) || !has_scene_ending(options.b)) throw;
  throw Error(error.exit_code(),
              fmt::format("{}; to compare scenes: roundel diff --explain {} {}", error.what(),
                          shell_word(options.a), shell_word(options.b)));
}

int compare_two_files(const DiffOptions& options) {
  const ComparedFiles compared = compare_files(options);
  const Verdict verdict = apply_tolerance(compared.difference, options.tolerance);
  Problems problems;
  if (options.diff_image) problems.attempt([&] { write_diff_image(options, compared); });
  report(options, compared.difference, verdict, problems);
  ComparisonRun run = run_of_two_files(options, compared, verdict);
  if (prints_lines(options.files, options.verbosity)) print_idle_limits(run);
  keep_pictures(options, PendingGoldens::Others::kKeep, run, problems);
  run.title = options.files.title.value_or(run.title);
  if (options.files.report) problems.attempt([&] { write_report(*options.files.report, run); });
  print_kept(options, run);
  if (!problems.empty()) return kCouldNotCompare;
  return verdict.same ? kSame : kDiffer;
}

/// Refuses options that do not suit A and B, and outputs that would replace one of them.
void check_diff_outputs(const DiffOptions& options, bool are_folders) {
  const RunFiles& files = options.files;
  if (!are_folders && is_for_folders(options)) {
    std::error_code ignored;
    for (const std::string& path : {options.a, options.b}) {
      if (!std::filesystem::exists(path, ignored)) continue;
      if (std::filesystem::is_directory(path, ignored)) continue;
      throw Error(ExitCode::kUsage,
                  "--manifest, --junit, --markdown, --annotations: work with two folders only");
    }
  }
  if (are_folders && options.diff_image) {
    throw Error(ExitCode::kUsage,
                "--diff-image: works with two files only; use --report DIR for folders");
  }
  std::vector<std::string> inputs = {options.a, options.b, manifest_path(files, options.a)};
  for (std::string& mask : mask_files(files, options.a, options.tolerance))
    inputs.push_back(std::move(mask));
  std::vector<std::string> outputs = result_files(files);
  if (options.diff_image) outputs.push_back(*options.diff_image);
  for (const std::string& folder : {options.a, options.b}) {
    if (!are_folders || (outputs.empty() && !options.output)) break;
    for (std::string& picture : picture_files(folder)) inputs.push_back(std::move(picture));
  }
  if (options.output) {
    for (const std::string& folder : {options.a, options.b})
      check_other_folder(*options.output, folder);
    check_apart(*options.output, inputs, outputs);
  }
  check_outputs(outputs, inputs);
}

int diff_folders(const DiffOptions& options) {
  set_verbosity(options.verbosity);
  const RunFiles& files = options.files;
  const GoldenRules rules = load_rules(files, options.a, options.tolerance);
  Measures measures = options.measures;
  measures.places = files.report.has_value();
  ComparisonRun run = compare_folders(options.a, options.b, rules, measures);
  if (run.results.empty()) {
    throw Error(
        ExitCode::kInvalidScene,
        fmt::format("{} and {}: expected pictures (.png, .exr, .pfm, .jpg or .webp), got none",
                    options.a, options.b));
  }
  Problems problems;
  keep_pictures(options, PendingGoldens::Others::kRemove, run, problems);
  const int code = finish_run(run, rules, files, options.verbosity);
  print_kept(options, run);
  return problems.empty() ? code : static_cast<int>(kCouldNotCompare);
}

/// Renders both scenes and prints which circles cause the largest clusters of differing pixels.
/// Returns kDiffer if a pixel differs, even in float only; kCouldNotCompare if a scene is invalid,
/// with all reasons on stderr. Throws Error if the pictures cannot be drawn.
int explain_scenes(const DiffOptions& options) {
  const SceneOverrides& overrides = options.explain.scene.overrides;
  const std::optional<std::string>& json_path = options.files.json;
  Problems problems;
  std::vector<SceneFile> files;
  for (const std::string& path : {options.a, options.b})
    problems.attempt([&] { files.emplace_back(read_scene_text(path), path, overrides); });
  if (json_path && *json_path != "-") {
    std::vector<std::string> inputs = {options.a, options.b};
    for (const SceneFile& file : files)
      for (std::string& path : input_paths({file.scene})) inputs.push_back(std::move(path));
    check_output_is_no_input(*json_path, inputs, ExitCode::kUsage);
    remove_old_result(*json_path);
  }
  if (!problems.empty()) return kCouldNotCompare;
  const Scene &a = files[0].scene, &b = files[1].scene;
  const std::int64_t frame_a = frame_of(a, options.explain.scene);
  const std::int64_t frame_b = frame_of(b, options.explain.scene);
  const SceneDifference difference(files[0], files[1], overrides,
                                   options.explain.clusters.value_or(kClustersExplained));
  const std::size_t limit = options.explain.limit.value_or(kCirclesExplained);
  if (json_path) {
    Json json = {{"a", {{"scene", a.path}, {"frame", frame_a}}},
                 {"b", {{"scene", b.path}, {"frame", frame_b}}}};
    json.update(difference.json(limit));
    write_text(*json_path, json_text(json));
  }
  if (prints_lines(options.files, options.verbosity))
    print_out(Lines(fmt::format("A: {}, frame {}", a.path, frame_a)) +
              fmt::format("B: {}, frame {}", b.path, frame_b) + difference.text(limit));
  return difference.differs() ? kDiffer : kSame;
}

int compare(const DiffOptions& options) {
  const ThreadLimit thread_limit(options.threads);
  if (options.explain.is_wanted) return explain_scenes(options);
  std::error_code ignored;
  const bool are_folders = std::filesystem::is_directory(options.a, ignored) &&
                           std::filesystem::is_directory(options.b, ignored);
  check_diff_outputs(options, are_folders);
  std::optional<NameClaims> claims;
  if (options.output) claims.emplace(*options.output, claimed_results(options.files));
  remove_old_results(options.files);
  if (options.diff_image) remove_old_result(*options.diff_image);
  return are_folders || is_for_folders(options) ? diff_folders(options)
                                                : compare_two_files(options);
}

}  // namespace

int run_diff(const Arguments& arguments) {
  DiffOptions options;
  return parse(arguments, options) ? compare(options) : static_cast<int>(kSame);
}

}  // namespace roundel
