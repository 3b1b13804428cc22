#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>

#include "renderer/base/error.h"
#include "renderer/base/text.h"
#include "renderer/compare/results_file.h"
#include "renderer/compare/run_json.h"

namespace roundel {
namespace {

/// Keys on which two results of a name disagree: "state, reasons".
std::string differing_keys(const PairResult& a, const PairResult& b) {
  const auto of_a = statement_json(a), of_b = statement_json(b);
  std::string keys;
  for (const auto* json : {&of_a, &of_b})
    for (const auto& [key, value] : json->items()) {
      const auto* const other = json == &of_a ? &of_b : &of_a;
      const bool is_listed = json == &of_b && of_a.contains(key);
      if (is_listed || (other->contains(key) && other->at(key) == value)) continue;
      keys += (keys.empty() ? "" : ", ") + key;
    }
  return keys;
}

struct Source {
  const ResultsFile& file;
  std::size_t index;

  const PairResult& result() const { return file.run.results[index]; }
  Place place() const { return file.places[index]; }
};

std::string conflict_of(const Source& first, const Source& second) {
  const std::string keys = differing_keys(first.result(), second.result());
  if (keys.empty()) return "";
  return fmt::format("{}:{}:{}: pictures[{}]: {} has another result in {}:{}: they differ in {}",
                     second.file.path, second.place().line, second.place().column, second.index,
                     roundel::quoted(second.result().name), first.file.path, first.place().line,
                     keys);
}

void add_missing_shares(const std::vector<ResultsFile>& files, ComparisonRun& run) {
  std::map<std::pair<std::string, int>, std::set<int>> wholes;  // by title and number of shares
  for (const ResultsFile& file : files)
    if (file.run.shares > 0) wholes[{file.run.title, file.run.shares}].insert(file.run.share);
  for (const auto& [whole, shares] : wholes)
    for (int share = 1; share <= whole.second; ++share) {
      if (shares.count(share) > 0) continue;
      PairResult& missing = run.results.emplace_back();
      missing.name = fmt::format("share {} of {}", share, whole.second);
      missing.state = PairState::kNotCompared;
      missing.reasons = {"its results are missing; give the files of all shares"};
    }
}

/// Returns the value of all files that have one; empty if they differ.
std::string common_value(const std::vector<ResultsFile>& files, std::string ComparisonRun::*what) {
  std::set<std::string> values;
  for (const ResultsFile& file : files)
    if (!(file.run.*what).empty()) values.insert(file.run.*what);
  return values.size() == 1 ? *values.begin() : "";
}

}  // namespace

ComparisonRun merge_results(const std::vector<ResultsFile>& files) {
  std::map<std::string, Source> sources;  // by name
  std::vector<std::string> titles;
  Lines conflicts;
  ComparisonRun run;
  for (const ResultsFile& file : files) {
    run.ignored_files += file.run.ignored_files;
    if (std::find(titles.begin(), titles.end(), file.run.title) == titles.end())
      titles.push_back(file.run.title);
    for (std::size_t i = 0; i < file.run.results.size(); ++i) {
      const Source source{file, i};
      const auto [first, is_new] = sources.emplace(source.result().name, source);
      if (!is_new) conflicts += conflict_of(first->second, source);
    }
  }
  if (!conflicts.empty()) {
    throw Error(ExitCode::kInvalidScene, conflicts);
  }
  run.title = fmt::format("{}", fmt::join(titles, ", "));
  run.golden_folder = common_value(files, &ComparisonRun::golden_folder);
  run.output_folder = common_value(files, &ComparisonRun::output_folder);
  for (const auto& [name, source] : sources) run.results.push_back(source.result());
  add_missing_shares(files, run);
  return run;
}

}  // namespace roundel
