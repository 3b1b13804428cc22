#include "renderer/explain/circle_numbering.h"

#include <algorithm>

#include "renderer/circles/generate.h"

namespace roundel {
namespace {

struct SourceText {
  std::string operator()(const GeneratorSource& source) const { return "generator " + source.name; }
  std::string operator()(const RandomSource& /*source*/) const { return "random"; }
  std::string operator()(const InlineSource& /*source*/) const { return "circles"; }
  std::string operator()(const DataSource& source) const { return "data " + source.path; }
};

}  // namespace

CircleNumbering::CircleNumbering(const Scene& scene) {
  ends_.reserve(scene.layers.size());
  sources_.reserve(scene.layers.size());
  std::uint64_t end = 0, circles = 0;
  for (const Layer& layer : scene.layers) {
    layers_.push_back({circles, end, parts_of(layer), layer.stroke.has_value()});
    circles += count_circles(layer);
    end += count_parts(layer);
    ends_.push_back(end);
    sources_.push_back(std::visit(SourceText{}, layer.source));
    names_.push_back(layer.name);
  }
}

LayerCircle CircleNumbering::find(std::uint64_t circle) const {
  const auto end = std::upper_bound(ends_.begin(), ends_.end(), circle);
  const auto index = static_cast<std::size_t>(end - ends_.begin());
  const LayerParts& layer = layers_[index];
  const std::uint64_t part = circle - layer.first_part;
  const bool is_stroke = layer.has_stroke && part % layer.parts == layer.parts - 1;
  return {index, part / layer.parts, is_stroke ? CirclePart::kStroke : CirclePart::kFill};
}

std::optional<std::uint64_t> CircleNumbering::circle_at(const LayerCircle& place) const {
  if (place.layer >= ends_.size()) return std::nullopt;
  const LayerParts& layer = layers_[place.layer];
  const bool is_stroke = place.part == CirclePart::kStroke;
  const bool has_part = is_stroke ? layer.has_stroke : !layer.has_stroke || layer.parts == 2;
  const std::uint64_t circle =
      layer.first_part + layer.parts * place.index + (is_stroke ? layer.parts - 1 : 0);
  if (!has_part || circle >= ends_[place.layer]) return std::nullopt;
  return circle;
}

}  // namespace roundel
