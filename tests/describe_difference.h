#pragma once
#include <fmt/format.h>

#include <array>
#include <string>

#include "renderer/base/text.h"
#include "renderer/image/bit_difference.h"

namespace roundel {

/// Returns one line for people: "pixels are the same", "12 pixels differ, the first at (3, 4) in
/// blue, …".
inline std::string describe(const Difference& difference) {
  if (difference.size) return "sizes or channels differ";
  if (difference.pixels == 0) return "pixels are the same";
  constexpr std::array kChannels = {"red", "green", "blue", "alpha"};
  return fmt::format(
      "{} differ{}, the first at ({}, {}) in {}; largest difference {}",
      counted(difference.pixels, "pixel"), difference.pixels == 1 ? "s" : "", difference.x,
      difference.y, kChannels.at(static_cast<std::size_t>(difference.channel)), difference.largest);
}

}  // namespace roundel
