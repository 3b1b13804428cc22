#pragma once
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "renderer/compare/picture_difference.h"

namespace roundel {

/// What may differ in the pictures that fit a pattern.
struct GoldenRule {
  std::string name;  ///< for people: `goldens.yaml:4 "snow*"`
  std::vector<std::string> patterns;
  Tolerance tolerance;
};

/// In the order in which they are tried; the last one fits every name.
using GoldenRules = std::vector<GoldenRule>;

/// One rule for all pictures.
GoldenRules rules_without_manifest(const Tolerance& tolerance);

/// Reads a manifest, by default `goldens.yaml` in the folder of goldens:
///
///   version: 1
///   tolerances:                     # the first that fits a picture counts, whole
///     - pictures: ["snow*", "film/*"]
///       max-delta: 1
///       max-pixels: 12              # or {percent: 0.1}
///       max-density: {pixels: 4, width: 8, height: 8}
///       flip-mean: 0.01
///       ignore: [{x: 0, y: 0, width: 64, height: 16}]
///       mask: masks/clock.png       # relative to the manifest
///       ignore-antialiasing: true
///       shape-tolerant: true
///
/// `otherwise` is for pictures that none of them fits. Throws as load_scene does: every problem
/// with its place.
GoldenRules read_manifest(const std::string& path, const Tolerance& otherwise);
GoldenRules parse_manifest(std::string_view text, const std::string& path,
                           const Tolerance& otherwise);
inline constexpr const char* kManifestName = "goldens.yaml";

inline constexpr double kMostDelta = 1e9;  ///< of max-delta

/// The rule for the picture of this name, a path with '/' in the folder.
const GoldenRule& rule_for(const GoldenRules& rules, std::string_view name);

/// The files of the masks of all rules.
std::vector<std::string> masks_of(const GoldenRules& rules);
/// True for the file of one of them.
bool is_mask(const GoldenRules& rules, const std::string& path);

/// The names of the rules but the last that are not among `used`.
std::vector<std::string> unused_rules(const GoldenRules& rules, const std::set<std::string>& used);

/// True when the whole of `name` is what `pattern` describes: `*` stands for any characters, `/`
/// among them, or none; `?` for one character (of UTF-8); all else for itself. Takes time in
/// proportion to the product of the two lengths at most.
bool glob_matches(std::string_view pattern, std::string_view name);

}  // namespace roundel
