#include "renderer/base/buffer.h"

#include <malloc.h>
#include <sys/mman.h>

namespace roundel {

void* try_allocate_block(std::size_t bytes) noexcept {
  constexpr std::size_t kCacheLine = 64;
  const bool is_large = bytes >= kHugePage;
  if (is_large) bytes = (bytes + kHugePage - 1) / kHugePage * kHugePage;
  void* block = nullptr;
  if (posix_memalign(&block, is_large ? kHugePage : kCacheLine, bytes) != 0) return nullptr;
#ifdef MADV_HUGEPAGE
  if (is_large) madvise(block, bytes, MADV_HUGEPAGE);  // a hint, which may fail
#endif
  return block;
}

void* allocate_block(std::size_t bytes) {
  void* const block = try_allocate_block(bytes);
  if (block == nullptr) throw std::bad_alloc();
  return block;
}

void discard_pages(void* begin, std::size_t bytes) noexcept {
  constexpr std::uintptr_t kPage = 4096;
  const auto first = (reinterpret_cast<std::uintptr_t>(begin) + kPage - 1) / kPage * kPage;
  const auto last = (reinterpret_cast<std::uintptr_t>(begin) + bytes) / kPage * kPage;
  if (first < last) madvise(reinterpret_cast<void*>(first), last - first, MADV_DONTNEED);
}

void keep_freed_blocks() {
#ifdef __GLIBC__
  mallopt(M_MMAP_THRESHOLD, 32 << 20);  // its maximum
  mallopt(M_TRIM_THRESHOLD, 128 << 20);
  // Other arenas give memory back at the end of each 64 MiB heap, in spite of the threshold.
  mallopt(M_ARENA_MAX, 1);
#endif
}

void release_large_blocks_on_free() {
#ifdef __GLIBC__
  mallopt(M_MMAP_THRESHOLD, 1 << 20);
  mallopt(M_TRIM_THRESHOLD, 1 << 20);
#endif
}

void trim_heap() {
#ifdef __GLIBC__
  malloc_trim(0);
#endif
}

}  // namespace roundel
