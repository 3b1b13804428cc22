#pragma once
#include <cstdint>
#include <nlohmann/json_fwd.hpp>
#include <string>

#include "renderer/explain/explain_pixel.h"
#include "renderer/explain/heat_map.h"
#include "renderer/explain/layer_places.h"
#include "renderer/scene/scene.h"

namespace roundel {

/// A pixel that was explained. Rows count from the top here, as people count them.
struct PixelReport {
  const Scene& scene;
  std::int64_t frame;
  int x, y;
  const Circles& circles;  ///< in frame space
  const PixelExplanation& explanation;
};

/// A table for people, and one JSON object for programs; see docs/explain.md.
std::string pixel_table(const PixelReport& report);
std::string pixel_json(const PixelReport& report);

/// A heat map that was written.
struct HeatMapReport {
  const Scene& scene;
  std::int64_t frame;
  HeatMapKind kind;
  const std::string& output;
  HeatMapSummary summary;
  bool in_colours;  ///< by the colour map, else the values themselves
};

const char* name_of(HeatMapKind kind);
/// One line with the scale: what is black, and what brightest.
std::string heat_map_line(const HeatMapReport& report);
std::string heat_map_json(const HeatMapReport& report);

/// One JSON object on a line of its own; text that is not UTF-8 is replaced.
std::string json_line(const nlohmann::ordered_json& json);

/// "layers[2] random".
std::string layer_text(const LayerPlaces& places, std::size_t layer);

}  // namespace roundel
