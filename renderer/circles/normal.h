#pragma once
#include <bit>
#include <cmath>
#include <cstdint>

#include "renderer/base/host_device.h"

namespace roundel {

/// Natural logarithm of a positive normal number, within 2 units in the last place, the same bits
/// on all platforms: only +, −, · in binary32, in the order written. Polynomial of Cephes' logf
/// (Moshier).
ROUNDEL_HOST_DEVICE inline float portable_log(float value) {
  const std::uint32_t bits = std::bit_cast<std::uint32_t>(value);
  // value = m·2^e with m in [√½, √2); 0x3f3504f3 is √½.
  const std::uint32_t shifted = bits - 0x3f3504f3u;
  const float e = static_cast<float>(static_cast<std::int32_t>(shifted) >> 23);
  const float x = std::bit_cast<float>((shifted & 0x007fffffu) + 0x3f3504f3u) - 1.0f;
  const float z = x * x;
  float y = 7.0376836292e-2f;
  y = y * x - 1.1514610310e-1f;
  y = y * x + 1.1676998740e-1f;
  y = y * x - 1.2420140846e-1f;
  y = y * x + 1.4249322787e-1f;
  y = y * x - 1.6668057665e-1f;
  y = y * x + 2.0000714765e-1f;
  y = y * x - 2.4999993993e-1f;
  y = y * x + 3.3333331174e-1f;
  y = y * x * z;
  y = y + -2.12194440e-4f * e;  // ln 2 = 0.693359375 − 2.12194440e-4
  y = y - 0.5f * z;
  return x + y + 0.693359375f * e;
}

struct SinCos {
  float sin, cos;
};

/// Sine and cosine of 2π·turns, turns in [0, 1], absolute error below 2⁻²³, the same bits on all
/// platforms. Polynomials of Cephes' sinf and cosf on [−π/4, π/4].
ROUNDEL_HOST_DEVICE inline SinCos portable_sincos_turns(float turns) {
  const int quarter = static_cast<int>(turns * 4.0f + 0.5f);  // nearest quarter turn, 0..4
  const float a = (turns - static_cast<float>(quarter) * 0.25f) * 6.2831853072f;
  const float z = a * a;
  const float sin_a =
      ((-1.9515295891e-4f * z + 8.3321608736e-3f) * z - 1.6666654611e-1f) * z * a + a;
  const float cos_a =
      ((2.443315711809948e-5f * z - 1.388731625493765e-3f) * z + 4.166664568298827e-2f) * z * z -
      0.5f * z + 1.0f;
  switch (quarter & 3) {
    case 0:
      return {sin_a, cos_a};
    case 1:
      return {cos_a, -sin_a};
    case 2:
      return {-sin_a, -cos_a};
    default:
      return {-cos_a, sin_a};
  }
}

struct NormalPair {
  float first, second;
};

/// Two independent standard normal variates (Box and Muller 1958) from uniform ones in [0, 1),
/// multiples of 2⁻²⁴; absolute values are at most √(48·ln 2) = 5.77.
ROUNDEL_HOST_DEVICE inline NormalPair normal_pair(float u0, float u1) {
  const float length = std::sqrt(-2.0f * portable_log(1.0f - u0));
  const SinCos angle = portable_sincos_turns(u1);
  return {length * angle.cos, length * angle.sin};
}

}  // namespace roundel
