#pragma once
#include <cuda_runtime_api.h>

#include <cstddef>
#include <cstdint>
#include <span>
#include <utility>

#include "renderer/raster/cuda/cuda_check.h"

namespace roundel::cuda {

/// Uninitialised array in device memory.
template <typename T>
class DeviceBuffer {
 public:
  DeviceBuffer() = default;
  explicit DeviceBuffer(std::size_t size) : size_(size) {
    if (size == 0) return;
    void* data = nullptr;
    ROUNDEL_CUDA_CHECK(cudaMalloc(&data, size * sizeof(T)));
    data_ = static_cast<T*>(data);
  }
  DeviceBuffer(DeviceBuffer&& other) noexcept
      : data_(std::exchange(other.data_, nullptr)), size_(std::exchange(other.size_, 0)) {}
  DeviceBuffer& operator=(DeviceBuffer&& other) noexcept {
    std::swap(data_, other.data_);
    std::swap(size_, other.size_);
    return *this;
  }
  ~DeviceBuffer() { cudaFree(data_); }

  /// Loses the contents if it grows.
  void reserve_discard(std::size_t size) {
    if (size <= size_) return;
    *this = DeviceBuffer();  // frees first: both may not fit at once
    *this = DeviceBuffer(size);
  }

  T* data() const { return data_; }
  std::size_t size() const { return size_; }
  std::uint64_t bytes() const { return size_ * sizeof(T); }

 private:
  T* data_ = nullptr;
  std::size_t size_ = 0;
};

/// Grows `to` as needed. Returns at once.
template <typename T>
void copy_to_device(std::span<const T> from, DeviceBuffer<T>& to, cudaStream_t stream) {
  to.reserve_discard(from.size());
  if (!from.empty())
    ROUNDEL_CUDA_CHECK(
        cudaMemcpyAsync(to.data(), from.data(), from.size_bytes(), cudaMemcpyHostToDevice, stream));
}

}  // namespace roundel::cuda
