#pragma once
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "renderer/compare/picture_difference.h"

namespace roundel {

struct GoldenRule {
  std::string name;  ///< for people: `goldens.yaml:4 "snow*"`
  std::vector<std::string> patterns;
  Tolerance tolerance;
};

/// In order of precedence; the last rule matches every name.
using GoldenRules = std::vector<GoldenRule>;

/// Name of the rule with the command line's limits.
inline constexpr const char* kDefaultRule = "default";
GoldenRules rules_without_manifest(const Tolerance& tolerance);

/// Reads a manifest, by default `goldens.yaml` in the folder of goldens:
///
///   version: 1
///   tolerances:                     # the first that fits a picture counts, whole
///     - pictures: ["snow*", "film/*"]
///       max-delta: 1
///       channel-delta: {"Z": 0.001, "N.*": 0.01}
///       max-pixels: 12              # or {percent: 0.1}
///       max-density: {pixels: 4, width: 8, height: 8}
///       flip-mean: 0.01
///       ignore: [{x: 0, y: 0, width: 64, height: 16}]
///       mask: masks/clock.png       # relative to the manifest
///       ignore-antialiasing: true
///       shape-tolerant: true
///
/// `otherwise` is for pictures without a rule. Throws as load_scene does: every problem with its
/// place.
GoldenRules read_manifest(const std::string& path, const Tolerance& otherwise);
GoldenRules parse_manifest(std::string_view text, const std::string& path,
                           const Tolerance& otherwise);
inline constexpr const char* kManifestName = "goldens.yaml";

inline constexpr double kMaxDelta = 1e9;  ///< limit of max-delta

/// `name`: path in the folder, with '/'.
const GoldenRule& rule_for(const GoldenRules& rules, std::string_view name);

std::vector<std::string> masks_of(const GoldenRules& rules);
bool is_mask(const GoldenRules& rules, const std::string& path);

/// Names of rules not in `used`, except the last rule.
std::vector<std::string> unused_rules(const GoldenRules& rules, const std::set<std::string>& used);

/// True if `pattern` matches all of `name`: `*` is any characters, even `/`, or none; `?` a
/// character of UTF-8. Takes time at most proportional to the product of the lengths.
bool glob_matches(std::string_view pattern, std::string_view name);

}  // namespace roundel
