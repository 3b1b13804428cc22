#pragma once
#include "renderer/scene/scene.h"

namespace roundel {

/// True if the view must move an inline or random layer's centres in binary64, since rounding to
/// binary32 first could move one by more than 1/64 pixel. The error is that of the inline circles,
/// or 2⁻²⁴ of the largest |coordinate| of a random circle that reaches the picture; in pixels,
/// times the layer's scale, the view's zoom and the image's height. Independent of a crop.
bool has_double_centers(const Scene& scene, const Layer& layer);

}  // namespace roundel
