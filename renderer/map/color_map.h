#pragma once
#include <array>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "renderer/pixels/image_settings.h"

namespace roundel {

/// Display values for t from 0 to 1, interpolated linearly in binary64.
struct Gradient {
  std::vector<std::array<double, 3>> colors;  ///< at least one
  std::vector<double> places;                 ///< ascending, one per colour; empty: evenly spaced
};

/// viridis, magma, inferno, plasma, cividis, turbo and gray.
const std::vector<std::string>& gradient_names();
/// 256 colours. `name` is one of gradient_names().
Gradient named_gradient(std::string_view name);

/// tab10 and set2: colours for categories.
const std::vector<std::string>& palette_names();
/// `name` is one of palette_names().
std::vector<DisplayColor> named_palette(std::string_view name);

/// Reads "#rrggbb".
std::optional<DisplayColor> parse_hex_color(std::string_view text);

/// Rounded to binary32. NaN counts as 0.
void colors_at(const Gradient& gradient, std::span<const double> t, std::span<DisplayColor> colors);

}  // namespace roundel
