#pragma once
#include <cstdint>

#include "renderer/base/host_device.h"
#include "renderer/pixels/framebuffer.h"
#include "renderer/pixels/image_settings.h"
#include "renderer/pixels/quantize.h"
#include "renderer/pixels/srgb.h"

/// From a float pixel to the bytes of an Image; shared by both backends.
namespace roundel {

// Not inlined on the device, where it would make kernels many times as long.
#ifdef __CUDACC__
__noinline__
#endif
    ROUNDEL_HOST_DEVICE inline std::uint8_t
    linear_to_byte(float c) {
  return quantize(linear_to_srgb(c));
}

/// One channel of a colour that is not premultiplied, to its 8-bit display value.
ROUNDEL_HOST_DEVICE inline std::uint8_t channel_to_byte(float c, BlendSpace blend_space) {
  return blend_space == BlendSpace::kLinear ? linear_to_byte(c) : quantize(c);
}

/// Three bytes at `rgb`.
ROUNDEL_HOST_DEVICE inline void pixel_to_rgb(const Pixel& pixel, BlendSpace blend_space,
                                             std::uint8_t* rgb) {
  rgb[0] = channel_to_byte(pixel.red, blend_space);
  rgb[1] = channel_to_byte(pixel.green, blend_space);
  rgb[2] = channel_to_byte(pixel.blue, blend_space);
}

/// What a PNG has as alpha. Circles with BlendMode::kAdd bring light without covering anything: in
/// frames with such no channel exceeds alpha, up to 1.
ROUNDEL_HOST_DEVICE inline Pixel with_png_alpha(Pixel pixel, const CircleLooks& looks) {
  if (!looks.adds) return pixel;
  for (const float channel : {pixel.red, pixel.green, pixel.blue})
    if (channel > pixel.alpha) pixel.alpha = channel < 1.0f ? channel : 1.0f;
  return pixel;
}

/// Four bytes at `rgba`: the straight colour c/alpha, and alpha (which has no transfer curve). All
/// 0 where alpha's byte is 0, so that pixels nobody sees have one spelling.
ROUNDEL_HOST_DEVICE inline void pixel_to_rgba(const Pixel& pixel, BlendSpace blend_space,
                                              std::uint8_t* rgba) {
  const std::uint8_t alpha = quantize(pixel.alpha);
  if (alpha == 0) {
    rgba[0] = rgba[1] = rgba[2] = rgba[3] = 0;
    return;
  }
  rgba[0] = channel_to_byte(pixel.red / pixel.alpha, blend_space);
  rgba[1] = channel_to_byte(pixel.green / pixel.alpha, blend_space);
  rgba[2] = channel_to_byte(pixel.blue / pixel.alpha, blend_space);
  rgba[3] = alpha;
}

/// The `image.channels()` bytes of a pixel of the image.
ROUNDEL_HOST_DEVICE inline void store_pixel(const Pixel& pixel, const ImageSettings& image,
                                            std::uint8_t* bytes) {
  if (image.alpha) {
    pixel_to_rgba(with_png_alpha(pixel, image.looks), image.blend_space, bytes);
  } else {
    pixel_to_rgb(pixel, image.blend_space, bytes);
  }
}

}  // namespace roundel
