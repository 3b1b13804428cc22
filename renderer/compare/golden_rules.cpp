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
#include "renderer/compare/tolerance_fields.h"
#include "renderer/format/format_errors.h"
#include "renderer/format/validate.h"
#include "renderer/pixels/image_settings.h"

namespace roundel {
namespace {

constexpr std::uint64_t kMaxRules = 10'000;

Form<std::int64_t> whole_pixels() {
  return integer(0, static_cast<std::int64_t>(kMaxPixels));
}

/// A limit for differing pixels, as a number or a percentage.
Form<Tolerance> pixel_limit() {
  const SpecPtr percent = object("{percent: P}", {required("percent", number(0, 100))});
  constexpr const char* kExpected = "a whole number of pixels, or a share as in {percent: 0.1}";
  const SpecPtr whole = spec(IntegerSpec{0, static_cast<std::int64_t>(kMaxPixels)}, kExpected);
  return {any_of({whole, percent}, kExpected), [](ValidNode node) {
            const bool in_percent = node.is_map();
            const ValidNode limit = in_percent ? node.find("percent").value() : node;
            return Tolerance{.max_pixels = read_number(limit), .pixels_in_percent = in_percent};
          }};
}

Form<Tolerance::Density> density_limit() {
  using Density = Tolerance::Density;
  const auto side = integer(1, kMaxImageSide);
  return object<Density>(
      "{pixels: N, width: W, height: H}",
      {required("pixels", &Density::pixels, whole_pixels()),
       required("width", &Density::width, side), required("height", &Density::height, side)});
}

Form<std::vector<PixelBox>> ignored_boxes() {
  const auto box =
      object<PixelBox>("{x: X, y: Y, width: W, height: H}",
                       box_fields(integer(0, kMaxImageSide), integer(1, kMaxImageSide)));
  return list_of(box, 1, kMaxRules, "a list of boxes {x: X, y: Y, width: W, height: H}");
}

Form<std::vector<std::string>> patterns() {
  const auto pattern = text("a pattern such as \"snow*\"");
  return any_of<std::vector<std::string>>(
      {convert(pattern, [](std::string only) { return std::vector{std::move(only)}; }),
       list_of(pattern, 1, ListSpec{}.max_items, "a list of patterns")},
      "a pattern such as \"snow*\", or a list of them");
}

struct Manifest {
  std::vector<GoldenRule> rules;
};
const ObjectForm<Manifest>& manifest_form() {
  static const ObjectForm<Manifest> kForm = [] {
    std::vector<FieldOf<GoldenRule>> fields = {
        required("pictures", &GoldenRule::patterns, patterns())};
    for (const FieldOf<Tolerance>& field : tolerance_fields())
      fields.push_back(within(&GoldenRule::tolerance, field));
    const auto rule = object<GoldenRule>("a rule {pictures: PATTERN, ...}", std::move(fields));
    return object<Manifest>(
        "a manifest {version: 1, tolerances: [...]}",
        {required("version", integer(1, 1)),
         required("tolerances", &Manifest::rules, list_of(rule, 0, kMaxRules, "a list of rules"))});
  }();
  return kForm;
}

/// Adds problems of the mask's file to `errors`.
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

/// `goldens.yaml:4 "snow*"`
std::string name_of_rule(const GoldenRule& rule, const std::string& path, Place place) {
  std::string name =
      fmt::format("{}:{} {}", path, place.line, roundel::quoted(rule.patterns.front()));
  if (rule.patterns.size() > 1) name += fmt::format(" and {} more", rule.patterns.size() - 1);
  return name;
}

bool fits(const GoldenRule& rule, std::string_view name) {
  return std::any_of(rule.patterns.begin(), rule.patterns.end(),
                     [name](const std::string& pattern) { return glob_matches(pattern, name); });
}

/// `text` must not be empty.
std::size_t bytes_of_character(std::string_view text) {
  std::size_t length = 1;
  while (length < text.size() && (static_cast<unsigned char>(text[length]) & 0xC0U) == 0x80U) {
    ++length;
  }
  return length;
}

/// Limits by patterns of channels.
Form<std::vector<Tolerance::ChannelDelta>> channel_deltas() {
  const auto limit = number(0, kMaxDelta);
  return {spec(DictSpec{limit}, "a map of patterns as in {\"Z\": 0.001}"), [limit](ValidNode map) {
            std::vector<Tolerance::ChannelDelta> all;
            map.for_each_entry([&](std::string_view pattern, ValidNode node) {
              all.push_back({std::string(pattern), limit.read(node)});
            });
            return all;
          }};
}

}  // namespace

std::vector<FieldOf<Tolerance>> tolerance_fields() {
  return {{"max-delta", &Tolerance::max_delta, number(0, kMaxDelta)},
          {"channel-delta", &Tolerance::channel_deltas, channel_deltas()},
          {"max-pixels",
           [](Tolerance& tolerance, const Tolerance& limit) {
             tolerance.max_pixels = limit.max_pixels;
             tolerance.pixels_in_percent = limit.pixels_in_percent;
           },
           pixel_limit()},
          {"max-density", &Tolerance::max_density, density_limit()},
          {"flip-mean", &Tolerance::flip_mean, number(0, 1)},
          {"ignore", &Tolerance::ignore, ignored_boxes()},
          {"mask", text("a file name")},
          {"ignore-antialiasing", &Tolerance::ignores_antialiasing, boolean()},
          {"shape-tolerant", &Tolerance::is_shape_tolerant, boolean()}};
}

std::vector<FieldOf<PixelBox>> box_fields(const Form<std::int64_t>& place,
                                          const Form<std::int64_t>& side) {
  return {required("x", &PixelBox::x, place), required("y", &PixelBox::y, place),
          required("width", &PixelBox::width, side), required("height", &PixelBox::height, side)};
}

GoldenRules rules_without_manifest(const Tolerance& tolerance) {
  return {{kDefaultRule, {"*"}, tolerance}};
}

GoldenRules parse_manifest(std::string_view text, const std::string& path,
                           const Tolerance& otherwise) {
  YamlTree tree(text, path, "manifest");
  FormatErrors errors(path);
  validate(tree.root(), *manifest_form().spec, errors);
  errors.throw_if_any();
  const ValidNode root(tree.root());
  GoldenRules rules = manifest_form().read(root).rules;
  for (std::size_t i = 0; const ValidNode& node : root.find("tolerances").value().items()) {
    GoldenRule& rule = rules[i++];
    rule.name = name_of_rule(rule, path, node.place());
    read_mask_of(node, path, errors, rule.tolerance);
  }
  errors.throw_if_any();
  rules.push_back(rules_without_manifest(otherwise).front());
  return rules;
}

GoldenRules read_manifest(const std::string& path, const Tolerance& otherwise) {
  // One byte over the limit is enough for an error.
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
  // Only the last star may need to grow: it can take all characters that an earlier one could.
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
