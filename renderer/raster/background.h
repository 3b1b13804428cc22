#pragma once
#include "renderer/base/host_device.h"
#include "renderer/pixels/image_settings.h"
#include "renderer/pixels/srgb.h"

namespace roundel {

/// The background's colour by row, in the blend space.
struct BackgroundRows {
  Background background;
  int height;     ///< whole image
  int first_row;  ///< first drawn row
  bool linear;

  explicit BackgroundRows(const ImageSettings& image)
      : background(image.background),
        height(image.frame_height()),
        first_row(image.first_row()),
        linear(image.blend_space == BlendSpace::kLinear) {}

  bool operator==(const BackgroundRows&) const = default;

  bool is_flat() const { return background.top == background.bottom; }

  /// Returns the colour of row j, counted from the first drawn row. Row j of the whole image has
  /// top + ((bottom − top)·(H − j))/H, in binary32, left to right.
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
    const float rows_above = static_cast<float>(height - (first_row + j));
    return top + ((bottom - top) * rows_above) / static_cast<float>(height);
  }
};

}  // namespace roundel
