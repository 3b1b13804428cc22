#pragma once
#include <bit>
#include <cmath>
#include <cstdint>

#include "renderer/base/host_device.h"

namespace roundel {

/// One lane of binary32 with the operations of pixel_math.h, for CUDA threads, tests and code off
/// the hot path. Each is IEEE-exact; only `fma` is fused.
struct ScalarLanes {
  using Float = float;
  using Mask = bool;

  static ROUNDEL_HOST_DEVICE float set(float value) { return value; }
  static ROUNDEL_HOST_DEVICE float add(float a, float b) { return a + b; }
  static ROUNDEL_HOST_DEVICE float sub(float a, float b) { return a - b; }
  static ROUNDEL_HOST_DEVICE float mul(float a, float b) { return a * b; }
  static ROUNDEL_HOST_DEVICE float inverse(float a) { return 1 / a; }
  static ROUNDEL_HOST_DEVICE float neg(float a) { return -a; }
  /// Correctly rounded (IEEE 754); 0 <= a < 2¹²⁶.
  static ROUNDEL_HOST_DEVICE float sqrt(float a) {
#ifdef __CUDA_ARCH__
    // __fsqrt_rn() for normal numbers without its branches for others: about half of the arguments
    // are 0.
    const bool is_small = a < 0x1p-100f;
    const float scaled = is_small ? a * 0x1p64f : a;
    float estimate;
    asm("rsqrt.approx.ftz.f32 %0, %1;" : "=f"(estimate) : "f"(scaled));
    const float root = scaled * estimate;
    const float exact = ::fmaf(::fmaf(-root, root, scaled), 0.5f * estimate, root);
    return a > 0 ? (is_small ? exact * 0x1p-32f : exact) : 0;
#else
    return __builtin_sqrtf(a);
#endif
  }
  static ROUNDEL_HOST_DEVICE float sqrt_or_0(float a) {
    return sqrt(at_least(a, 0));
  }
  static ROUNDEL_HOST_DEVICE float max(float a, float b) {
#ifdef __CUDA_ARCH__
    return fmaxf(a, b);
#else
    return a > b ? a : b;
#endif
  }
  static ROUNDEL_HOST_DEVICE float min(float a, float b) {
#ifdef __CUDA_ARCH__
    return fminf(a, b);
#else
    return a < b ? a : b;
#endif
  }
  /// 1/√a within 3.5 % for normal numbers (Lomont, Fast Inverse Square Root, 2003, with the
  /// constant of the least error on both sides).
  static ROUNDEL_HOST_DEVICE float inverse_sqrt_estimate(float a) {
    return std::bit_cast<float>(0x5f3744f3 - (std::bit_cast<std::int32_t>(a) >> 1));
  }
  /// Truncates to a whole number; 0 <= a < 2³¹.
  static ROUNDEL_HOST_DEVICE float whole(float a) {
    return static_cast<float>(static_cast<std::int32_t>(a));
  }
  static ROUNDEL_HOST_DEVICE float fma(float a, float b, float c) {
    return ::fmaf(a, b, c);
  }
  /// c − a·b, rounded once.
  static ROUNDEL_HOST_DEVICE float negative_fma(float a, float b, float c) {
    return ::fmaf(-a, b, c);
  }
  // The device has an instruction for each comparison and choice; NaN gives `low`, too.
#ifdef __CUDA_ARCH__
  static ROUNDEL_HOST_DEVICE float at_least(float a, float low) {
    return fmaxf(a, low);
  }
  static ROUNDEL_HOST_DEVICE float abs(float a) {
    return fabsf(a);
  }
  static ROUNDEL_HOST_DEVICE float clamp(float a, float low, float high) {
    return fminf(fmaxf(a, low), high);
  }
#else
  static ROUNDEL_HOST_DEVICE float at_least(float a, float low) {
    return a > low ? a : low;
  }
  static ROUNDEL_HOST_DEVICE float abs(float a) {
    return a < 0 ? -a : a;
  }
  /// NaN gives `low`.
  static ROUNDEL_HOST_DEVICE float clamp(float a, float low, float high) {
    return a > low ? (a < high ? a : high) : low;
  }
#endif
  static ROUNDEL_HOST_DEVICE float saturate(float a) {
#ifdef __CUDA_ARCH__
    return __saturatef(a);
#else
    return clamp(a, 0.0f, 1.0f);
#endif
  }
  static ROUNDEL_HOST_DEVICE bool less_equal(float a, float b) {
    return a <= b;
  }
  static ROUNDEL_HOST_DEVICE bool greater(float a, float b) {
    return a > b;
  }
  static ROUNDEL_HOST_DEVICE bool both(bool a, bool b) {
    return a && b;
  }
  static ROUNDEL_HOST_DEVICE bool none(bool mask) {
    return !mask;
  }
  static ROUNDEL_HOST_DEVICE float choose(bool mask, float yes, float no) {
    return mask ? yes : no;
  }
  static ROUNDEL_HOST_DEVICE float zero_unless(bool mask, float a) {
    return mask ? a : 0.0f;
  }
};

}  // namespace roundel
