#pragma once
#include <cstdint>
#include <span>
#include <string>

/// The text of a scene over the format's description (renderer/scene/scene_spec.h): every byte is a
/// decision of which most follow the format and some break it, with lists beyond and short of their
/// limits, values of a wrong kind at any depth, keys twice, missing and unknown. Bytes that are
/// missing are zeros, which follow it: no bytes give the shortest valid scene.
std::string scene_from_bytes(std::span<const std::uint8_t> bytes);
