#pragma once
#include <cstdint>

#include "renderer/base/host_device.h"

namespace roundel {

/// ⌊clamp(c, 0, 1)·255 + ½⌋, exactly, as if computed with real numbers; NaN gives 0.
ROUNDEL_HOST_DEVICE inline std::uint8_t quantize(float c) {
  c = c > 0.0f ? c : 0.0f;
  c = c < 1.0f ? c : 1.0f;
  // Rounding is monotonic and k − ½ and k are binary32 numbers, so the code is never too low here;
  // the two roundings can make it one too high.
  const int code = static_cast<int>(c * 255.0f + 0.5f);
  // It is too high where 255·c < code − ½, that is 256·c − (code − ½) < c. The product is exact;
  // the difference is exact where its operands are within a factor of two (Sterbenz), which they
  // are wherever the code is too high, and otherwise rounds to no less than c.
  const float excess = 256.0f * c - (static_cast<float>(code) - 0.5f);
  return static_cast<std::uint8_t>(code - (excess < c ? 1 : 0));
}

}  // namespace roundel
