#pragma once
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "renderer/scene/scene.h"

namespace roundel {

/// What of a circle is drawn: in layers without a stroke all of it is its fill.
enum class CirclePart { kFill, kStroke };

/// Which circle of which layer: both counted from 0, in paint order, as the messages about scene
/// files count them.
struct LayerPlace {
  std::size_t layer;
  std::uint64_t index;
  CirclePart part = CirclePart::kFill;
};

/// Between the number of what is drawn in a whole frame, circles or their parts, and its place in
/// the scene file. A scene has the same places in every frame.
class LayerPlaces {
 public:
  explicit LayerPlaces(const Scene& scene);

  /// 0 <= circle < circles of the frame, as drawn.
  LayerPlace find(std::uint64_t circle) const;
  /// The number of what is drawn at a place; none where the scene has no such place.
  std::optional<std::uint64_t> circle_at(const LayerPlace& place) const;
  /// Among all circles of the scene: fill and stroke have the same.
  std::uint64_t number_of(const LayerPlace& place) const {
    return layers_[place.layer].first_circle + place.index;
  }
  /// "fill" or "stroke"; empty in layers without strokes.
  const char* part_text(const LayerPlace& place) const {
    return !layers_[place.layer].has_stroke  ? ""
           : place.part == CirclePart::kFill ? "fill"
                                             : "stroke";
  }
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
  struct LayerParts {
    std::uint64_t first_circle, first_part, parts;  ///< parts: of each circle
    bool has_stroke;
  };
  std::vector<LayerParts> layers_;
  std::vector<std::uint64_t> ends_;  // [layers]: of what is drawn, up to and with each
  std::vector<std::string> sources_, names_;
};

}  // namespace roundel
