#include "renderer/compare/stored_goldens.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <filesystem>
#include <limits>
#include <map>
#include <optional>
#include <utility>

#include "renderer/base/error.h"
#include "renderer/base/text.h"
#include "renderer/compare/golden_names.h"
#include "renderer/compare/picture_shapes.h"
#include "renderer/image/files.h"

namespace roundel {
namespace {

namespace fs = std::filesystem;

/// In a picture's metadata.
using StoredOrigin = std::pair<std::string, std::int64_t>;

std::optional<StoredOrigin> stored_origin(const std::string& path) {
  try {
    const std::optional<ImageMetadata> metadata =
        path.ends_with(".exr") ? read_picture(path).metadata : read_png_checksums(path).metadata;
    if (metadata && !metadata->fingerprint.empty())
      return StoredOrigin(metadata->fingerprint, metadata->frame);
  } catch (const Error&) {  // no readable metadata
  }
  return std::nullopt;
}

std::string path_in(const std::string& folder, const std::string& name) {
  return (fs::path(folder) / name).string();
}

std::optional<StoredOrigin> origin_of_golden(const std::string& name, const StoredGoldens& stored) {
  if (auto origin = stored_origin(path_in(stored.folder, name))) return origin;
  const auto locked = stored.lock.find(name);
  if (locked == stored.lock.end()) return std::nullopt;
  return StoredOrigin(locked->second.fingerprint, locked->second.frame);
}

bool is_of_film(const std::string& name, const std::set<std::string>& drawn) {
  for (std::size_t end = name.find('/'); end != std::string::npos; end = name.find('/', end + 1))
    if (drawn.count(name.substr(0, end + 1)) > 0) return true;
  return false;
}

GoldenTrial try_golden(const PairResult& subject, const std::string& path, const Picture& drawn,
                       const GoldenRules& rules, const Measures& measures) {
  GoldenTrial trial;
  trial.result = subject;
  trial.result.golden_path = path;
  trial.golden = read_picture(path);
  if (!same_shape(trial.golden, drawn))
    make_comparable(trial.golden, trial.alike = copy_of(drawn),
                    rule_for(rules, subject.name).tolerance.is_shape_tolerant);
  compare_pair(trial.golden, trial.compared(drawn), rules, measures, trial.result);
  return trial;
}

/// Number of differing pixels, then RMSE; another shape is farthest.
std::pair<std::uint64_t, double> distance(const PictureDifference& difference) {
  if (difference.kind == PictureDifference::Kind::kOtherShape)
    return {std::numeric_limits<std::uint64_t>::max(), 0};
  return {difference.pixels_over, difference.rmse};
}

template <typename T>
bool same_bits(const Buffer<T>& a, const Buffer<T>& b) {
  return a.size() == b.size() &&
         (a.size() == 0 || std::memcmp(a.data(), b.data(), a.size() * sizeof(T)) == 0);
}

}  // namespace

std::vector<std::string> golden_pictures(const std::string& folder) {
  std::error_code ignored;
  if (!fs::exists(fs::symlink_status(folder, ignored))) return {};
  return list_pictures(folder).files;
}

StoredGoldens find_goldens(const std::string& folder) {
  StoredGoldens stored{folder, golden_pictures(folder), read_golden_lock(folder)};
  // Photographs cannot be goldens.
  std::erase_if(stored.files, [](const std::string& name) { return !known_format(name); });
  return stored;
}

std::vector<std::string> unused_goldens(const StoredGoldens& stored,
                                        const std::set<std::string>& drawn,
                                        const GoldenRules& rules) {
  std::set<std::string> unused;
  const auto is_drawn = [&drawn](const std::string& name) {
    return drawn.count(name) > 0 || is_of_film(name, drawn) ||
           drawn.count(picture_of_alternative(name)) > 0;
  };
  for (const std::string& name : stored.files)
    if (!is_drawn(name) && !is_mask(rules, path_in(stored.folder, name))) unused.insert(name);
  for (const auto& [name, golden] : stored.lock)
    if (!is_drawn(name)) unused.insert(name);
  return {unused.begin(), unused.end()};
}

PairResult missing_picture(const std::string& name, const StoredGoldens& stored) {
  PairResult result;
  result.name = name;
  result.state = PairState::kMissing;
  result.reasons = {"no scene of this run draws it"};
  if (std::binary_search(stored.files.begin(), stored.files.end(), name))
    result.golden_path = path_in(stored.folder, name);
  return result;
}

void find_renamed(const std::vector<std::string>& unused, const StoredGoldens& stored,
                  ComparisonRun& run) {
  const auto is_new = [](const PairResult& result) { return result.state == PairState::kNew; };
  if (std::none_of(run.results.begin(), run.results.end(), is_new)) return;
  std::map<StoredOrigin, std::string> names;  // unused ones
  for (const std::string& name : unused)
    if (const auto origin = origin_of_golden(name, stored)) names.emplace(*origin, name);
  for (PairResult& result : run.results) {
    if (!is_new(result)) continue;
    const auto origin = stored_origin(result.actual_path);
    const auto golden = origin ? names.find(*origin) : names.end();
    if (golden == names.end()) continue;
    const std::string path = path_in(stored.folder, golden->second);
    result.reasons.push_back(path + " is of this scene and frame, under another name");
    if (std::binary_search(stored.files.begin(), stored.files.end(), golden->second))
      result.golden_path = path;
  }
}

GoldenTrial try_goldens(const PairResult& subject, const std::vector<std::string>& goldens,
                        const Picture& drawn, const GoldenRules& rules, const Measures& measures) {
  std::optional<GoldenTrial> nearest;
  for (const std::string& path : goldens) {
    GoldenTrial trial = try_golden(subject, path, drawn, rules, measures);
    if (trial.result.state == PairState::kSame) return trial;
    if (!nearest || distance(trial.result.difference) < distance(nearest->result.difference))
      nearest = std::move(trial);
  }
  if (goldens.size() > 1)
    nearest->result.reasons.push_back(
        fmt::format("nearest of {} goldens: {}", goldens.size(), nearest->result.golden_path));
  return std::move(nearest.value());
}

GoldenTrial try_locked(const PairResult& subject, const LockedGolden& golden,
                       const std::string& folder, const Picture& drawn) {
  GoldenTrial trial;
  trial.result = subject;
  const ImageMetadata stored_metadata{"", golden.fingerprint, 0, golden.frame};
  trial.result.origin = origin_of(stored_metadata, drawn.metadata);
  if (pixel_hash(drawn) == golden.pixels) return trial;
  trial.result.state = PairState::kDiffers;
  trial.result.difference.kind = PictureDifference::Kind::kOtherShape;
  trial.result.difference.shape = "a hash and a picture";
  trial.result.reasons = {fmt::format("its pixels have another hash than {}:{}",
                                      path_in(folder, kLockName), golden.line)};
  return trial;
}

bool same_pixels(const Picture& a, const Picture& b) {
  return same_bits(a.bytes, b.bytes) && same_bits(a.floats, b.floats);
}

}  // namespace roundel
