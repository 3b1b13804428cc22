#include "renderer/raster/shaders.h"

#include "renderer/pixels/srgb.h"

namespace roundel {

SnowRamp snow_ramp(BlendSpace blend_space) {
  const auto color = [&](float value) {
    return blend_space == BlendSpace::kDisplay ? value : srgb_to_linear(value);
  };
  const float middle_red = color(0.8f), middle_green = color(0.9f), rim_green = color(0.8f);
  SnowRamp ramp{};
  ramp.red_slope = 4 * (middle_red - 1);
  ramp.green_slope = 4 * (middle_green - 1);
  ramp.rim_slope = 4 * (rim_green - middle_green);
  ramp.red_start = 1 - 0.25f * ramp.red_slope;
  ramp.green_start = 1 - 0.25f * ramp.green_slope - 0.75f * ramp.rim_slope;
  return ramp;
}

const char* shader_name(const Paint& paint) {
  if (!has_falloff(paint)) return "solid";
  return is_soft(paint) ? "soft" : "snow";
}

}  // namespace roundel
