#pragma once
#include <cstdint>
#include <span>
#include <string>

/// Returns the text of a scene by the format's description (renderer/scene/scene_spec.h): every
/// byte is a decision. Most decisions follow the format, some break it: lists beyond and short of
/// their limits, values of a wrong kind at any depth, repeated, missing and unknown keys. Missing
/// bytes are zeros, which follow it: an empty input gives the shortest valid scene.
std::string scene_from_bytes(std::span<const std::uint8_t> bytes);
