#pragma once
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "renderer/scene/scene.h"

namespace roundel {

/// In layers without strokes a circle is all fill.
enum class CirclePart { kFill, kStroke };

/// Layer and index of a circle, both from 0, as in messages about scene files.
struct LayerCircle {
  std::size_t layer;
  std::uint64_t index;
  CirclePart part = CirclePart::kFill;
};

/// Maps numbers of circles or their parts in a whole frame to places in the scene file, and back.
/// Equal for all frames of a scene.
class CircleNumbering {
 public:
  explicit CircleNumbering(const Scene& scene);

  /// 0 <= circle < circles of the frame, as drawn.
  LayerCircle find(std::uint64_t circle) const;
  /// Returns nothing for a place that does not exist.
  std::optional<std::uint64_t> circle_at(const LayerCircle& place) const;
  /// Number among all circles of the scene, equal for fill and stroke.
  std::uint64_t number_of(const LayerCircle& place) const {
    return layers_[place.layer].first_circle + place.index;
  }
  /// "fill" or "stroke"; empty in layers without strokes.
  const char* part_text(const LayerCircle& place) const {
    return !layers_[place.layer].has_stroke  ? ""
           : place.part == CirclePart::kFill ? "fill"
                                             : "stroke";
  }
  /// "generator rand10k", "random", "circles", "data flakes.npy"
  const std::string& source(std::size_t layer) const { return sources_[layer]; }
  /// The layer's name in the scene; may be empty.
  const std::string& name(std::size_t layer) const { return names_[layer]; }
  /// "layers[2] random", or with the layer's name "layers[2] stars: random"
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
