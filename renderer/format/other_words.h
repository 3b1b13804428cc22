#pragma once
#include <string>
#include <string_view>
#include <vector>

namespace roundel {

/// Returns what to type for a key that another tool has, or for a misspelt one, as colormap for
/// cmap, `image: {width: 1024}` for width or `x: 0.5` for "x:0.5". `known`: keys of the object.
/// Empty without a guess.
std::string meant_key(std::string_view word, const std::vector<std::string>& known);

/// Returns how to write a colour, as `write "#ff0000"` for red and #f00. Empty without a guess.
std::string color_hint(std::string_view text);

}  // namespace roundel
