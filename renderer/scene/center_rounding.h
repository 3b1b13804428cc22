#pragma once
#include "renderer/scene/scene.h"

namespace roundel {

/// True where the centres of an inline or random layer stay in binary64 until the view has moved
/// them: where rounding them to binary32 before could move one by more than 1/64 pixel. The
/// rounding is that of the inline circles, or 2⁻²⁴ of the largest |coordinate| that a random circle
/// which reaches the picture can have; in pixels it is that times the layer's scale, the view's
/// zoom and the image's height. A crop leaves it as it is.
bool has_double_centers(const Scene& scene, const Layer& layer);

}  // namespace roundel
