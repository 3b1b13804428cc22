#pragma once
#include <bit>
#include <cstdint>

#include "renderer/base/host_device.h"
#include "renderer/raster/scalar_pixel_math.h"

namespace roundel {

/// quantize() by quantizing_sum().
ROUNDEL_HOST_DEVICE inline std::uint8_t quantize_by_fma(float c) {
  const float sum = scalar::quantizing_sum<ScalarLanes>(c);
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
  return static_cast<std::uint8_t>(scalar::quantized<ScalarLanes>(c));
#endif
}

}  // namespace roundel
