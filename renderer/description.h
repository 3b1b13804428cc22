#pragma once
#include <array>
#include <nlohmann/json_fwd.hpp>
#include <string>

#include "renderer/scene/scene.h"

namespace roundel {

/// Scene space at the edges of the picture, or of its crop: {{left, right}, {bottom, top}}. With
/// flip_y the bottom is the larger number.
std::array<std::array<double, 2>, 2> picture_window(const Scene& scene);

/// Describes a scene at its frame: size, circles, film, fingerprint, window, layers. Reads all
/// data.
nlohmann::ordered_json description_json(const Scene& scene);

/// Returns window and layers with domains or categories as ASCII JSON for picture files; the window
/// alone above 16 KiB.
std::string axes_text(const Scene& scene);

}  // namespace roundel
