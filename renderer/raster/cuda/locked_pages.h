#pragma once
#include <cuda_runtime_api.h>

#include <cstddef>

#include "renderer/base/buffer.h"

namespace roundel::cuda {

/// Main memory that the device copies to by itself, which takes long to get. Ordinary memory where
/// there is none left.
template <typename T>
Buffer<T> locked_pages(std::size_t size) {
  void* memory = nullptr;
  if (cudaMallocHost(&memory, size * sizeof(T)) == cudaSuccess)
    return {static_cast<T*>(memory), size, [](void* data) { cudaFreeHost(data); }};
  cudaGetLastError();
  return Buffer<T>(size);
}

}  // namespace roundel::cuda
