#pragma once
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "renderer/scene/scene.h"

namespace roundel {

/// The drawn part of a circle. A circle in a layer without strokes is all fill.
enum class CirclePart { kFill, kStroke };

/// Layer and index of a circle, both from 0 in paint order, as in messages about scene files.
struct LayerPlace {
  std::size_t layer;
  std::uint64_t index;
  CirclePart part = CirclePart::kFill;
};

/// Maps numbers of circles (or their parts) in a whole frame to places in the scene file, and back.
/// The places of a scene are equal in all frames.
class LayerPlaces {
 public:
  explicit LayerPlaces(const Scene& scene);

  /// 0 <= circle < circles of the frame, as drawn.
  LayerPlace find(std::uint64_t circle) const;
  /// Returns the number of the drawn circle or part at a place; nothing if the scene has no such
  /// place.
  std::optional<std::uint64_t> circle_at(const LayerPlace& place) const;
  /// Returns the number among all circles of the scene, equal for fill and stroke.
  std::uint64_t number_of(const LayerPlace& place) const {
    return layers_[place.layer].first_circle + place.index;
  }
  /// "fill" or "stroke"; empty in layers without strokes.
  const char* part_text(const LayerPlace& place) const {
    return !layers_[place.layer].has_stroke  ? ""
           : place.part == CirclePart::kFill ? "fill"
                                             : "stroke";
  }
  /// Returns the source of the layer's circles in the scene file's words: "generator rand10k",
  /// "random", "circles", "data flakes.npy".
  const std::string& source(std::size_t layer) const { return sources_[layer]; }
  /// Returns the layer's name in the scene; may be empty.
  const std::string& name(std::size_t layer) const { return names_[layer]; }
  /// Returns "layers[2] random", or with the layer's name "layers[2] stars: random".
  std::string text(std::size_t layer) const {
    return "layers[" + std::to_string(layer) + "] " +
           (names_[layer].empty() ? "" : names_[layer] + ": ") + sources_[layer];
  }

 private:
  struct LayerParts {
    std::uint64_t first_circle, first_part, parts;  ///< parts: per circle
    bool has_stroke;
  };
  std::vector<LayerParts> layers_;
  std::vector<std::uint64_t> ends_;  // [layers]: where its circles or parts end
  std::vector<std::string> sources_, names_;
};

}  // namespace roundel
