#pragma once
#include "renderer/generate/circle.h"

/// What warps do together. Device code only; all lanes of a warp call these functions.
namespace roundel::cuda {

inline constexpr unsigned kAllLanes = ~0u;

inline __device__ int lane() {
  return static_cast<int>(threadIdx.x) % 32;
}

/// Sum over this lane and the lanes before it.
template <typename T>
__device__ T warp_inclusive_sum(T value) {
  const int lane = static_cast<int>(threadIdx.x) % 32;
  for (int distance = 1; distance < 32; distance *= 2) {
    const T other = __shfl_up_sync(kAllLanes, value, distance);
    if (lane >= distance) value += other;
  }
  return value;
}

/// All of a circle's shape with one load.
inline __device__ Shape load_shape(const Shape* shape) {
  const float4 values = __ldg(reinterpret_cast<const float4*>(shape));
  return {values.x, values.y, values.z, values.w};
}

/// The same for its paint.
inline __device__ Paint load_paint(const Paint* paint) {
  const float4 values = __ldg(reinterpret_cast<const float4*>(paint));
  return {values.x, values.y, values.z, values.w};
}

}  // namespace roundel::cuda
