#include "renderer/compare/results_file.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <limits>
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
#include "renderer/format/read_scalars.h"
#include "renderer/format/validate.h"

namespace roundel {
namespace {

namespace fs = std::filesystem;

/// The number of a name among these.
template <typename Enum>
Enum read_enum(ValidNode node, const std::vector<std::string>& names, int first = 0) {
  const auto found = std::find(names.begin(), names.end(), node.text());
  return static_cast<Enum>(found - names.begin() + first);
}

std::string text_of(ValidNode node) {
  return std::string(node.text());
}

std::vector<std::string> texts_of(ValidNode list) {
  std::vector<std::string> texts;
  for (const ValidNode& node : list.items()) texts.push_back(text_of(node));
  return texts;
}

/// null is infinity.
double read_measure(ValidNode node) {
  return node.is_null() ? std::numeric_limits<double>::infinity() : read_number(node);
}

PictureDifference::Flip read_flip(ValidNode node) {
  PictureDifference::Flip flip;
  read_key(node, "mean", read_number, flip.mean);
  read_key(node, "weighted_median", read_number, flip.weighted_median);
  read_key(node, "min", read_number, flip.min);
  read_key(node, "max", read_number, flip.max);
  return flip;
}

PictureDifference read_difference(ValidNode node) {
  PictureDifference difference;
  difference.kind = read_enum<PictureDifference::Kind>(*node.find("kind"), kind_names());
  read_key(node, "shape", text_of, difference.shape);
  if (const auto flip = node.find("flip")) difference.flip = read_flip(*flip);
  if (const auto ssim = node.find("ssim")) difference.ssim = read_number(*ssim);
  read_key(node, "width", read_integer, difference.width);
  read_key(node, "height", read_integer, difference.height);
  read_key(node, "pixels", read_integer, difference.pixels);
  read_key(node, "pixels_over", read_integer, difference.pixels_over);
  read_key(node, "not_finite", read_integer, difference.not_finite);
  read_key(node, "antialiased", read_integer, difference.antialiased);
  if (const auto ignored = node.find("ignored")) {
    read_key(*ignored, "pixels", read_integer, difference.ignored);
    read_key(*ignored, "different", read_integer, difference.ignored_different);
  }
  if (const auto channels = node.find("channels"))
    channels->for_each_entry([&](std::string_view name, ValidNode channel) {
      difference.channels.push_back({std::string(name), read_measure(*channel.find("largest")),
                                     read_measure(*channel.find("mean"))});
    });
  read_key(node, "rmse", read_measure, difference.rmse);
  read_key(node, "psnr_db", read_measure, difference.psnr);
  read_key(node, "box", read_box, difference.box);
  if (const auto densest = node.find("densest")) {
    difference.densest = read_box(*densest);
    read_key(*densest, "pixels", read_integer, difference.densest_pixels);
  }
  return difference;
}

/// Makes runs of valid trees.
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
    ComparisonRun& run = file.run;
    read_key(root, "title", text_of, run.title);
    if (const auto shard = root.find("shard")) {
      read_key(*shard, "share", read_integer, run.share);
      read_key(*shard, "of", read_integer, run.shares);
      if (run.share > run.shares)
        errors_.add(shard->place(), "shard",
                    fmt::format("expected a share from 1 to {}, got {}", run.shares, run.share));
    }
    read_key(root, "passed_over", read_integer, run.passed_over);
    if (const auto goldens = root.find("goldens")) {
      old_goldens_ = moved(*goldens);
      run.golden_folder = new_goldens_.value_or(old_goldens_);
    }
    if (const auto output = root.find("output")) run.output_folder = moved(*output);
    std::map<std::string, std::uint32_t> lines;  // of names
    for (const ValidNode& node : root.find("pictures")->items()) {
      run.results.push_back(read_result(node));
      file.places.push_back(node.place());
      const auto [first, is_new] = lines.emplace(run.results.back().name, node.place().line);
      if (!is_new)
        errors_.add(node.find("name")->place(), "pictures",
                    fmt::format("{} occurs twice, first in line {}", roundel::quoted(first->first),
                                first->second));
    }
    check_counts(*root.find("counts"), count_states(run));
  }

 private:
  /// A path of the file's, from the working directory on.
  std::string moved(ValidNode node) const {
    return without_slash((base_ / std::string(node.text())).lexically_normal().string());
  }
  /// The same of a file that may be a golden's.
  std::string moved_golden(ValidNode node) const {
    std::string path = moved(node);
    if (!new_goldens_ || old_goldens_.empty()) return path;
    const fs::path below = fs::path(path).lexically_relative(old_goldens_);
    if (below.empty() || *below.begin() == "..") return path;
    return (fs::path(*new_goldens_) / below).string();
  }

  /// The same of a scene, which stands to the goldens as it did, where that is a file.
  std::string moved_scene(ValidNode node) const {
    std::string path = moved(node);
    if (!new_goldens_ || old_goldens_.empty()) return path;
    std::error_code ignored;
    const fs::path from_goldens = fs::path(path).lexically_relative(old_goldens_);
    const fs::path other = (fs::path(*new_goldens_) / from_goldens).lexically_normal();
    return fs::exists(other, ignored) ? other.string() : path;
  }

  PairResult read_result(ValidNode node) {
    PairResult result;
    read_key(node, "name", text_of, result.name);
    result.state = read_enum<PairState>(*node.find("state"), state_names());
    if (const auto origin = node.find("origin"))
      result.origin = read_enum<Origin>(*origin, origin_names(), 1);
    read_key(node, "reasons", texts_of, result.reasons);
    read_key(node, "explanation", texts_of, result.explanation);
    read_key(node, "rule", text_of, result.rule);
    if (const auto tolerance = node.find("tolerance")) {
      result.tolerance = read_tolerance(*tolerance);
      if (const auto mask = tolerance->find("mask"))
        result.tolerance.mask = mask_of(moved_golden(*mask));
    }
    if (const auto difference = node.find("difference"))
      result.difference = read_difference(*difference);
    read_key(node, "ppd", read_number, result.pixels_per_degree);
    if (const auto path = node.find("scene")) result.scene_path = moved_scene(*path);
    if (const auto path = node.find("golden")) result.golden_path = moved_golden(*path);
    if (const auto path = node.find("actual")) result.actual_path = moved_golden(*path);
    if (const auto path = node.find("image")) result.difference_path = moved(*path);
    read_key(node, "seconds", read_number, result.seconds);
    return result;
  }

  std::shared_ptr<const Mask> mask_of(const std::string& path) {
    const auto [mask, is_new] = masks_.emplace(path, nullptr);
    if (!is_new) return mask->second;
    try {
      mask->second = read_mask(path);
    } catch (const Error&) {  // showing a picture says that it does not fit
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

/// Returns `path` relative to a folder, by the names alone; empty if it lies elsewhere.
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
  /// Why the picture at a path is refused; empty: it is not.
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
  validate(tree.root(), results_spec(), errors);
  errors.throw_if_any();
  ResultsReader(path, golden_folder, errors).read(ValidNode(tree.root()), file);
  errors.throw_if_any();
  return file;
}

ResultsFile read_results(const std::string& path, const std::optional<std::string>& golden_folder) {
  // One byte more than allowed is enough to be refused.
  return parse_results(InputFile(path).read(YamlTree::kMaxFileBytes + 1), path, golden_folder);
}

}  // namespace roundel
