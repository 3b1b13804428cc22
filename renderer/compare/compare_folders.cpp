#include "renderer/compare/compare_folders.h"

#include <fmt/format.h>
#include <tbb/parallel_for.h>
#include <tbb/task_arena.h>

#include <algorithm>
#include <filesystem>
#include <map>

#include "renderer/base/error.h"

namespace roundel {
namespace {

namespace fs = std::filesystem;

bool is_picture_name(const fs::path& path) {
  return known_format(path.extension().string()).has_value();
}

/// Adds what is in the folder `below` (relative to `root`, empty for itself) and all under it.
void list_folder(const fs::path& root, const fs::path& below, FolderListing& listing) {
  std::error_code error;
  for (fs::directory_iterator entry(root / below, error), end; !error && entry != end;
       entry.increment(error)) {
    const fs::path name = below / entry->path().filename();
    std::error_code ignored;
    if (entry->is_directory(ignored)) {
      if (!entry->is_symlink(ignored)) list_folder(root, name, listing);
    } else if (is_picture_name(name)) {
      listing.pictures.push_back(name.string());
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

/// One result for every name that one of the folders has, not compared yet.
std::vector<PairResult> pair_names(const std::string& golden_folder,
                                   const std::string& actual_folder) {
  const FolderListing goldens = list_pictures(golden_folder);
  const FolderListing actuals = list_pictures(actual_folder);
  std::map<std::string, PairResult> pairs;
  for (const std::string& name : goldens.pictures)
    pairs[name].golden_path = (fs::path(golden_folder) / name).string();
  for (const std::string& name : actuals.pictures)
    pairs[name].actual_path = (fs::path(actual_folder) / name).string();
  std::vector<PairResult> results;
  for (auto& [name, result] : pairs) {
    result.name = name;
    if (result.golden_path.empty()) result.state = PairState::kNew;
    if (result.actual_path.empty()) result.state = PairState::kMissing;
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

FolderListing list_pictures(const std::string& folder) {
  FolderListing listing;
  list_folder(folder, "", listing);
  if (!listing.unreadable.empty() && listing.unreadable.back().first.empty()) {
    throw Error(ExitCode::kInvalidScene,
                fmt::format("{}: {}", folder, listing.unreadable.back().second));
  }
  std::sort(listing.pictures.begin(), listing.pictures.end());
  return listing;
}

ComparisonRun compare_folders(const std::string& golden_folder, const std::string& actual_folder,
                              const GoldenRules& rules, const Measures& measures) {
  ComparisonRun run;
  run.title = fmt::format("{} and {}", golden_folder, actual_folder);
  run.results = pair_names(golden_folder, actual_folder);
  const auto cores = static_cast<std::size_t>(tbb::this_task_arena::max_concurrency());
  const bool has_many = run.results.size() >= 4 * cores;
  tbb::parallel_for(std::size_t{0}, run.results.size(), [&](std::size_t i) {
    PairResult& result = run.results[i];
    if (result.golden_path.empty() || result.actual_path.empty()) return;
    const auto compare = [&] { compare_pair_of_files(rules, measures, result); };
    // Many pairs: a thread each, so that none waits for another's part of its own pair. Few: all
    // threads share each; a thread that waits must not begin with the next pair, and hold both.
    if (has_many) {
      tbb::task_arena(1).execute(compare);
    } else {
      tbb::this_task_arena::isolate(compare);
    }
  });
  return run;
}

}  // namespace roundel
