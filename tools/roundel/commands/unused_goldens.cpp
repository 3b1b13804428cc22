#include "tools/roundel/commands/unused_goldens.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <map>
#include <optional>
#include <utility>

#include "renderer/base/error.h"
#include "renderer/base/text.h"
#include "renderer/compare/golden_names.h"
#include "renderer/image/files.h"
#include "tools/roundel/cli/terminal.h"

namespace roundel {
namespace {

namespace fs = std::filesystem;

/// Fingerprint and frame that a PNG says it is of.
using SaidOrigin = std::pair<std::string, std::int64_t>;

std::optional<SaidOrigin> said_origin(const std::string& path) {
  try {
    const std::optional<ImageMetadata> metadata = read_png_checksums(path).metadata;
    if (metadata && !metadata->fingerprint.empty())
      return SaidOrigin(metadata->fingerprint, metadata->frame);
  } catch (const Error&) {  // it says nothing
  }
  return std::nullopt;
}

std::string path_in(const std::string& folder, const std::string& name) {
  return (fs::path(folder) / name).string();
}

bool is_of_film(const std::string& name, const std::set<std::string>& drawn) {
  for (std::size_t end = name.find('/'); end != std::string::npos; end = name.find('/', end + 1))
    if (drawn.count(name.substr(0, end + 1)) > 0) return true;
  return false;
}

}  // namespace

std::vector<std::string> unused_goldens(const std::string& folder,
                                        const std::set<std::string>& drawn,
                                        const GoldenRules& rules) {
  std::vector<std::string> unused;
  for (const std::string& name : list_pictures(folder).files) {
    if (!known_format(name)) continue;  // photographs are no goldens
    const bool is_drawn = drawn.count(name) > 0 || is_of_film(name, drawn) ||
                          drawn.count(picture_of_other_golden(name)) > 0;
    if (!is_drawn && !is_mask(rules, path_in(folder, name))) unused.push_back(name);
  }
  return unused;
}

void print_unused_goldens(const std::vector<std::string>& unused, const std::string& folder) {
  if (unused.empty()) return;
  constexpr std::size_t kFew = 5;
  std::string names;
  for (std::size_t i = 0; i < std::min(kFew, unused.size()); ++i)
    names += (i == 0 ? "" : ", ") + printable(unused[i]);
  print_out(fmt::format("{} in {} of no picture of this run: {}{}\n",
                        counted(unused.size(), "golden"), folder, names,
                        unused.size() > kFew ? ", …" : ""));
}

PairResult missing_picture(const std::string& name, const std::string& folder) {
  PairResult result;
  result.name = name;
  result.state = PairState::kMissing;
  result.golden_path = path_in(folder, name);
  result.reasons = {"no scene of this run draws it"};
  return result;
}

void find_renamed(const std::vector<std::string>& unused, const std::string& folder,
                  ComparisonRun& run) {
  const auto is_new = [](const PairResult& result) { return result.state == PairState::kNew; };
  if (std::none_of(run.results.begin(), run.results.end(), is_new)) return;
  std::map<SaidOrigin, std::string> names;  // of those unused
  for (const std::string& name : unused)
    if (const auto origin = said_origin(path_in(folder, name))) names.emplace(*origin, name);
  for (PairResult& result : run.results) {
    if (!is_new(result)) continue;
    const auto origin = said_origin(result.actual_path);
    const auto golden = origin ? names.find(*origin) : names.end();
    if (golden != names.end())
      result.reasons.push_back(path_in(folder, golden->second) +
                               " is of this scene and frame, under another name");
  }
}

}  // namespace roundel
