#pragma once
#include "renderer/compare/picture.h"

namespace roundel {

/// True if pixel (x, y) lies on an antialiased edge of one of two pictures of the same shape, whose
/// smoothing explains a difference. The rule of pixelmatch 7 (github.com/mapbox/pixelmatch), after
/// V. Vyšniauskas, "Anti-aliased Pixel and Intensity Slope Detector" (2009): the pixel has darker
/// and brighter neighbours, and at most two as bright; the darkest or the brightest one has three
/// equal neighbours in both pictures. An edge of the picture counts as one neighbour.
bool is_antialiased(const Picture& a, const Picture& b, int x, int y);

}  // namespace roundel
