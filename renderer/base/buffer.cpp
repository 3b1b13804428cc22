#include "renderer/base/buffer.h"

#include <sys/mman.h>

namespace roundel {

void* allocate_block(std::size_t bytes) {
  constexpr std::size_t kCacheLine = 64;
  constexpr std::size_t kHugePage = std::size_t{2} << 20;
  const bool is_large = bytes >= kHugePage;
  if (is_large) bytes = (bytes + kHugePage - 1) / kHugePage * kHugePage;
  void* block = nullptr;
  if (posix_memalign(&block, is_large ? kHugePage : kCacheLine, bytes) != 0) throw std::bad_alloc();
#ifdef MADV_HUGEPAGE
  if (is_large) madvise(block, bytes, MADV_HUGEPAGE);  // a wish: without huge pages it just fails
#endif
  return block;
}

}  // namespace roundel
