#pragma once
#include "renderer/circles/circle.h"
#include "renderer/pixels/image_settings.h"

namespace roundel {

/// Snow's colours in the blend space: white, `middle`, `rim`. Blue is 1, and rim's red is middle's.
struct SnowRamp {
  float red_start, red_slope;      ///< red = start + slope·d for d in [1/4, 1/2]
  float green_start, green_slope;  ///< green likewise, plus
  float rim_slope;                 ///< rim_slope·d for d in [3/4, 1]
  bool operator==(const SnowRamp&) const = default;
};

/// (1,1,1) (1,1,1) (.8,.9,1) (.8,.9,1) (.8,.8,1), converted to the blend space.
SnowRamp snow_ramp(BlendSpace blend_space);

/// As in scene files.
const char* shader_name(const Paint& paint);

}  // namespace roundel
