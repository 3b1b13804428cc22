#pragma once
#include <array>
#include <nlohmann/json_fwd.hpp>
#include <string>

#include "renderer/scene/scene.h"

/// Descriptions of pictures: the numbers that axes, colour bars and legends need.
namespace roundel {

/// Scene space at the edges of the picture, or of its crop: {{left, right}, {bottom, top}}. With
/// flip_y the bottom is the larger number.
std::array<std::array<double, 2>, 2> picture_window(const Scene& scene);

/// Returns size, circles, film, fingerprint, window and layers of a scene at its frame. Reads all
/// data that were not read before.
nlohmann::ordered_json description_json(const Scene& scene);

/// Returns window and layers with domains or categories as short ASCII JSON for picture files, or
/// the window alone if that is over 16 KiB.
std::string axes_text(const Scene& scene);

}  // namespace roundel
