#pragma once
#include "renderer/compare/flip.h"
#include "renderer/compare/picture.h"
#include "renderer/compare/picture_difference.h"
#include "renderer/pixels/image.h"

namespace roundel {

/// Draws `a` in light grey, pixels of `b` beyond the tolerance's limits red, other differences
/// yellow (also ignored antialiasing), and ignored pixels hatched blue. Both have the same shape,
/// or differ in size only: then the image has the size of `a`, and its pixels that `b` lacks are
/// hatched violet.
Image difference_image(const Picture& a, const Picture& b, const Tolerance& tolerance);

/// Returns the flip_image() of the pixels that are not ignored.
Image flip_of(const Picture& a, const Picture& b, const Tolerance& tolerance,
              double pixels_per_degree);
/// Draws a map of errors in the colours of matplotlib's magma, from black (0) to light yellow (1).
Image flip_image(const FlipMap& map);

/// Returns 8-bit sRGB for display: RGB, or RGBA with alpha. 16 bits are rounded; linear floats are
/// clamped at 1 and encoded, alpha divided out; grey fills three channels.
Image display_image(const Picture& picture);
/// Inverse of picture_of().
Image rendered_image(const Picture& picture);

}  // namespace roundel
