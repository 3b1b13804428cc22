#pragma once
#include <cstdint>

#include "renderer/circles/random_circle.h"
#include "renderer/scene/scene.h"

namespace roundel {

/// A scene's random layer as what random_circle draws from. `alpha` is the shader's, for layers
/// without an alpha law. Numbers of the scene are rounded to binary32.
RandomLaws make_random_laws(const RandomSource& source, std::uint32_t seed,
                            std::uint32_t layer_index, float alpha);

}  // namespace roundel
