#pragma once
#include <string>
#include <string_view>
#include <vector>

namespace roundel {

/// Returns what to type instead of another tool's key or a misspelt one, such as colormap for cmap,
/// `image: {width: 1024}` for width, `x: 0.5` for "x:0.5". `keys`: keys of the object. Empty if it
/// has no guess.
std::string meant_key(std::string_view word, const std::vector<std::string>& keys);

/// Returns how to write a colour, `write "#ff0000"` for red and #f00. Empty if it has no guess.
std::string color_hint(std::string_view text);

}  // namespace roundel
