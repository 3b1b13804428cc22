#include "renderer/scene/read_styles.h"

#include <fmt/format.h>

#include <algorithm>

#include "renderer/scene/read_keys.h"
#include "renderer/scene/read_values.h"
#include "renderer/scene/scene_spec.h"

namespace roundel {
namespace {

double max_channel(const DisplayColor& color) {
  return std::max({color.red, color.green, color.blue});
}

/// Colours between keys stay below the larger one.
double max_over_time(ValidNode color) {
  const auto keys = color.is_map() ? color.find("keys") : std::nullopt;
  if (!keys) return max_channel(read_color(color));
  double largest = 0;
  keys->for_each_entry([&](std::string_view /*frame*/, ValidNode value) {
    largest = std::max(largest, max_channel(read_color(value_at_key(value))));
  });
  return largest;
}

/// Colour maps stay within 1.
struct MaxOfLaw {
  double operator()(const ConstantColor& law) const { return max_channel(law.value); }
  double operator()(const UniformColor& law) const {
    return std::max(max_channel(law.low), max_channel(law.high));
  }
  double operator()(const ChoiceColor& law) const {
    double largest = 0;
    for (const DisplayColor& color : law.colors) largest = std::max(largest, max_channel(color));
    return largest;
  }
  double operator()(const GradientColor& /*law*/) const { return 1; }
};

double max_of_map(const ColorMap& color) {
  double largest =
      std::max(max_channel(color.constant), max_channel(color.missing.value_or(DisplayColor{})));
  for (const NumberMap& channel : color.channels)
    if (!channel.slot) largest = std::max(largest, channel.constant);
  for (const Category& category : color.categories)
    largest = std::max(largest, max_channel(category.color));
  return largest;
}

/// Multiply and screen use colours as shares of the background.
class ColorCheck {
 public:
  ColorCheck(PartlyValidNode node, const std::string& path, const char* mode, FormatErrors& errors)
      : node_(node), path_(path), mode_(mode), errors_(errors) {}

  void operator()(GeneratorSource& /*source*/) const {}  // within 0 to 1
  void operator()(RandomSource& source) const {
    const auto random = node_.find_part("random");
    if (const auto color = random ? random->find("color") : std::nullopt)
      check(color->place(), ".random.color", std::visit(MaxOfLaw(), source.color));
  }
  void operator()(InlineSource& /*source*/) const {
    const auto circles = node_.find("circles");
    if (!circles) return;
    std::size_t index = 0;
    for (const ValidNode& circle : circles->items()) {
      if (const auto color = circle.find("color"))
        check(color->place(), fmt::format(".circles[{}].color", index), max_over_time(*color));
      ++index;
    }
  }
  void operator()(DataSource& source) const {
    source.map.color.max_channel = 1;
    if (const auto color = node_.find("color"))
      check(color->place(), ".color", max_channel(read_color(*color)));
    if (source.map.is_plain) return;
    const auto map = node_.find_part("map");
    if (const auto color = map ? map->find("color") : std::nullopt)
      check(color->place(), ".map.color", max_of_map(source.map.color));
  }

  void check(Place place, const std::string& key, double largest) const {
    if (largest <= 1) return;
    errors_.add(place, path_ + key,
                fmt::format("expected colours from 0 to 1, which blend: {} needs, got {}", mode_,
                            static_cast<float>(largest)));
  }

 private:
  PartlyValidNode node_;
  const std::string& path_;
  const char* mode_;
  FormatErrors& errors_;
};

void check_blend(PartlyValidNode node, const ImageSettings& image, const std::string& layer_path,
                 Layer& layer, FormatErrors& errors) {
  const auto blend = node.find("blend");
  if (!blend) return;
  if (layer.blend == BlendMode::kOver || layer.blend == BlendMode::kAdd) return;
  if (image.alpha)
    errors.add(
        blend->place(), layer_path + ".blend",
        fmt::format("{} needs a background: remove image.alpha: true", name_of(layer.blend)));
  const ColorCheck check(node, layer_path, name_of(layer.blend), errors);
  std::visit(check, layer.source);
  const auto stroke = node.find_part("stroke");
  if (const auto color = stroke ? stroke->find("color") : std::nullopt)
    check.check(color->place(), ".stroke.color", max_over_time(*color));
}

void read_stroke(PartlyValidNode node, const std::string& layer_path, Layer& layer,
                 FormatErrors& errors) {
  const auto part = node.find_part("stroke");
  const bool is_solid = layer.shader == Shader::kSolid;
  if (!part && !layer.fill && !node.has("stroke"))
    errors.add(node.find("fill")->place(), layer_path + ".fill",
               is_solid ? "false leaves nothing to paint; add \"stroke\""
                        : "false leaves nothing to paint; remove it");
  if (!part) return;
  if (is_solid)
    scene_forms().stroke.fill(*part, layer.stroke.emplace());
  else
    errors.add(part->place(), layer_path + ".stroke",
               fmt::format("not allowed with the {} shader; remove it, or write shader: solid",
                           layer.shader == Shader::kSnow ? "snow" : "soft"));
}

}  // namespace

void read_styles(PartlyValidNode node, const ImageSettings& image, const std::string& layer_path,
                 Layer& layer, FormatErrors& errors) {
  check_blend(node, image, layer_path, layer, errors);
  read_stroke(node, layer_path, layer, errors);
}

}  // namespace roundel
