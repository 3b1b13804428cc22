#include "renderer/compare/golden_rules.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstddef>
#include <filesystem>

#include "renderer/base/error.h"
#include "renderer/base/input_file.h"
#include "renderer/base/text.h"
#include "renderer/compare/git_files.h"
#include "renderer/compare/ignored_pixels.h"
#include "renderer/format/format_errors.h"
#include "renderer/format/read_scalars.h"
#include "renderer/format/spec.h"
#include "renderer/format/validate.h"
#include "renderer/pixels/image_settings.h"

namespace roundel {
namespace {

constexpr std::uint64_t kMaxRules = 10'000;

SpecPtr whole_pixels() {
  return spec(IntegerSpec{0, static_cast<std::int64_t>(kMaxPixels)});
}

SpecPtr pixel_limit() {
  const SpecPtr percent = object("{percent: P}", {required("percent", spec(NumberSpec{0, 100}))});
  return any_of({whole_pixels(), percent}, "a number of pixels or {percent: NUMBER}");
}

SpecPtr density_limit() {
  const SpecPtr side = spec(IntegerSpec{1, kMaxImageSide});
  return object(
      "{pixels: N, width: W, height: H}",
      {required("pixels", whole_pixels()), required("width", side), required("height", side)});
}

SpecPtr ignored_boxes() {
  const SpecPtr place = spec(IntegerSpec{0, kMaxImageSide}),
                side = spec(IntegerSpec{1, kMaxImageSide});
  const SpecPtr box = object("{x: X, y: Y, width: W, height: H}",
                             {required("x", place), required("y", place), required("width", side),
                              required("height", side)});
  return spec(ListSpec{box, 1, kMaxRules}, "a list of boxes {x: X, y: Y, width: W, height: H}");
}

SpecPtr rule_spec() {
  const SpecPtr pattern = spec(StringSpec{}, "a pattern such as \"snow*\"");
  const SpecPtr patterns = any_of({pattern, spec(ListSpec{pattern, 1}, "a list of patterns")},
                                  "a pattern such as \"snow*\", or a list of them");
  std::vector<Field> fields = tolerance_fields();
  fields.insert(fields.begin(), required("pictures", patterns));
  return object("a rule {pictures: PATTERN, ...}", fields);
}

const Spec& manifest_format() {
  static const SpecPtr kFormat = object(
      "a manifest {version: 1, tolerances: [...]}",
      {required("version", spec(IntegerSpec{1, 1})),
       required("tolerances", spec(ListSpec{rule_spec(), 0, kMaxRules}, "a list of rules"))});
  return *kFormat;
}

/// Adds what is wrong with the mask's file to `errors`.
void read_mask_of(ValidNode rule, const std::string& manifest, FormatErrors& errors,
                  Tolerance& tolerance) {
  const auto mask = rule.find("mask");
  if (!mask) return;
  try {
    const std::filesystem::path folder = std::filesystem::path(manifest).parent_path();
    tolerance.mask = read_mask((folder / std::string(mask->text())).string());
  } catch (const Error& error) {
    errors.add(mask->place(), "mask", error.what());
  }
}

GoldenRule read_rule(ValidNode node, const std::string& path) {
  GoldenRule rule;
  const ValidNode pictures = node.find("pictures").value();
  const auto add = [&rule](ValidNode pattern) { rule.patterns.emplace_back(pattern.text()); };
  if (pictures.is_list()) {
    for (const ValidNode& pattern : pictures.items()) add(pattern);
  } else {
    add(pictures);
  }
  rule.name =
      fmt::format("{}:{} {}", path, node.place().line, roundel::quoted(rule.patterns.front()));
  if (rule.patterns.size() > 1) rule.name += fmt::format(" and {} more", rule.patterns.size() - 1);
  rule.tolerance = read_tolerance(node);
  return rule;
}

bool fits(const GoldenRule& rule, std::string_view name) {
  return std::any_of(rule.patterns.begin(), rule.patterns.end(),
                     [name](const std::string& pattern) { return glob_matches(pattern, name); });
}

/// Bytes of the character at the start of `text`, which is not empty.
std::size_t bytes_of_character(std::string_view text) {
  std::size_t length = 1;
  while (length < text.size() && (static_cast<unsigned char>(text[length]) & 0xC0U) == 0x80U) {
    ++length;
  }
  return length;
}

}  // namespace

std::vector<Field> tolerance_fields() {
  return {{"max-delta", spec(NumberSpec{0, kMostDelta})},
          {"max-pixels", pixel_limit()},
          {"max-density", density_limit()},
          {"flip-mean", spec(NumberSpec{0, 1})},
          {"ignore", ignored_boxes()},
          {"mask", spec(StringSpec{}, "a file name")},
          {"ignore-antialiasing", spec(BooleanSpec{})},
          {"shape-tolerant", spec(BooleanSpec{})}};
}

PixelBox read_box(ValidNode node) {
  PixelBox box;
  read_key(node, "x", read_integer, box.x);
  read_key(node, "y", read_integer, box.y);
  read_key(node, "width", read_integer, box.width);
  read_key(node, "height", read_integer, box.height);
  return box;
}

Tolerance read_tolerance(ValidNode rule) {
  Tolerance tolerance;
  read_key(rule, "max-delta", read_number, tolerance.max_delta);
  if (const auto limit = rule.find("max-pixels")) {
    tolerance.pixels_in_percent = limit->is_map();
    tolerance.max_pixels = read_number(limit->is_map() ? limit->find("percent").value() : *limit);
  }
  if (const auto limit = rule.find("max-density")) {
    Tolerance::Density density;
    read_key(*limit, "pixels", read_integer, density.pixels);
    read_key(*limit, "width", read_integer, density.width);
    read_key(*limit, "height", read_integer, density.height);
    tolerance.max_density = density;
  }
  if (const auto mean = rule.find("flip-mean")) tolerance.flip_mean = read_number(*mean);
  if (const auto boxes = rule.find("ignore"))
    for (const ValidNode& node : boxes->items()) tolerance.ignore.push_back(read_box(node));
  read_key(rule, "ignore-antialiasing", read_boolean, tolerance.ignores_antialiasing);
  read_key(rule, "shape-tolerant", read_boolean, tolerance.is_shape_tolerant);
  return tolerance;
}

GoldenRules rules_without_manifest(const Tolerance& tolerance) {
  return {{"default", {"*"}, tolerance}};
}

GoldenRules parse_manifest(std::string_view text, const std::string& path,
                           const Tolerance& otherwise) {
  YamlTree tree(text, path, "manifest");
  FormatErrors errors(path);
  const std::optional<PartlyValidNode> root = validate(tree.root(), manifest_format(), errors);
  errors.throw_if_any();
  GoldenRules rules;
  for (const ValidNode& rule : root.value().find("tolerances").value().items())
    read_mask_of(rule, path, errors, rules.emplace_back(read_rule(rule, path)).tolerance);
  errors.throw_if_any();
  rules.push_back(rules_without_manifest(otherwise).front());
  return rules;
}

GoldenRules read_manifest(const std::string& path, const Tolerance& otherwise) {
  // One byte more than allowed is enough to be refused.
  const std::string text = InputFile(path).read(YamlTree::kMaxFileBytes + 1);
  check_git_text(path, text);
  return parse_manifest(text, path, otherwise);
}

const GoldenRule& rule_for(const GoldenRules& rules, std::string_view name) {
  const auto rule = std::find_if(rules.begin(), rules.end() - 1,
                                 [name](const GoldenRule& known) { return fits(known, name); });
  return *rule;
}

std::vector<std::string> masks_of(const GoldenRules& rules) {
  std::vector<std::string> masks;
  for (const GoldenRule& rule : rules)
    if (rule.tolerance.mask) masks.push_back(rule.tolerance.mask->path);
  return masks;
}

bool is_mask(const GoldenRules& rules, const std::string& path) {
  const auto normal = [](const std::string& file) {
    return std::filesystem::path(file).lexically_normal();
  };
  const std::vector<std::string> masks = masks_of(rules);
  return std::any_of(masks.begin(), masks.end(),
                     [&](const std::string& mask) { return normal(mask) == normal(path); });
}

std::vector<std::string> unused_rules(const GoldenRules& rules, const std::set<std::string>& used) {
  std::vector<std::string> unused;
  for (auto rule = rules.begin(); rule + 1 < rules.end(); ++rule) {
    if (used.count(rule->name) == 0) unused.push_back(rule->name);
  }
  return unused;
}

bool glob_matches(std::string_view pattern, std::string_view name) {
  constexpr std::size_t kNone = static_cast<std::size_t>(-1);
  std::size_t p = 0, n = 0;
  // Only the last star need ever take more: what an earlier one could take in its place, this one
  // can too.
  std::size_t after_star = kNone, star_end = 0;
  while (n < name.size()) {
    if (p < pattern.size() && pattern[p] == '*') {
      after_star = ++p;
      star_end = n;
    } else if (p < pattern.size() && pattern[p] == '?') {
      ++p;
      n += bytes_of_character(name.substr(n));
    } else if (p < pattern.size() && pattern[p] == name[n]) {
      ++p;
      ++n;
    } else if (after_star != kNone) {
      p = after_star;
      star_end += bytes_of_character(name.substr(star_end));
      n = star_end;
    } else {
      return false;
    }
  }
  while (p < pattern.size() && pattern[p] == '*') ++p;
  return p == pattern.size();
}

}  // namespace roundel
