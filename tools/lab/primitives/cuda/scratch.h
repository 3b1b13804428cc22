#pragma once
#include <cuda_runtime_api.h>

#include <array>
#include <cstddef>
#include <cstdint>

#include "renderer/raster/cuda/device_buffer.h"

namespace roundel::primitives {

/// Device memory that kernels need besides input and output. It grows when a larger input comes,
/// which is never timed: every row runs once before it is timed.
class Scratch {
 public:
  enum Slot { kElements, kFlags, kPlaces, kWords, kTotals, kLibrary, kSums, kSlots = kSums + 6 };

  /// Room for `count` elements: zeros at first, then what was left there.
  template <typename T>
  T* take(int slot, std::uint64_t count) {
    auto& buffer = buffers_[static_cast<std::size_t>(slot)];
    const std::size_t bytes = static_cast<std::size_t>(count) * sizeof(T);
    if (bytes > buffer.size()) {
      ROUNDEL_CUDA_CHECK(cudaDeviceSynchronize());  // nobody uses what is freed here
      buffer.reserve_discard(bytes);
      ROUNDEL_CUDA_CHECK(cudaMemset(buffer.data(), 0, buffer.size()));
      ROUNDEL_CUDA_CHECK(cudaDeviceSynchronize());  // nor before it is cleared
    }
    return reinterpret_cast<T*>(buffer.data());
  }

  /// From 1 on: tells words that this launch wrote from those of earlier ones.
  std::uint32_t next_launch() { return ++launch_; }

  /// Memory for a call of the vendor's library: `call(memory, bytes)` is asked for the bytes with
  /// nullptr first, but only once for a key and n, as that takes longer than a small kernel.
  template <typename Call>
  void call_library(const void* key, std::uint64_t n, const Call& call) {
    if (key != library_key_ || n != library_n_) {
      ROUNDEL_CUDA_CHECK(call(nullptr, library_bytes_));
      library_key_ = key;
      library_n_ = n;
    }
    ROUNDEL_CUDA_CHECK(call(take<std::byte>(kLibrary, library_bytes_), library_bytes_));
  }

 private:
  const void* library_key_ = nullptr;
  std::uint64_t library_n_ = 0;
  std::size_t library_bytes_ = 0;
  std::array<cuda::DeviceBuffer<std::byte>, kSlots> buffers_;
  std::uint32_t launch_ = 0;
};

}  // namespace roundel::primitives
