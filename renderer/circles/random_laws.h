#pragma once
#include <cstdint>

#include "renderer/circles/random_circle.h"
#include "renderer/scene/scene.h"

namespace roundel {

/// Rounds the scene's numbers to binary32. `alpha`: the shader's, for layers without an alpha law.
RandomLaws make_random_laws(const RandomSource& source, std::uint32_t seed,
                            std::uint32_t layer_index, float alpha);

}  // namespace roundel
