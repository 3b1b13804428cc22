#pragma once
#include <array>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "renderer/pixels/image_settings.h"

namespace roundel {

/// Colours for t from 0 to 1: display values, mixed in binary64 between neighbours.
struct Gradient {
  std::vector<std::array<double, 3>> colors;  ///< at least one
  std::vector<double> places;                 ///< ascending, one a colour; empty: evenly
};

/// viridis, magma, inferno, plasma, cividis, turbo and gray.
const std::vector<std::string>& gradient_names();
/// Of 256 colours. `name` is one of gradient_names().
Gradient named_gradient(std::string_view name);

/// tab10 and set2: colours for categories.
const std::vector<std::string>& palette_names();
/// `name` is one of palette_names().
std::vector<DisplayColor> named_palette(std::string_view name);

/// "#rrggbb", if `text` is that.
std::optional<DisplayColor> parse_hex_color(std::string_view text);

/// The colours at these t, rounded to binary32. NaN stands for 0.
void colors_at(const Gradient& gradient, std::span<const double> t, std::span<DisplayColor> colors);

}  // namespace roundel
