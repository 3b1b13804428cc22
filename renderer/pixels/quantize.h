#pragma once
#include <bit>
#include <cstdint>

#include "renderer/base/host_device.h"
#include "renderer/pixels/scalar_lanes.h"

namespace roundel {

namespace scalar_quantize {
#include "renderer/pixels/quantize_math.h"  // NOLINT: over ScalarLanes
}

ROUNDEL_HOST_DEVICE inline std::uint8_t quantize_by_fma(float c) {
  const float sum = scalar_quantize::quantizing_sum<ScalarLanes>(c);
#ifdef __CUDA_ARCH__
  return static_cast<std::uint8_t>(__float_as_int(sum));
#else
  return static_cast<std::uint8_t>(std::bit_cast<std::uint32_t>(sum));
#endif
}

/// ⌊clamp(c, 0, 1)·255 + ½⌋, exactly, as if computed with real numbers; NaN gives 0.
ROUNDEL_HOST_DEVICE inline std::uint8_t quantize(float c) {
#ifdef __CUDA_ARCH__
  return quantize_by_fma(c);
#else
  return static_cast<std::uint8_t>(scalar_quantize::quantized<ScalarLanes>(c));
#endif
}

}  // namespace roundel
