#pragma once
#include <optional>

#include "renderer/compare/picture.h"

namespace roundel {

/// Mean structural similarity (Wang, Bovik, Sheikh and Simoncelli 2004) of the luma of two pictures
/// of the same shape, 1 if equal: 0.299 R + 0.587 G + 0.114 B of display values 0 to 1, a Gaussian
/// window of 11x11 pixels with deviation 1.5, K₁ = 0.01, K₂ = 0.03, over all windows inside the
/// pictures. Linear floats are encoded as sRGB and clamped at 1. Pictures with alpha are composited
/// over black and over white, and the lower value counts. Nothing for pictures below a window.
std::optional<double> structural_similarity(const Picture& a, const Picture& b);

}  // namespace roundel
