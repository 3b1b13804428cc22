#pragma once
#include "renderer/compare/picture.h"
#include "renderer/pixels/image.h"

namespace roundel {

/// The picture as 8-bit sRGB for people to look at: RGB, or RGBA where it has alpha. 16 bits are
/// rounded; linear floats are cut off at 1 and encoded, alpha divided out; grey is spread over the
/// three channels.
Image display_image(const Picture& picture);

}  // namespace roundel
