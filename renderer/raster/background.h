#pragma once
#include "renderer/base/host_device.h"
#include "renderer/pixels/image_settings.h"
#include "renderer/pixels/srgb.h"

namespace roundel {

/// The background's colour by pixel row, in the blend space.
struct BackgroundRows {
  Background background;
  int height;
  bool linear;

  explicit BackgroundRows(const ImageSettings& image)
      : background(image.background),
        height(image.height),
        linear(image.blend_space == BlendSpace::kLinear) {}

  /// All rows have the same colour.
  bool is_flat() const { return background.top == background.bottom; }

  /// Row j counted from the bottom: top + ((bottom − top)·(H − j))/H, binary32, left to right.
  ROUNDEL_HOST_DEVICE BlendColor row(int j) const {
    const DisplayColor& bottom = background.bottom;
    const DisplayColor& top = background.top;
    const BlendColor color{channel(bottom.red, top.red, j), channel(bottom.green, top.green, j),
                           channel(bottom.blue, top.blue, j)};
    if (!linear) return color;
    return {srgb_to_linear(color.red), srgb_to_linear(color.green), srgb_to_linear(color.blue)};
  }

 private:
  ROUNDEL_HOST_DEVICE float channel(float bottom, float top, int j) const {
    const float rows_above = static_cast<float>(height - j);
    return top + ((bottom - top) * rows_above) / static_cast<float>(height);
  }
};

}  // namespace roundel
