#pragma once
#include "renderer/compare/flip.h"
#include "renderer/compare/picture.h"
#include "renderer/compare/picture_difference.h"
#include "renderer/pixels/image.h"

namespace roundel {

/// Picture `a` faded to a light grey, with the pixels of `b` that are over the tolerance's limits
/// in red, those that differ by less, or by antialiasing where that is ignored, in yellow, and
/// ignored ones hatched. Both pictures of the same shape.
Image difference_image(const Picture& a, const Picture& b, const Tolerance& tolerance);

/// The flip_image() of what is not ignored.
Image flip_of(const Picture& a, const Picture& b, const Tolerance& tolerance,
              double pixels_per_degree);
/// A map of ꟻLIP's errors in the colours of matplotlib's magma, from black (0) to light yellow (1).
Image flip_image(const FlipMap& map);

/// The picture as 8-bit sRGB for people to look at: RGB, or RGBA where it has alpha. 16 bits are
/// rounded; linear floats are cut off at 1 and encoded, alpha divided out; grey is spread over the
/// three channels.
Image display_image(const Picture& picture);
/// The picture that picture_of() was given.
Image rendered_image(const Picture& picture);

}  // namespace roundel
