#include "tools/roundel/compare/golden_trial.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <filesystem>
#include <limits>
#include <optional>
#include <utility>

#include "renderer/base/text.h"
#include "renderer/compare/alike_pictures.h"

namespace roundel {
namespace {

GoldenTrial try_golden(const PairResult& subject, const std::string& path, const Picture& drawn,
                       const GoldenRules& rules, const Measures& measures) {
  GoldenTrial trial;
  trial.result = subject;
  trial.result.golden_path = path;
  trial.golden = read_picture(path);
  if (rule_for(rules, subject.name).tolerance.is_shape_tolerant && !same_shape(trial.golden, drawn))
    make_alike(trial.golden, trial.alike = copy_of(drawn));
  compare_pair(trial.golden, trial.compared(drawn), rules, measures, trial.result);
  return trial;
}

/// Pixels that differ, then by how much; pictures of another shape are the farthest.
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
  const ImageMetadata said{"", golden.fingerprint, 0, golden.frame};
  trial.result.origin = origin_of(said, drawn.metadata);
  if (pixel_hash(drawn) == golden.pixels) return trial;
  trial.result.state = PairState::kDiffers;
  trial.result.difference.kind = PictureDifference::Kind::kOtherShape;
  trial.result.difference.shape = "a hash and a picture";
  trial.result.reasons = {fmt::format("its pixels have not the hash at {}:{}",
                                      (std::filesystem::path(folder) / kLockName).string(),
                                      golden.line)};
  return trial;
}

bool same_pixels(const Picture& a, const Picture& b) {
  return same_bits(a.bytes, b.bytes) && same_bits(a.floats, b.floats);
}

}  // namespace roundel
