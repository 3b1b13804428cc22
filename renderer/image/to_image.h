#pragma once
#include "renderer/pixels/framebuffer.h"
#include "renderer/pixels/image.h"
#include "renderer/pixels/image_settings.h"

namespace roundel {

/// The 8-bit picture of a framebuffer, RGBA where `settings.alpha` is set, else RGB. The picture
/// has the framebuffer's size; `settings` says only what its values mean.
Image to_image(const Framebuffer& framebuffer, const ImageSettings& settings);

}  // namespace roundel
