#pragma once
#include <cstddef>

#include "renderer/base/buffer.h"

namespace roundel::cuda {

/// Takes main memory that devices copy to directly, page-aligned; null if none is left. Callable
/// from any thread.
void* take_locked_pages(std::size_t bytes);
void give_back_locked_pages(void* pages);
bool is_locked(const void* memory);

/// Returns `size` elements, in ordinary memory if no locked memory is left.
template <typename T>
Buffer<T> locked_pages(std::size_t size) {
  void* const pages = size > 0 ? take_locked_pages(size * sizeof(T)) : nullptr;
  if (pages == nullptr) return Buffer<T>(size);
  return {static_cast<T*>(pages), size, give_back_locked_pages};
}

}  // namespace roundel::cuda
