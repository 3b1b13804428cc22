#pragma once
#include "renderer/compare/picture.h"

namespace roundel {

/// True for equal size, channels, samples, position, colour space, levels and display.
bool same_shape(const Picture& a, const Picture& b);

/// True if pictures have different sizes and all else of same_shape().
bool differ_in_size_only(const Picture& a, const Picture& b);
/// Returns `a` with the pixels of `b` in the overlap, upper left corners aligned. For pictures that
/// differ in size only.
Picture placed_on(const Picture& a, const Picture& b);

/// True if unify_shapes() gives both pictures one shape.
bool can_unify_shapes(const Picture& a, const Picture& b);

/// Gives two pictures one shape if they store the same values in different ways: 8 bits become 16,
/// grey becomes RGB, a missing alpha 1, and an ICC profile named sRGB is dropped. Else does
/// nothing.
void unify_shapes(Picture& a, Picture& b);

/// Gives EXR pictures with the same display window one data window, and both levels if one has
/// them. With `is_shape_tolerant` also calls unify_shapes().
void make_comparable(Picture& a, Picture& b, bool is_shape_tolerant);

}  // namespace roundel
