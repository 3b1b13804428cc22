#pragma once
#include "renderer/base/host_device.h"
#include "renderer/base/math.h"

/// Transfer curve of IEC 61966-2-1, equal bits on every platform. Values above 1 continue the power
/// law; negative values and NaN become 0.
namespace roundel {

ROUNDEL_HOST_DEVICE inline float srgb_to_linear(float c) {
  if (!(c > 0.0f)) return 0.0f;
  const double x = c;
  if (x <= 0.04045) return static_cast<float>(x / 12.92);
  return static_cast<float>(portable_exp(2.4 * portable_log((x + 0.055) / 1.055)));
}

ROUNDEL_HOST_DEVICE inline float linear_to_srgb(float c) {
  if (!(c > 0.0f)) return 0.0f;
  const double x = c;
  if (x <= 0.0031308) return static_cast<float>(x * 12.92);
  // The standard's pieces differ by 3e-8 where they meet; the curve must not fall there.
  const double joint = 0.0031308 * 12.92;
  const double y = 1.055 * portable_exp(portable_log(x) / 2.4) - 0.055;
  return static_cast<float>(y > joint ? y : joint);
}

}  // namespace roundel
