#pragma once
#include <array>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "renderer/map/color_map.h"
#include "renderer/scene/scene.h"
#include "renderer/scene/spec.h"

// What the descriptions of scenes are made of.
namespace roundel {

inline constexpr std::uint64_t kMaxStops = 1000;  ///< of a colour map, or colours to choose from

inline SpecPtr number(double min, double max) {
  return spec(NumberSpec{min, max});
}
inline SpecPtr number_above(double min, double max) {
  return spec(NumberSpec{min, max, true});
}
inline SpecPtr integer(std::int64_t min, std::int64_t max) {
  return spec(IntegerSpec{min, max});
}
inline SpecPtr boolean() {
  return spec(BooleanSpec{});
}
inline SpecPtr text(std::string expected) {
  return spec(StringSpec{}, std::move(expected));
}
inline SpecPtr one_of(std::vector<std::string> names) {
  return spec(EnumSpec{std::move(names)});
}
template <std::size_t kCount>
inline SpecPtr one_of(const std::array<const char*, kCount>& names) {
  return one_of({names.begin(), names.end()});
}
inline SpecPtr list_of(SpecPtr item, std::uint64_t size, std::string expected,
                       std::string definition = "") {
  return spec(ListSpec{std::move(item), size, size}, std::move(expected), std::move(definition));
}

inline constexpr double kMaxNumber = 1e300;
inline SpecPtr any_number() {
  return number(-kMaxNumber, kMaxNumber);
}
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
