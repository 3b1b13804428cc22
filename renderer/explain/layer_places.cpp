#include "renderer/explain/layer_places.h"

#include <algorithm>

#include "renderer/generate/generate.h"

namespace roundel {
namespace {

struct SourceText {
  std::string operator()(const GeneratorSource& source) const { return "generator " + source.name; }
  std::string operator()(const RandomSource& /*source*/) const { return "random"; }
  std::string operator()(const InlineSource& /*source*/) const { return "circles"; }
  std::string operator()(const DataSource& source) const { return "data " + source.path; }
};

}  // namespace

LayerPlaces::LayerPlaces(const Scene& scene) {
  ends_.reserve(scene.layers.size());
  sources_.reserve(scene.layers.size());
  std::uint64_t end = 0;
  for (const Layer& layer : scene.layers) {
    end += count_circles(layer);
    ends_.push_back(end);
    sources_.push_back(std::visit(SourceText{}, layer.source));
    names_.push_back(layer.name);
  }
}

LayerPlace LayerPlaces::find(std::uint64_t circle) const {
  const auto end = std::upper_bound(ends_.begin(), ends_.end(), circle);
  const std::uint64_t begin = end == ends_.begin() ? 0 : *(end - 1);
  return {static_cast<std::size_t>(end - ends_.begin()), circle - begin};
}

std::optional<std::uint64_t> LayerPlaces::circle_at(const LayerPlace& place) const {
  if (place.layer >= ends_.size()) return std::nullopt;
  const std::uint64_t circle = (place.layer == 0 ? 0 : ends_[place.layer - 1]) + place.index;
  if (circle >= ends_[place.layer]) return std::nullopt;
  return circle;
}

}  // namespace roundel
