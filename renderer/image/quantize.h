#pragma once
#include <cstdint>

#include "renderer/base/host_device.h"
#include "renderer/raster/scalar_pixel_math.h"

namespace roundel {

/// ⌊clamp(c, 0, 1)·255 + ½⌋, exactly, as if computed with real numbers; NaN gives 0.
ROUNDEL_HOST_DEVICE inline std::uint8_t quantize(float c) {
  return static_cast<std::uint8_t>(scalar::quantized<ScalarLanes>(c));
}

}  // namespace roundel
