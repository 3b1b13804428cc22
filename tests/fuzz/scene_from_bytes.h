#pragma once
#include <cstdint>
#include <span>
#include <string>

/// Returns the text of a scene by the format's description (renderer/scene/scene_spec.h). Every
/// byte is a decision: most follow the format, some break it by lists beyond and short of their
/// limits, values of a wrong kind, and repeated, missing or unknown keys. Missing bytes are zeros:
/// an empty input gives the shortest valid scene.
std::string scene_from_bytes(std::span<const std::uint8_t> bytes);
