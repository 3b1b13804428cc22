#pragma once
#include "renderer/base/host_device.h"
#include "renderer/generate/circle.h"
#include "renderer/scene/scene.h"

namespace roundel {

/// The colours of shader snow, in the blend space: white inside, `middle`, then `rim`. Their blue
/// is 1 and rim's red is middle's.
struct SnowRamp {
  float red_start, red_slope;      ///< red = start + slope·d for d in [1/4, 1/2]
  float green_start, green_slope;  ///< and green, with
  float rim_slope;                 ///< + rim_slope·d for d in [3/4, 1]
};

/// (1,1,1) (1,1,1) (.8,.9,1) (.8,.9,1) (.8,.8,1), converted to the blend space.
SnowRamp snow_ramp(BlendSpace blend_space);

/// A snow paint has alpha's sign bit set (see Paint).
inline ROUNDEL_HOST_DEVICE bool is_snow(const Paint& paint) {
#ifdef __CUDA_ARCH__
  return __float_as_int(paint.alpha) < 0;
#else
  return __builtin_signbit(paint.alpha) != 0;
#endif
}

/// Alpha at the centre of a snow circle.
inline ROUNDEL_HOST_DEVICE float peak_alpha(const Paint& snow) {
  return -snow.alpha;
}

}  // namespace roundel
