#include "tools/roundel/commands/comparing.h"

#include <fmt/format.h>
#include <tbb/parallel_for.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <set>
#include <utility>

#include "renderer/base/error.h"
#include "renderer/base/text.h"
#include "renderer/compare/comparison_run.h"
#include "renderer/compare/git_files.h"
#include "renderer/compare/golden_lock.h"
#include "renderer/compare/ignored_pixels.h"
#include "renderer/compare/pending_goldens.h"
#include "renderer/compare/picture_shift.h"
#include "renderer/compare/report.h"
#include "renderer/compare/run_json.h"
#include "renderer/compare/run_markdown.h"
#include "renderer/image/files.h"
#include "tools/roundel/cli/output_path.h"
#include "tools/roundel/cli/problems.h"
#include "tools/roundel/cli/terminal.h"

namespace roundel {
namespace {

namespace fs = std::filesystem;

constexpr double kMaxPixelCount = static_cast<double>(kMaxPixels);
constexpr const char* kWindowText =
    "NUMBER/WIDTHxHEIGHT as in 10/16x16: pixels, and the window's size in pixels";

void store_max_pixels(Tolerance& tolerance, const std::string& value) {
  tolerance.pixels_in_percent = value.ends_with('%');
  if (tolerance.pixels_in_percent) {
    tolerance.max_pixels = parse_number(value.substr(0, value.size() - 1), 0, 100, "percent");
  } else {
    tolerance.max_pixels =
        static_cast<double>(parse_whole(value, 0, static_cast<std::int64_t>(kMaxPixelCount)));
  }
}

void store_max_density(Tolerance& tolerance, const std::string& value) {
  const std::size_t slash = value.find('/');
  if (slash == std::string::npos) throw Expected{kWindowText};
  try {
    Tolerance::Density density;
    density.pixels = static_cast<std::uint64_t>(
        parse_whole(value.substr(0, slash), 0, static_cast<std::int64_t>(kMaxPixelCount)));
    std::tie(density.width, density.height) = parse_size(value.substr(slash + 1));
    tolerance.max_density = density;
  } catch (const Expected&) {
    throw Expected{kWindowText};
  }
}

void store_channel_delta(Tolerance& tolerance, const std::string& value) {
  const std::size_t equals = value.rfind('=');
  if (equals == std::string::npos || equals == 0)
    throw Expected{"NAME=NUMBER as in Z=0.001: a channel, or a pattern of channels"};
  tolerance.channel_deltas.push_back(
      {value.substr(0, equals), parse_number(value.substr(equals + 1), 0, kMaxDelta)});
}

/// An equal picture gets a line if it needed its tolerance.
bool is_printed(const PairResult& result, Verbosity verbosity) {
  return result.state != PairState::kSame || result.difference.pixels > 0 ||
         result.difference.ignored_different > 0 || verbosity == Verbosity::kVerbose;
}

void print_results(const ComparisonRun& run, const GoldenRules& rules, Verbosity verbosity) {
  Lines text;
  std::set<std::string> used;
  for (const PairResult& result : run.results) {
    used.insert(result.rule);
    if (!is_printed(result, verbosity)) continue;
    text += result_line(result);
    for (const std::string& line : result.explanation) text += "    " + line;
  }
  print_out(text + counts_text(count_states(run)));
  if (!run.is_part)
    for (const std::string& rule : unused_rules(rules, used))
      print_note(fmt::format("{}: this rule matches no picture", rule));
  print_idle_limits(run);
}

/// For a run that prints no lines: an exit code alone would not explain the failure.
void print_not_compared(const ComparisonRun& run) {
  for (const PairResult& result : run.results) {
    if (result.state == PairState::kNotCompared) print_error(result_line(result));
  }
}

}  // namespace

const char* const kResultsNote =
    "The command removes results of an earlier run (JSON, JUnit, summary, report) before it "
    "compares. It refuses an output that would replace a file which it reads.";

void add_regress_output(CommandLine& line, std::string& output, const std::string& help) {
  output = kRegressOutput;
  line.add_value("output,o", "DIR", file_name(output, "a folder"),
                 {Group::kResults, help + fmt::format("; default: {}", kRegressOutput)});
}

void add_run_files(CommandLine& line, RunFiles& files) {
  line.add_value("manifest", "FILE", file_name(files.manifest, "a file name"),
                 {Group::kTolerance,
                  "limits by picture (YAML, see docs/compare.md); default: goldens.yaml in the "
                  "folder of the goldens, if it exists"});
  add_result_files(line, files);
}

void add_result_files(CommandLine& line, RunFiles& files) {
  line.add_value(
      "report", "DIR", file_name(files.report, "a folder"),
      {Group::kResults,
       "write a web page of the differences, DIR/index.html; it works without server or network"});
  line.add_value(
      "junit", "FILE", file_name(files.junit, "a file name"),
      {Group::kResults, "write the results as JUnit's XML; each picture is a test case"});
  line.add_value(
      "markdown", "FILE", file_name(files.markdown, "a file name"),
      {Group::kResults,
       "write a summary for a pull request; a table of the first 20 pictures that are not the "
       "same, with cause, size of the difference, and golden, actual and difference as PNG files "
       "in a folder beside it; then the command that accepts them"});
  line.add_value("annotations", "SYSTEM",
                 [&files](const std::string& value) {
                   if (value != "github") throw expected_one_of({"github"});
                   files.annotates = true;
                 },
                 {Group::kResults,
                  "print failures as annotations of a CI system: github; at most 10, shown at the "
                  "scenes' changed lines"});
  line.add_value("title", "TEXT", text(files.title, "a text"),
                 {Group::kResults,
                  "title of the results, such as a commit or a time; default: the "
                  "names of the folders"});
  line.add_check([&files](CommandLine::Problems& problems) {
    if (files.annotates && files.json == "-")
      problems.emplace_back("--annotations: standard output has the JSON; write that to a file");
  });
}

void add_tolerance(CommandLine& line, Tolerance& tolerance, Measures& measures) {
  line.add_value("max-delta", "N", number(tolerance.max_delta, 0, kMaxDelta),
                 {Group::kTolerance,
                  "a pixel differs if a channel differs by more than N; levels of 0 to 255 in PNG "
                  "(16-bit ones too), values in EXR and PFM. Default: 0"});
  line.add_value("channel-delta", "NAME=N",
                 [&tolerance](const std::string& value) { store_channel_delta(tolerance, value); },
                 {Group::kTolerance,
                  "instead of --max-delta for the channels of EXR files whose name fits, as in "
                  "Z=0.001 or 'N.*=0.01'; the first that fits counts. May be given several times"});
  line.add_value("max-pixels", "N|P%",
                 [&tolerance](const std::string& value) { store_max_pixels(tolerance, value); },
                 {Group::kTolerance,
                  "at most N pixels, or P percent of them, may differ; default: 0, any number with "
                  "--max-density or --flip-mean"});
  line.add_value("max-density", "N/WxH",
                 [&tolerance](const std::string& value) { store_max_density(tolerance, value); },
                 {Group::kTolerance, "at most N pixels may differ in any window of WxH"});
  line.add_value("ignore", "X,Y,W,H",
                 [&tolerance](const std::string& value) {
                   const auto [x, y, width, height] = parse_box(value);
                   tolerance.ignore.push_back({x, y, width, height});
                 },
                 {Group::kTolerance,
                  "ignore a rectangle of W x H pixels; from column X and row Y, counted from 0 at "
                  "the upper left. May be given several times"});
  line.add_value("mask", "FILE",
                 [&tolerance](const std::string& value) { tolerance.mask = read_mask(value); },
                 {Group::kTolerance,
                  "ignore the bright pixels of this picture; all that are not black, or with alpha "
                  "not transparent. It has the size of the pictures"});
  line.add_switch("ignore-antialiasing", tolerance.ignores_antialiasing,
                  {Group::kTolerance, "ignore smoothed pixels of edges; by pixelmatch's rule"});
  line.add_switch(
      "shape-tolerant", tolerance.is_shape_tolerant,
      {Group::kTolerance,
       "compare 8 with 16 bits, and grey with RGB; also no alpha with an opaque one, and pictures "
       "without a profile with those of an ICC profile that calls itself sRGB"});
  line.add_value("flip-mean", "T",
                 [&tolerance, &measures](const std::string& value) {
                   tolerance.flip_mean = parse_number(value, 0, 1);
                   measures.flip = true;
                 },
                 {Group::kTolerance, "largest mean of FLIP's values, 0 to 1"});
  line.add_switch(
      "flip", measures.flip,
      {Group::kTolerance,
       "measure FLIP, the difference that people see; when they flip between the pictures on a "
       "screen: 0 for none, at most 1. LDR-FLIP, or HDR-FLIP for EXR and PFM"});
  line.add_value(
      "ppd", "N",
      number(measures.pixels_per_degree, kMinPixelsPerDegree, kMaxPixelsPerDegree, "pixels"),
      {Group::kTolerance,
       fmt::format("pixels per degree of the viewer's field, for FLIP; {} to {}, default: {:.2f}",
                   kMinPixelsPerDegree, kMaxPixelsPerDegree, kDefaultPixelsPerDegree)});
  line.add_switch(
      "ssim", measures.ssim,
      {Group::kTolerance, "measure SSIM, the structural similarity of luma; 1 for equal pictures"});
  line.add_switch(
      "align", measures.shift,
      {Group::kTolerance,
       fmt::format("if pictures differ, find a shift of at most {} pixels in x and y after which "
                   "they agree, and print it; pictures with such a shift still differ",
                   kMaxShift)});
}

std::string accept_command(const std::string& output, const std::string& goldens) {
  // Quoted as one word that cannot be taken for an option.
  const auto path_word = [](const std::string& path) {
    return shell_word(path.starts_with('-') ? "./" + path : path);
  };
  std::string command = "roundel accept";
  if (output != kRegressOutput) command += " --output " + path_word(output);
  // accept finds the other folders by itself.
  std::error_code ignored;
  if (!goldens.empty() &&
      (!is_within(goldens, ".") || (fs::exists(goldens, ignored) && !has_golden_lock(goldens))))
    command += " --goldens " + path_word(goldens);
  return command;
}

void check_other_folder(const std::string& output, const std::string& pictures) {
  std::error_code ignored;
  if (fs::equivalent(output, pictures, ignored))
    throw Error(ExitCode::kUsage, fmt::format("--output: {} holds the goldens, or the pictures "
                                              "compared with them; choose another folder",
                                              roundel::quoted(output)));
  if (is_within(output, pictures))
    throw Error(
        ExitCode::kUsage,
        fmt::format("--output: {} lies in {}, whose pictures are read; choose another folder",
                    roundel::quoted(output), pictures));
}

void check_apart(const std::string& output, const std::vector<std::string>& inputs,
                 const std::vector<std::string>& outputs) {
  for (const char* const part : {"actual", "diff", "pending"}) {
    const std::string folder = (fs::path(output) / part).string();
    const auto refuse = [&folder](const std::string& path) {
      throw Error(
          ExitCode::kUsage,
          fmt::format("{}: lies in {}, where this command keeps pictures; choose another place",
                      path, folder));
    };
    for (const std::string& path : outputs)
      if (is_within(path, folder)) refuse(path);
    std::error_code ignored;
    // A missing folder contains no existing file.
    if (!fs::exists(folder, ignored)) continue;
    if (const auto path = find_file_in(inputs, folder)) refuse(*path);
  }
}

void gather_pictures(const std::string& folder, bool (*is_wanted)(const PairResult&),
                     PendingGoldens::Others others, ComparisonRun& run, Problems& problems) {
  std::vector<std::string> names, unused;
  for (const PairResult& result : run.results)
    if (is_acceptable(result.name)) names.push_back(result.name);
  PendingGoldens pending(folder, run.golden_folder, names, others);
  warn_about_leftovers(pending);
  // In parallel, since decoding takes a while.
  struct Faults {
    std::string actual, difference;
  };
  std::vector<Faults> faults(run.results.size());
  tbb::parallel_for(std::size_t{0}, run.results.size(), [&](std::size_t i) {
    const PairResult& result = run.results[i];
    if (result.actual_path.empty() || !is_wanted(result)) return;
    const bool was_decoded =
        result.state == PairState::kSame || result.state == PairState::kDiffers;
    faults[i].actual = fault_of(result.name, result.actual_path, was_decoded);
    if (!result.difference_path.empty())
      faults[i].difference = fault_of("difference.png", result.difference_path, false);
  });
  for (std::size_t i = 0; i < run.results.size(); ++i) {
    PairResult& result = run.results[i];
    if (result.state == PairState::kMissing && is_acceptable(result.name))
      unused.push_back(result.name);
    if (result.actual_path.empty() || !is_wanted(result) || is_lfs_pointer(result.golden_path))
      continue;
    if (!faults[i].actual.empty()) {
      // The run explains why these could not be compared.
      ++run.not_accepted;
      if (result.state != PairState::kNotCompared)
        print_warning(fmt::format("not kept: {}", faults[i].actual));
      continue;
    }
    problems.attempt([&] {
      pending.copy_actual(result.name, result.actual_path);
      result.actual_path = pending.actual_path(result.name);
      if (result.difference_path.empty()) return;
      const std::string path = std::exchange(result.difference_path, "");
      if (!faults[i].difference.empty())
        throw Error(ExitCode::kInvalidScene, "not kept: " + faults[i].difference);
      pending.copy_diff(result.name, path);
      result.difference_path = pending.diff_path(result.name);
    });
  }
  problems.attempt([&] { pending.list_unused(unused); });
  run.output_folder = folder;
  run.kept_rows_before = pending.kept_rows_before();
}

bool prints_lines(const RunFiles& files, Verbosity verbosity) {
  return verbosity != Verbosity::kQuiet && files.json != "-";
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

std::vector<std::string> mask_files(const RunFiles& files, const std::string& golden_folder,
                                    const Tolerance& tolerance) {
  try {
    return masks_of(load_rules(files, golden_folder, tolerance));
  } catch (const Error&) {  // reading them again reports it
    return masks_of(rules_without_manifest(tolerance));
  }
}

std::vector<std::string> result_files(const RunFiles& files) {
  std::vector<std::string> paths;
  for (const auto& file : {files.json, files.junit}) {
    if (file && *file != "-") paths.push_back(*file);
  }
  if (files.report) paths.push_back(report_page_path(*files.report));
  if (files.markdown)
    for (std::string& file : markdown_files(*files.markdown)) paths.push_back(std::move(file));
  return paths;
}

std::vector<std::string> claimed_results(const RunFiles& files) {
  std::vector<std::string> names;
  std::error_code ignored;
  for (const std::string& path : result_files(files))
    if (!fs::is_other(path, ignored))
      names.push_back(fs::weakly_canonical(fs::absolute(path, ignored), ignored).string());
  return names;
}

std::vector<std::string> picture_files(const std::string& folder) {
  try {
    std::vector<std::string> paths = list_pictures(folder).files;
    for (std::string& path : paths) path = (fs::path(folder) / path).string();
    return paths;
  } catch (const Error&) {  // reading them reports it
    return {};
  }
}

void check_outputs(const std::vector<std::string>& outputs,
                   const std::vector<std::string>& inputs) {
  std::error_code ignored;
  std::set<fs::path> files;
  for (const std::string& output : outputs) {
    // A missing file replaces nothing; checking thousands of inputs takes a while.
    if (fs::exists(output, ignored)) {
      check_output_is_no_input(output, inputs, ExitCode::kUsage);
    }
    if (fs::is_other(output, ignored)) continue;
    if (files.insert(fs::weakly_canonical(fs::absolute(output, ignored), ignored)).second) continue;
    throw Error(ExitCode::kUsage,
                fmt::format("{}: two outputs have this name; give each its own file", output));
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
  if (!files.markdown) return;
  remove_old_result(*files.markdown);
  remove_markdown_pictures(*files.markdown);
}

int finish_run(ComparisonRun& run, const GoldenRules& rules, const RunFiles& files,
               Verbosity verbosity) {
  run.title = files.title.value_or(run.title);
  if (prints_lines(files, verbosity)) {
    print_results(run, rules, verbosity);
  } else {
    print_not_compared(run);
  }
  Problems problems;
  if (files.json) problems.attempt([&] { write_text(*files.json, run_json(run, *files.json)); });
  if (files.junit) problems.attempt([&] { write_text(*files.junit, run_junit(run)); });
  if (files.report) problems.attempt([&] { write_report(*files.report, run); });
  if (files.markdown) problems.attempt([&] { write_markdown(*files.markdown, run); });
  if (files.annotates) {
    const char* const workspace = std::getenv("GITHUB_WORKSPACE");
    print_commands(github_annotations(run, workspace == nullptr ? "" : workspace));
  }
  const RunCounts counts = count_states(run);
  if (counts.not_compared > 0 || !problems.empty()) return kCouldNotCompare;
  return counts.same == counts.all() ? kSame : kDiffer;
}

}  // namespace roundel
