#pragma once
#include <cstdint>

namespace roundel::primitives::cuda_kernels {

inline constexpr unsigned kAllLanes = 0xFFFFFFFFU;
inline constexpr int kWarp = 32;

__device__ inline int lane_id() {
  return static_cast<int>(threadIdx.x) % kWarp;
}
__device__ inline int warp_id() {
  return static_cast<int>(threadIdx.x) / kWarp;
}

/// Returns the sum of the lanes up to this one, modulo 2³² (Hillis and Steele 1986, within a warp):
/// [3, 0, 2, 1] → [3, 3, 5, 6].
__device__ inline std::uint32_t inclusive_warp_scan(std::uint32_t value) {
  for (int distance = 1; distance < kWarp; distance *= 2) {
    const std::uint32_t other = __shfl_up_sync(kAllLanes, value, distance);
    if (lane_id() >= distance) value += other;
  }
  return value;
}

/// Returns the sum of all lanes, in every lane.
__device__ inline std::int64_t warp_sum(std::int64_t value) {
  for (int distance = kWarp / 2; distance > 0; distance /= 2)
    value += __shfl_xor_sync(kAllLanes, value, distance);
  return value;
}
__device__ inline std::uint32_t warp_sum(std::uint32_t value) {
#if __CUDA_ARCH__ >= 800
  return __reduce_add_sync(kAllLanes, value);
#else
  for (int distance = kWarp / 2; distance > 0; distance /= 2)
    value += __shfl_xor_sync(kAllLanes, value, distance);
  return value;
#endif
}

}  // namespace roundel::primitives::cuda_kernels
