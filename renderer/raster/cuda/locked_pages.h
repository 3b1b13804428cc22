#pragma once
#include <cstddef>

#include "renderer/base/buffer.h"

namespace roundel::cuda {

/// Main memory that devices copy to by themselves, aligned to a page; a null pointer where there is
/// none left. From any thread.
void* take_locked_pages(std::size_t bytes);
/// Gives such memory back.
void give_back_locked_pages(void* pages);
/// True for such memory.
bool is_locked(const void* memory);

/// The same for `size` elements. Ordinary memory where there is none left.
template <typename T>
Buffer<T> locked_pages(std::size_t size) {
  void* const pages = size > 0 ? take_locked_pages(size * sizeof(T)) : nullptr;
  if (pages == nullptr) return Buffer<T>(size);
  return {static_cast<T*>(pages), size, give_back_locked_pages};
}

}  // namespace roundel::cuda
