#pragma once
#include <algorithm>
#include <array>
#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "renderer/base/host_device.h"
#include "renderer/pixels/image_settings.h"

namespace roundel {

/// Display values for t from 0 to 1, interpolated linearly in binary64.
struct Gradient {
  std::vector<std::array<double, 3>> colors;  ///< at least one
  std::vector<double> places;                 ///< ascending, one per colour; empty: evenly spaced
};

/// A gradient in memory of others, for both backends.
struct GradientView {
  const std::array<double, 3>* colors;  ///< [count]
  const double* places;                 ///< [count]; null: evenly spaced
  std::size_t count;

  /// Rounded to binary32. NaN counts as 0.
  ROUNDEL_HOST_DEVICE DisplayColor at(double t) const {
    if (count == 1) return mixed(colors[0], colors[0], 0);
    const double place = t >= 0 ? t : 0;
    std::size_t stop = 0;  // the color before the place, but not the last
    if (places == nullptr) {
      const double scaled = place * static_cast<double>(count - 1);
      stop = std::min(static_cast<std::size_t>(scaled), count - 2);
      return mixed(colors[stop], colors[stop + 1], scaled - static_cast<double>(stop));
    }
    for (std::size_t end = count - 1; stop + 1 < end;) {
      const std::size_t middle = (stop + end) / 2;
      if (place < places[middle])
        end = middle;
      else
        stop = middle;
    }
    const double low = places[stop], high = places[stop + 1];
    const double share = place <= low ? 0 : place >= high ? 1 : (place - low) / (high - low);
    return mixed(colors[stop], colors[stop + 1], share);
  }

 private:
  ROUNDEL_HOST_DEVICE static DisplayColor mixed(const std::array<double, 3>& low,
                                                const std::array<double, 3>& high, double share) {
    return {static_cast<float>(low[0] + (high[0] - low[0]) * share),
            static_cast<float>(low[1] + (high[1] - low[1]) * share),
            static_cast<float>(low[2] + (high[2] - low[2]) * share)};
  }
};
inline GradientView view_of(const Gradient& gradient) {
  return {gradient.colors.data(), gradient.places.empty() ? nullptr : gradient.places.data(),
          gradient.colors.size()};
}

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

}  // namespace roundel
