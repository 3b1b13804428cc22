#pragma once
#include <cuda_runtime_api.h>

#include <array>
#include <cstddef>
#include <cstdint>

#include "renderer/raster/cuda/device_buffer.h"

namespace roundel::primitives {

/// Device memory of kernels beside input and output. It grows with a larger input, outside of timed
/// runs: every row runs once before it is timed.
class Scratch {
 public:
  enum Slot { kElements, kFlags, kPlaces, kWords, kTotals, kLibrary, kSums, kSlots = kSums + 6 };

  /// Memory for `count` elements: zeros at first, then their last values.
  template <typename T>
  T* take(int slot, std::uint64_t count) {
    auto& buffer = buffers_[static_cast<std::size_t>(slot)];
    const std::size_t bytes = static_cast<std::size_t>(count) * sizeof(T);
    if (bytes > buffer.size()) {
      ROUNDEL_CUDA_CHECK(cudaDeviceSynchronize());  // freed memory is unused
      buffer.reserve_discard(bytes);
      ROUNDEL_CUDA_CHECK(cudaMemset(buffer.data(), 0, buffer.size()));
      ROUNDEL_CUDA_CHECK(cudaDeviceSynchronize());  // cleared before any use
    }
    return reinterpret_cast<T*>(buffer.data());
  }

  /// Returns 1, 2, …: distinguishes this launch's words from those of earlier ones.
  std::uint32_t next_launch() { return ++launch_; }

  /// Provides memory for a call of the vendor's library: `call(memory, bytes)` with nullptr returns
  /// the bytes. This query takes longer than a small kernel, so it is made once for a key and n.
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
