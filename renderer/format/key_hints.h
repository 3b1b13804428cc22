#pragma once
#include <string>
#include <string_view>
#include <vector>

namespace roundel {

/// Replacement for another tool's key or a misspelt one: colormap for cmap, `image: {width: 1024}`
/// for width, `x: 0.5` for "x:0.5". `keys`: the object's. Empty without a guess.
std::string suggested_key(std::string_view word, const std::vector<std::string>& keys);

/// How to write a colour, `write "#ff0000"` for red and #f00. Empty without a guess.
std::string color_hint(std::string_view text);

}  // namespace roundel
