#pragma once
#include "renderer/compare/picture.h"

namespace roundel {

/// True for pictures of the same size, channels, samples, place and colour space.
bool same_shape(const Picture& a, const Picture& b);

/// True for pictures to which make_alike() gives one shape.
bool can_be_alike(const Picture& a, const Picture& b);

/// Gives two pictures one shape where only the way differs in which they store the same: 8 bits
/// become 16 where the other has them, grey becomes RGB, a missing alpha 1, and an ICC profile that
/// calls itself sRGB is none. Does nothing where they would differ in more than that.
void make_alike(Picture& a, Picture& b);

}  // namespace roundel
