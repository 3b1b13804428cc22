#include "renderer/compare/comparison_run.h"

#include <fmt/format.h>
#include <tbb/parallel_for.h>
#include <tbb/task_arena.h>

#include <algorithm>
#include <filesystem>
#include <map>
#include <new>

#include "renderer/base/error.h"
#include "renderer/base/memory.h"
#include "renderer/base/stopwatch.h"
#include "renderer/base/text.h"
#include "renderer/compare/compare_levels.h"
#include "renderer/compare/golden_lock.h"
#include "renderer/compare/pending_goldens.h"
#include "renderer/compare/report_pictures.h"
#include "renderer/image/photo.h"

namespace roundel {
namespace {

const GoldenRule& apply_rule(const GoldenRules& rules, const Measures& measures,
                             PairResult& result) {
  const GoldenRule& rule = rule_for(rules, result.name);
  result.rule = rule.name;
  result.tolerance = rule.tolerance;
  result.pixels_per_degree = measures.pixels_per_degree;
  return rule;
}

/// Returns the verdict's measures; the others are for differing pictures.
Measures measures_for(const Tolerance& tolerance, Measures measures) {
  measures.flip = tolerance.flip_mean.has_value();
  measures.ssim = measures.shift = false;
  return measures;
}

/// Judges `result.difference`, and measures all of pictures that differ. Pictures are null if their
/// bytes are equal.
void conclude(const Tolerance& tolerance, const Picture* golden, const Picture* actual,
              const Measures& measures, PairResult& result) {
  const Verdict verdict = apply_tolerance(result.difference, tolerance);
  result.state = verdict.same ? PairState::kSame : PairState::kDiffers;
  result.reasons = verdict.reasons;
  if (golden == nullptr || actual == nullptr) return;
  result.origin = origin_of(golden->metadata, actual->metadata);
  if (verdict.same) return;
  constexpr std::size_t kFew = 50;  // more take too much memory in thousands of results
  if (measures.places && marks_itself(result) && golden->samples == Picture::Samples::kBytes)
    if (Places places = places_of(*golden, *actual, tolerance); places.count <= kFew)
      result.places = std::move(places);
  if (!measures.flip && !measures.ssim && !measures.shift) return;
  Measures all = measures;
  all.flip |= tolerance.flip_mean.has_value();
  result.difference = compare_pictures(*golden, *actual, tolerance, all);
  result.reasons = apply_tolerance(result.difference, tolerance).reasons;
}

namespace fs = std::filesystem;

bool is_picture_name(const fs::path& path) {
  return known_format(path.extension().string()).has_value() || is_photo_name(path.string());
}

/// `below` is relative to `root`, empty for root. With subfolders.
void list_folder(const fs::path& root, const fs::path& below, const FileChoice& is_wanted,
                 FolderListing& listing) {
  std::error_code error;
  for (fs::directory_iterator entry(root / below, error), end; !error && entry != end;
       entry.increment(error)) {
    const fs::path name = below / entry->path().filename();
    std::error_code ignored;
    if (entry->is_directory(ignored)) {
      if (entry->is_symlink(ignored))
        listing.others.push_back(name.string());
      else
        list_folder(root, name, is_wanted, listing);
    } else {
      (is_wanted(name) ? listing.files : listing.others).push_back(name.string());
    }
  }
  if (error) listing.unreadable.emplace_back(below.string(), error.message());
}

PairResult not_compared(const std::string& name, const std::string& reason) {
  PairResult result;
  result.name = name;
  result.state = PairState::kNotCompared;
  result.reasons = {reason};
  return result;
}

/// Returns a result, not compared yet, for every name.
std::vector<PairResult> pair_names(const std::string& golden_folder, const FolderListing& goldens,
                                   const std::string& actual_folder, const FolderListing& actuals) {
  std::map<std::string, PairResult> pairs;
  for (const std::string& name : goldens.files)
    pairs[name].golden_path = (fs::path(golden_folder) / name).string();
  for (const std::string& name : actuals.files)
    pairs[name].actual_path = (fs::path(actual_folder) / name).string();
  std::vector<PairResult> results;
  for (auto& [name, result] : pairs) {
    result.name = name;
    if (result.golden_path.empty()) {
      result.state = PairState::kNew;
      result.reasons = {"there is no golden " + (fs::path(golden_folder) / name).string()};
    } else if (result.actual_path.empty()) {
      result.state = PairState::kMissing;
      result.reasons = {"there is no " + (fs::path(actual_folder) / name).string()};
    }
    results.push_back(std::move(result));
  }
  for (const auto& [folder, listing] :
       {std::pair{&golden_folder, &goldens}, std::pair{&actual_folder, &actuals}}) {
    for (const auto& [below, reason] : listing->unreadable) {
      const std::string path = (fs::path(*folder) / below).string();
      results.push_back(not_compared(below + "/", fmt::format("{}: {}", path, reason)));
    }
  }
  std::stable_sort(results.begin(), results.end(),
                   [](const PairResult& a, const PairResult& b) { return a.name < b.name; });
  return results;
}

}  // namespace

bool can_accept(const ComparisonRun& run, const PairResult& result) {
  return !run.accept_command.empty() && !result.actual_path.empty() && is_acceptable(result.name) &&
         is_within(result.actual_path, run.output_folder);
}

std::string command_to_accept(const ComparisonRun& run, const std::vector<std::string>& names) {
  std::string command = run.accept_command, words;
  bool has_dash = false;
  for (const std::string& name : names) {
    has_dash |= name.starts_with('-');
    words += " " + shell_word(name);
  }
  return command + (has_dash ? " --" : "") + words;
}

RunCounts count_states(const ComparisonRun& run) {
  RunCounts counts;
  std::size_t* const of_states[] = {&counts.same, &counts.differ, &counts.added, &counts.missing,
                                    &counts.not_compared};
  for (const PairResult& result : run.results) ++*of_states[static_cast<int>(result.state)];
  counts.ignored_files = run.ignored_files;
  return counts;
}

const char* state_name(PairState state) {
  constexpr const char* kNames[] = {"same", "differs", "new", "missing", "not compared"};
  return kNames[static_cast<int>(state)];
}

std::string counts_text(const RunCounts& counts) {
  std::string text = fmt::format("{}: {} same", counted(counts.all(), "picture"), counts.same);
  if (counts.differ > 0) {
    text += fmt::format(", {} differ{}", counts.differ, counts.differ == 1 ? "s" : "");
  }
  if (counts.added > 0) text += fmt::format(", {} new", counts.added);
  if (counts.missing > 0) text += fmt::format(", {} missing", counts.missing);
  if (counts.not_compared > 0) text += fmt::format(", {} not compared", counts.not_compared);
  if (counts.ignored_files > 0)
    text += fmt::format("; {} ignored", counted(counts.ignored_files, "other file"));
  return text;
}

std::string origin_text(Origin origin) {
  constexpr const char* kTexts[] = {
      "", "the renderer changed: the golden is of the same scene and frame",
      "the scene changed: the golden has another fingerprint",
      "the golden is of another frame of this scene"};
  return kTexts[static_cast<int>(origin)];
}

Origin origin_of(const std::optional<ImageMetadata>& golden,
                 const std::optional<ImageMetadata>& actual) {
  if (!golden || !actual || golden->fingerprint.empty() || actual->fingerprint.empty()) {
    return Origin::kUnknown;
  }
  if (golden->fingerprint != actual->fingerprint) return Origin::kSceneChanged;
  return golden->frame == actual->frame ? Origin::kSameScene : Origin::kOtherFrame;
}

bool lacks_fingerprint(const PairResult& result) {
  return result.state == PairState::kSame && result.difference.pixels == 0 &&
         result.difference.ignored_different == 0 && result.origin != Origin::kSameScene;
}

std::string result_line(const PairResult& result) {
  std::string line = fmt::format("{}: {}", result.name, state_name(result.state));
  std::string separator = ": ";
  for (const std::string& reason : result.reasons) {
    line += separator + reason;
    separator = ", ";
  }
  if (result.state == PairState::kDiffers) {
    const std::string places = channel_places_text(result.difference);
    if (!places.empty()) line += "; largest" + places.substr(1);
  }
  if (result.state == PairState::kDiffers && result.origin != Origin::kUnknown) {
    line += "; " + origin_text(result.origin);
  }
  if (!result.rule.empty()) line += fmt::format(" [{}]", result.rule);
  return line;
}

void compare_pair(const Picture& golden, const Picture& actual, const GoldenRules& rules,
                  const Measures& measures, PairResult& result) {
  const GoldenRule& rule = apply_rule(rules, measures, result);
  result.difference =
      compare_pictures(golden, actual, rule.tolerance, measures_for(rule.tolerance, measures));
  conclude(rule.tolerance, &golden, &actual, measures, result);
}

void compare_pair_of_files(const GoldenRules& rules, const Measures& measures, PairResult& result,
                           MemoryBudget& budget) {
  const Stopwatch watch;
  const GoldenRule& rule = apply_rule(rules, measures, result);
  const auto fail = [&result](const Lines& reasons) {
    result.state = PairState::kNotCompared;
    result.reasons = reasons.all();
  };
  try {
    ComparedFiles files = compare_files(result.golden_path, result.actual_path, rule.tolerance,
                                        measures_for(rule.tolerance, measures), &budget);
    result.difference = std::move(files.difference);
    conclude(rule.tolerance, files.a ? &*files.a : nullptr, files.b ? &*files.b : nullptr, measures,
             result);
  } catch (const Error& error) {
    fail(error.lines());
  } catch (const std::bad_alloc&) {
    fail("out of memory");
  }
  result.seconds = watch.seconds();
}

FolderListing list_pictures(const std::string& folder) {
  return list_files(folder, is_picture_name);
}

FolderListing list_files(const std::string& folder, const FileChoice& is_wanted) {
  FolderListing listing;
  list_folder(folder, "", is_wanted, listing);
  if (!listing.unreadable.empty() && listing.unreadable.back().first.empty()) {
    throw Error(ExitCode::kInvalidScene,
                fmt::format("{}: {}", folder, listing.unreadable.back().second));
  }
  std::sort(listing.files.begin(), listing.files.end());
  return listing;
}

ComparisonRun compare_folders(const std::string& golden_folder, const std::string& actual_folder,
                              const GoldenRules& rules, const Measures& measures) {
  ComparisonRun run;
  run.title = fmt::format("{} and {}", golden_folder, actual_folder);
  run.golden_folder = golden_folder;
  const FolderListing goldens = list_pictures(golden_folder);
  const FolderListing actuals = list_pictures(actual_folder);
  run.results = pair_names(golden_folder, goldens, actual_folder, actuals);
  std::set<std::string> others(goldens.others.begin(), goldens.others.end());
  others.insert(actuals.others.begin(), actuals.others.end());
  others.erase(kManifestName);
  others.erase(kLockName);
  run.ignored_files = others.size();
  std::erase_if(run.results,
                [&](const PairResult& result) { return is_mask(rules, result.golden_path); });
  const auto cores = static_cast<std::size_t>(tbb::this_task_arena::max_concurrency());
  MemoryBudget budget(physical_memory() / 2);
  const bool has_many_pairs = run.results.size() >= 4 * cores;
  tbb::parallel_for(std::size_t{0}, run.results.size(), [&](std::size_t i) {
    PairResult& result = run.results[i];
    if (result.golden_path.empty() || result.actual_path.empty()) return;
    const auto compare = [&] { compare_pair_of_files(rules, measures, result, budget); };
    // Many pairs: one thread each, so that none waits for another's part of its own pair. Few
    // pairs: all threads share each, and a waiting thread must not begin the next pair and hold
    // both.
    if (has_many_pairs) {
      tbb::task_arena(1).execute(compare);
    } else {
      tbb::this_task_arena::isolate(compare);
    }
  });
  return run;
}

}  // namespace roundel
