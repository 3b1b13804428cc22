#pragma once
#include "renderer/compare/picture.h"

namespace roundel {

/// True where pixel (x, y) lies on an antialiased edge of one of two pictures of the same shape, so
/// that a difference there tells of the edge's smoothing only. The rule is that of pixelmatch 7
/// (github.com/mapbox/pixelmatch), after V. Vyšniauskas, "Anti-aliased Pixel and Intensity Slope
/// Detector" (2009): among the pixel's neighbours there are darker and brighter ones, and not more
/// than two as bright; and the darkest or the brightest one has three equal neighbours, in both
/// pictures. An edge of the picture counts as one neighbour.
bool is_antialiased(const Picture& a, const Picture& b, int x, int y);

}  // namespace roundel
