#include "renderer/compare/results_file.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <map>
#include <memory>

#include "renderer/base/error.h"
#include "renderer/base/input_file.h"
#include "renderer/base/text.h"
#include "renderer/compare/golden_rules.h"
#include "renderer/compare/ignored_pixels.h"
#include "renderer/compare/results_format.h"
#include "renderer/compare/run_json.h"
#include "renderer/format/json_tree.h"
#include "renderer/format/validate.h"

namespace roundel {
namespace {

namespace fs = std::filesystem;

/// Makes runs from valid trees.
class ResultsReader {
 public:
  ResultsReader(const std::string& path, const std::optional<std::string>& golden_folder,
                FormatErrors& errors)
      : errors_(errors), new_goldens_(golden_folder) {
    std::error_code error;
    const fs::path folder = fs::path(path).parent_path();
    base_ = fs::proximate(folder.empty() ? "." : folder, error);
  }

  void read(ValidNode root, ResultsFile& file) {
    ComparisonRun& run = file.run = results_form().read(root);
    if (const auto shard = root.find("shard"); shard && run.share > run.shares)
      errors_.add(shard->place(), "shard",
                  fmt::format("expected a share from 1 to {}, got {}", run.shares, run.share));
    old_goldens_ = moved(run.golden_folder);
    if (!old_goldens_.empty()) run.golden_folder = new_goldens_.value_or(old_goldens_);
    run.output_folder = moved(run.output_folder);
    std::map<std::string, std::uint32_t> lines;  // by name
    for (std::size_t i = 0; const ValidNode& node : root.find("pictures")->items()) {
      PairResult& result = run.results[i++];
      move_paths(node, result);
      file.places.push_back(node.place());
      const auto [first, is_new] = lines.emplace(result.name, node.place().line);
      if (!is_new)
        errors_.add(node.find("name")->place(), "pictures",
                    fmt::format("{} occurs twice, first in line {}", roundel::quoted(first->first),
                                first->second));
    }
    check_counts(*root.find("counts"), count_states(run));
  }

 private:
  /// Makes a path relative to the working directory; empty stays empty.
  std::string moved(const std::string& path) const {
    return path.empty() ? "" : without_slash((base_ / path).lexically_normal().string());
  }
  /// Moves a path that may be a golden's.
  std::string moved_golden(const std::string& in_file) const {
    std::string path = moved(in_file);
    if (path.empty() || !new_goldens_ || old_goldens_.empty()) return path;
    const fs::path below = fs::path(path).lexically_relative(old_goldens_);
    if (below.empty() || *below.begin() == "..") return path;
    return (fs::path(*new_goldens_) / below).string();
  }

  /// Moves a scene file's path, which stays the same relative to the goldens.
  std::string moved_scene(const std::string& in_file) const {
    std::string path = moved(in_file);
    if (path.empty() || !new_goldens_ || old_goldens_.empty()) return path;
    std::error_code ignored;
    const fs::path from_goldens = fs::path(path).lexically_relative(old_goldens_);
    const fs::path other = (fs::path(*new_goldens_) / from_goldens).lexically_normal();
    return fs::exists(other, ignored) ? other.string() : path;
  }

  void move_paths(ValidNode node, PairResult& result) {
    const auto tolerance = node.find("tolerance");
    if (const auto mask = tolerance ? tolerance->find("mask") : std::nullopt)
      result.tolerance.mask = mask_of(moved_golden(std::string(mask->text())));
    result.scene_path = moved_scene(result.scene_path);
    result.golden_path = moved_golden(result.golden_path);
    result.actual_path = moved_golden(result.actual_path);
    result.difference_path = moved(result.difference_path);
  }

  std::shared_ptr<const Mask> mask_of(const std::string& path) {
    const auto [mask, is_new] = masks_.emplace(path, nullptr);
    if (!is_new) return mask->second;
    try {
      mask->second = read_mask(path);
    } catch (const Error&) {  // showing a picture reports that it does not fit
      mask->second = std::make_shared<const Mask>(Mask{path, PixelSet(0, 0)});
    }
    return mask->second;
  }

  void check_counts(ValidNode node, const RunCounts& counts) {
    node.for_each_entry([&](std::string_view key, ValidNode value) {
      const std::int64_t there = counts_json(counts).at(std::string(key));
      if (read_integer(value) != there)
        errors_.add(
            value.place(), "counts." + std::string(key),
            fmt::format("expected {}, the number of such pictures, got {}", there, value.text()));
    });
  }

  FormatErrors& errors_;
  const std::optional<std::string>& new_goldens_;
  fs::path base_;
  std::string old_goldens_;
  std::map<std::string, std::shared_ptr<const Mask>> masks_;
};

/// Returns a path relative to a folder, by names alone; empty if outside.
fs::path path_below(const std::string& path, const fs::path& folder) {
  std::error_code error;
  const fs::path below = fs::absolute(path, error)
                             .lexically_normal()
                             .lexically_relative(fs::absolute(folder, error).lexically_normal());
  return error || below.empty() || *below.begin() == ".." ? fs::path() : below;
}

bool is_reached_by_link(fs::path folder, const fs::path& below) {
  std::error_code ignored;
  return std::any_of(below.begin(), below.end(), [&](const fs::path& part) {
    return fs::is_symlink(fs::symlink_status(folder /= part, ignored));
  });
}

}  // namespace

RefusedPictures refuse_pictures_elsewhere(const std::optional<std::string>& golden_folder,
                                          ResultsFile& file) {
  const fs::path parent = fs::path(file.path).parent_path(), folder = parent.empty() ? "." : parent;
  RefusedPictures refused;
  /// Empty if the picture is accepted.
  const auto refusal_of = [&](const std::string& path) -> std::string {
    const fs::path below = path_below(path, folder);
    if (below.empty()) return fmt::format("is not below {}", folder.string());
    if (is_reached_by_link(folder, below)) return "is reached by a link";
    return "";
  };
  const auto is_golden = [&](const std::string& path) {
    return golden_folder && !path_below(path, *golden_folder).empty();
  };
  for (std::size_t i = 0; i < file.run.results.size(); ++i) {
    PairResult& result = file.run.results[i];
    const auto refuse = [&](const char* key, std::string& path) {
      const std::string refusal = path.empty() ? "" : refusal_of(path);
      if (refusal.empty()) return;
      refused.others += fmt::format(
          "{}:{}:{}: pictures[{}].{}: {} {}: expected a picture beside the results\n", file.path,
          file.places[i].line, file.places[i].column, i, key, roundel::quoted(path), refusal);
      path.clear();
    };
    const auto refuse_golden = [&](const std::string& path) {
      const std::string refusal = path.empty() || is_golden(path) ? "" : refusal_of(path);
      const bool is_needed = result.state != PairState::kSame || !result.actual_path.empty();
      if (!refusal.empty() && is_needed)
        refused.goldens.push_back(fmt::format(
            "{}: {} {}, so it is not shown; name the folder of goldens with --goldens DIR",
            result.name, path, refusal));
      return !refusal.empty();
    };
    refuse("image", result.difference_path);
    if (!is_golden(result.actual_path)) refuse("actual", result.actual_path);
    if (refuse_golden(result.golden_path)) result.golden_path.clear();
    if (const auto& mask = result.tolerance.mask; mask && refuse_golden(mask->path))
      result.tolerance.mask = std::make_shared<const Mask>(Mask{mask->path, PixelSet(0, 0)});
  }
  return refused;
}

ResultsFile parse_results(std::string_view text, const std::string& path,
                          const std::optional<std::string>& golden_folder) {
  ResultsFile file{path, {}, {}};
  FormatErrors errors(path);
  YamlTree tree = json_tree(text, path, "results");
  validate(tree.root(), *results_form().spec, errors);
  errors.throw_if_any();
  ResultsReader(path, golden_folder, errors).read(ValidNode(tree.root()), file);
  errors.throw_if_any();
  return file;
}

ResultsFile read_results(const std::string& path, const std::optional<std::string>& golden_folder) {
  // One byte over the limit is enough for an error.
  return parse_results(InputFile(path).read(YamlTree::kMaxFileBytes + 1), path, golden_folder);
}

}  // namespace roundel
