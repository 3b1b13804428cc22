#pragma once
#include <string>

#include "renderer/scene/scene.h"

namespace roundel {

/// 32 lower-case hex digits (XXH3-128) over everything that determines the scene's pixels but the
/// frame number: image, seed, view, layers (data files by content) and the version of the frame
/// contract. Not over paths, output or frame range, and over fps only
/// where simulations go by it.
std::string fingerprint(const Scene& scene);

/// That of the scene as it stands at a frame, which differs from frame to frame in films of data
/// and where values have keys over time. Throws what scene_at() does.
std::string fingerprint_at(const Scene& scene, std::int64_t frame);

}  // namespace roundel
