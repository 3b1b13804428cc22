#pragma once
#include "renderer/scene/scene.h"

namespace roundel {

/// True if the centres of an inline or random layer stay in binary64 until the view has moved them,
/// since earlier rounding to binary32 could move one by more than 1/64 pixel. The rounding error is
/// that of the inline circles, or 2⁻²⁴ of the largest |coordinate| of a random circle that reaches
/// the picture; in pixels, times the layer's scale, the view's zoom and the image's height.
/// Independent of a crop.
bool has_double_centers(const Scene& scene, const Layer& layer);

}  // namespace roundel
