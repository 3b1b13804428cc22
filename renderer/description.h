#pragma once
#include <array>
#include <nlohmann/json_fwd.hpp>
#include <string>

#include "renderer/scene/scene.h"

/// Descriptions of pictures: the numbers that axes, colour bars and legends need.
namespace roundel {

/// Scene space at the picture's edges, or the crop's: {{left, right}, {bottom, top}}. With flip_y
/// the bottom is the larger number.
std::array<std::array<double, 2>, 2> picture_window(const Scene& scene);

/// Size, circles, film, fingerprint, window and layers of a scene as it stands at its frame. Goes
/// through data that have not been gone through.
nlohmann::ordered_json description_json(const Scene& scene);

/// Window and layers with domains or categories as short JSON in ASCII, for files of pictures. Of
/// more than 16 KiB only the window.
std::string axes_text(const Scene& scene);

}  // namespace roundel
