#pragma once
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "renderer/format/value_specs.h"
#include "renderer/map/color_map.h"
#include "renderer/scene/scene.h"

// What the descriptions of scenes are made of.
namespace roundel {

inline constexpr std::uint64_t kMaxStops = 1000;  ///< of a colour map, or colours to choose from

inline SpecPtr data_coordinate() {
  return number(-kMaxDataCoordinate, kMaxDataCoordinate);
}

inline SpecPtr hex_color() {
  return spec(HexColorSpec{}, "a colour \"#rrggbb\" with six hexadecimal digits");
}
inline std::vector<SpecPtr> color_forms() {
  const SpecPtr channel = number(0, kMaxColor);
  return {hex_color(), list_of(channel, 3, "[red, green, blue]"), channel};
}
inline SpecPtr color() {
  return any_of(color_forms(),
                "a colour: \"#rrggbb\" (in quotes), [red, green, blue] or one number (a grey)",
                "color");
}

/// Of a layer's data, in map_spec.cpp.
SpecPtr data_map_spec();
SpecPtr where_spec();
SpecPtr order_spec();
/// A number >= 0, or pixels.
SpecPtr length_spec(double max);
/// One above 0.
SpecPtr width_spec(double max);
/// What goes by a film of data, or by each of its files.
Field over_spec(const char* text);
SpecPtr colormap_spec();

}  // namespace roundel
