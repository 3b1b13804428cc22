#pragma once
#include "renderer/base/host_device.h"
#include "renderer/pixels/image_settings.h"
#include "renderer/pixels/srgb.h"

namespace roundel {

/// The background's colour by pixel row, in the blend space.
struct BackgroundRows {
  Background background;
  int height;     ///< of the whole image
  int first_row;  ///< of the drawn ones
  bool linear;

  explicit BackgroundRows(const ImageSettings& image)
      : background(image.background),
        height(image.frame_height()),
        first_row(image.first_row()),
        linear(image.blend_space == BlendSpace::kLinear) {}

  bool operator==(const BackgroundRows&) const = default;

  /// All rows have the same colour.
  bool is_flat() const { return background.top == background.bottom; }

  /// Row j counted from the bottom, of the whole image: top + ((bottom − top)·(H − j))/H, binary32,
  /// left to right. Here j counts from the first row that is drawn.
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
