#include "renderer/scene/scene.h"

#include "renderer/scene/classic_scenes.h"

namespace roundel {

std::uint64_t count_circles(const Layer& layer) {
  struct Count {
    std::uint64_t operator()(const GeneratorSource& s) const { return classic_scene(s.name).count; }
    std::uint64_t operator()(const RandomSource& s) const { return s.count; }
    std::uint64_t operator()(const InlineSource& s) const { return s.circles.size(); }
    std::uint64_t operator()(const DataSource& s) const { return s.rows; }
  };
  return std::visit(Count{}, layer.source);
}

std::uint64_t count_circles(const Scene& scene) {
  std::uint64_t count = 0;
  for (const Layer& layer : scene.layers) count += count_circles(layer);
  return count;
}

}  // namespace roundel
