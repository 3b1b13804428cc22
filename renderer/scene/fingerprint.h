#pragma once
#include <string>

#include "renderer/scene/scene.h"

namespace roundel {

/// 32 lower-case hex digits (XXH3-128) of everything that decides the scene's pixels except the
/// frame number: image, seed, view, layers (data files by content) and the version of the frame
/// contract. Ignores paths, output and frame range, and fps unless simulations use it.
std::string fingerprint(const Scene& scene);

/// Varies in films of data and with keys over time. Throws as scene_at() does.
std::string fingerprint_at(const Scene& scene, std::int64_t frame);

}  // namespace roundel
