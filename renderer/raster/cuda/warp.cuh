#pragma once
#include "renderer/circles/circle.h"

/// Functions for all lanes of a warp.
namespace roundel::cuda {

inline constexpr unsigned kAllLanes = ~0u;

inline __device__ int lane() {
  return static_cast<int>(threadIdx.x % 32);
}

/// Finds the front circle. Batches go from lane 31, the front, to lane 0, since finding the highest
/// bit takes one instruction, the lowest two.
inline __device__ int front_bit(std::uint32_t bits) {
  return 31 - __clz(static_cast<int>(bits));
}

/// Counts the `lanes`, a bit each, before this one. PTX shifts by 32 give 0.
inline __device__ int num_before(unsigned lanes) {
  unsigned before;
  asm("shl.b32 %0, %1, %2;" : "=r"(before) : "r"(lanes), "r"(32 - lane()));
  return __popc(before);
}

/// Sum over the lanes up to this one.
template <typename T>
__device__ T warp_inclusive_sum(T value) {
  const int lane = cuda::lane();
  for (int distance = 1; distance < 32; distance *= 2) {
    const T other = __shfl_up_sync(kAllLanes, value, distance);
    if (lane >= distance) value += other;
  }
  return value;
}

/// Numbers in shared memory that a lane takes one by one.
class SharedNumbers {
 public:
  SharedNumbers() = default;
  __device__ explicit SharedNumbers(const std::uint32_t* first)
      : next_(static_cast<std::uint32_t>(__cvta_generic_to_shared(first))) {}

  /// Sets `number` to the next one if `mask` is not 0. In PTX, since the compiler copies its
  /// counter.
  __device__ void take_if(std::uint32_t mask, float& number) {
    asm volatile(
        "{ .reg .pred is_one; setp.ne.u32 is_one, %2, 0;\n"
        "@is_one ld.shared.f32 %0, [%1];\n"
        "@is_one add.u32 %1, %1, 4; }"
        : "+f"(number), "+r"(next_)
        : "r"(mask)
        : "memory");
  }

 private:
  std::uint32_t next_ = 0;  ///< an address
};

/// Takes one instruction from compute capability 8.0 on.
inline __device__ std::uint32_t warp_sum(std::uint32_t value) {
#if __CUDA_ARCH__ >= 800
  return __reduce_add_sync(kAllLanes, value);
#else
  return __shfl_sync(kAllLanes, warp_inclusive_sum(value), 31);
#endif
}
inline __device__ std::uint32_t warp_max(std::uint32_t value) {
#if __CUDA_ARCH__ >= 800
  return __reduce_max_sync(kAllLanes, value);
#else
  for (int distance = 16; distance > 0; distance /= 2)
    value = max(value, __shfl_xor_sync(kAllLanes, value, distance));
  return value;
#endif
}

/// Loads all of it at once.
inline __device__ Shape load_shape(const Shape* shape) {
  const float4 values = __ldg(reinterpret_cast<const float4*>(shape));
  return {values.x, values.y, values.z, values.w};
}

inline __device__ Paint load_paint(const Paint* paint) {
  const float4 values = __ldg(reinterpret_cast<const float4*>(paint));
  return {values.x, values.y, values.z, values.w};
}

}  // namespace roundel::cuda
