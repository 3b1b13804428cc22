#pragma once
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "renderer/scene/scene.h"

namespace roundel {

/// Which circle of which layer: both counted from 0, in paint order, as the messages about scene
/// files count them.
struct LayerPlace {
  std::size_t layer;
  std::uint64_t index;
};

/// Between the number of a circle in a whole frame and its place in the scene file. A scene has the
/// same places in every frame.
class LayerPlaces {
 public:
  explicit LayerPlaces(const Scene& scene);

  /// 0 <= circle < circles of the frame.
  LayerPlace find(std::uint64_t circle) const;
  /// The number of the circle at a place; none where the scene has no such place.
  std::optional<std::uint64_t> circle_at(const LayerPlace& place) const;
  /// Where the layer's circles come from, in the scene file's words: "generator rand10k", "random",
  /// "circles", "data flakes.npy".
  const std::string& source(std::size_t layer) const { return sources_[layer]; }
  /// As the scene has it; may be empty.
  const std::string& name(std::size_t layer) const { return names_[layer]; }
  /// "layers[2] random", or with the layer's name "layers[2] stars: random".
  std::string text(std::size_t layer) const {
    return "layers[" + std::to_string(layer) + "] " +
           (names_[layer].empty() ? "" : names_[layer] + ": ") + sources_[layer];
  }

 private:
  std::vector<std::uint64_t> ends_;  // [layers]: circles up to and with each
  std::vector<std::string> sources_, names_;
};

}  // namespace roundel
