#pragma once
#include <cstdint>
#include <string>
#include <vector>

#include "renderer/image/files.h"
#include "renderer/render.h"
#include "renderer/scene/scene.h"

namespace roundel {

/// What in a valid picture hardly anybody means, for people: a sentence each, without a place.

/// About the scene as it will be drawn: an image of another aspect than the scene's, most circles
/// under a pixel, colours far above 1 in a picture of 8 bits.
std::vector<std::string> surprises(const Scene& scene, ImageFormat format,
                                   const CircleSample& sample);

/// About a frame that no circle touches; empty for one of `overlaps` > 0, or without circles. Makes
/// all circles, to say where they are.
std::string nothing_to_see(const Scene& scene, std::int64_t frame, std::uint64_t overlaps);

/// About a film of so many frames in which nothing moves; else empty.
std::string nothing_moves(const Scene& scene, std::size_t frames);

/// Prints each that is not empty on stderr, as "roundel: SCENE: …"; nothing with --quiet.
void warn(const Scene& scene, const std::vector<std::string>& sentences);

}  // namespace roundel
