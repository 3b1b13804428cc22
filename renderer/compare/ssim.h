#pragma once
#include <optional>

#include "renderer/compare/picture.h"

namespace roundel {

/// The mean structural similarity (Wang, Bovik, Sheikh and Simoncelli 2004) of the luma of two
/// pictures of the same shape, 1 for equal ones: 0.299 R + 0.587 G + 0.114 B of display values 0 to
/// 1, a Gaussian window of 11x11 pixels with deviation 1.5, K₁ = 0.01, K₂ = 0.03, over all windows
/// that lie inside the pictures. Linear floats are encoded as sRGB and cut off at 1 first. Pictures
/// with alpha are laid over black and over white, and the lower value counts. Nothing for pictures
/// smaller than a window.
std::optional<double> structural_similarity(const Picture& a, const Picture& b);

}  // namespace roundel
