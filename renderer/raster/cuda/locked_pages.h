#pragma once
#include <cuda_runtime_api.h>

#include <cstddef>
#include <cstdlib>

#include "renderer/base/buffer.h"

namespace roundel::cuda {

/// Main memory that devices copy to by themselves, which takes long to get. Ordinary memory where
/// there is none left. To touch huge pages and to register them takes half of cudaMallocHost's
/// time, and only the second, a seventh of it, keeps other threads from the driver.
template <typename T>
Buffer<T> locked_pages(std::size_t size) {
  constexpr std::size_t kSmallPage = 4096;  // pages are locked whole
  const std::size_t page = size * sizeof(T) < kHugePage / 4 ? kSmallPage : kHugePage;
  const std::size_t bytes = (size * sizeof(T) + page - 1) / page * page;
  void* const memory =
      page == kHugePage ? try_allocate_block(bytes) : std::aligned_alloc(page, bytes);
  if (memory == nullptr) return Buffer<T>(size);
  for (std::size_t i = 0; i < bytes; i += kSmallPage) static_cast<char*>(memory)[i] = 0;
  if (cudaHostRegister(memory, bytes, cudaHostRegisterPortable) == cudaSuccess) {
    return {static_cast<T*>(memory), size, [](void* data) {
              cudaHostUnregister(data);
              std::free(data);
            }};
  }
  cudaGetLastError();
  std::free(memory);
  return Buffer<T>(size);
}

/// True for such memory.
inline bool is_locked(const void* memory) {
  cudaPointerAttributes of_memory{};
  const bool is_known = cudaPointerGetAttributes(&of_memory, memory) == cudaSuccess;
  if (!is_known) cudaGetLastError();
  return is_known && of_memory.type == cudaMemoryTypeHost;
}

}  // namespace roundel::cuda
