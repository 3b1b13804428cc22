#pragma once
#include <cstdint>

#include "renderer/base/host_device.h"
#include "renderer/raster/scalar_pixel_math.h"

namespace roundel {

/// ⌊clamp(c, 0, 1)·255 + ½⌋, exactly, as if computed with real numbers; NaN gives 0.
ROUNDEL_HOST_DEVICE inline std::uint8_t quantize(float c) {
#ifdef __CUDA_ARCH__
  // The same number with fewer instructions, where fused multiply-add is one of them: its rounding
  // can only lift the sum to the next code, and then the exact sum's sign tells.
  c = __saturatef(c);
  const int code = static_cast<int>(fmaf(c, 255.0f, 0.5f));
  const float excess = fmaf(c, 255.0f, 0.5f - static_cast<float>(code));
  return static_cast<std::uint8_t>(code + (__float_as_int(excess) >> 31));
#else
  return static_cast<std::uint8_t>(scalar::quantized<ScalarLanes>(c));
#endif
}

}  // namespace roundel
