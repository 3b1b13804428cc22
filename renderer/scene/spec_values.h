#pragma once
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "renderer/format/form.h"
#include "renderer/map/color_map.h"
#include "renderer/scene/read_values.h"
#include "renderer/scene/scene.h"

// Forms that several parts of a scene share.
namespace roundel {

inline constexpr std::uint64_t kMaxStops = 1000;  ///< in colour maps and choices
inline constexpr std::uint64_t kMaxPixelLength = 1'000'000;

inline Form<double> data_coordinate() {
  return number(-kMaxDataCoordinate, kMaxDataCoordinate);
}

inline SpecPtr hex_color() {
  return spec(HexColorSpec{}, "a colour \"#rrggbb\" with six hexadecimal digits");
}
inline std::vector<Form<DisplayColor>> color_forms() {
  const Form<double> channel = number(0, kMaxColor);
  return {{hex_color(), read_color},
          {array_of<3>(channel, "[red, green, blue]"), read_color},
          {channel, read_color}};
}
/// `make` converts the colour.
template <typename T, typename Make>
std::vector<Form<T>> color_forms_as(Make make) {
  std::vector<Form<T>> forms;
  for (const Form<DisplayColor>& form : color_forms()) forms.push_back(convert(form, make));
  return forms;
}
inline Form<DisplayColor> color() {
  return any_of<DisplayColor>(
      color_forms(), "a colour: \"#rrggbb\" (in quotes), [red, green, blue] or one number (a grey)",
      "color");
}

/// Keys of a layer with data, in map_spec.cpp.
SpecPtr data_map_spec();
SpecPtr where_spec();
SpecPtr order_spec();
/// A number >= 0, or pixels.
Form<Length> length(double max);
/// A length > 0.
Form<Length> width(double max);
/// "frame" (true): depends on each file of a film of data; "film": on all.
inline Form<bool> over_frame() {
  return one_of<bool>({"film", "frame"});
}
SpecPtr colormap_spec();

}  // namespace roundel
