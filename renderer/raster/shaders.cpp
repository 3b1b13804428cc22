#include "renderer/raster/shaders.h"

#include "renderer/image/srgb.h"

namespace roundel {

SnowRamp snow_ramp(BlendSpace blend_space) {
  const SnowRamp display{0.8f, 0.9f, 0.8f};
  if (blend_space == BlendSpace::kDisplay) return display;
  return {srgb_to_linear(display.middle_red), srgb_to_linear(display.middle_green),
          srgb_to_linear(display.rim_green)};
}

}  // namespace roundel
