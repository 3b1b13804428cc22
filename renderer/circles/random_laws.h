#pragma once
#include <cstdint>

#include "renderer/circles/random_circle.h"
#include "renderer/scene/scene.h"

namespace roundel {

/// Returns a scene's random layer as laws for random_circle. `alpha` is the shader's, for layers
/// without an alpha law. Rounds the scene's numbers to binary32.
RandomLaws make_random_laws(const RandomSource& source, std::uint32_t seed,
                            std::uint32_t layer_index, float alpha);

}  // namespace roundel
