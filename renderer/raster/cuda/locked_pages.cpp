#include "renderer/raster/cuda/locked_pages.h"

#include <cuda_runtime_api.h>

#include <algorithm>
#include <cstdlib>
#include <mutex>
#include <vector>

namespace roundel::cuda {
namespace {

constexpr std::size_t kSmallPage = 4096;  // pages are locked whole

/// Memory is locked in slabs of equal slots: locking takes the driver 0.5 to 0.8 ms for any size,
/// one thread at a time.
struct Slab {
  std::size_t slot_bytes, num_slots;
  char* pages;
  std::vector<char*> free_slots;
};

/// A page, a small file, or huge pages: few sizes, to reuse slots.
std::size_t slot_bytes(std::size_t bytes) {
  constexpr std::size_t kSmallFile = kHugePage / 4;
  if (bytes <= kSmallPage) return kSmallPage;
  if (bytes <= kSmallFile) return kSmallFile;
  return (bytes + kHugePage - 1) / kHugePage * kHugePage;
}

/// Touching and registering huge pages takes half of cudaMallocHost's time. Only registering, a
/// seventh of it, blocks other threads.
char* lock_pages(std::size_t bytes) {
  void* const pages =
      bytes < kHugePage ? std::aligned_alloc(kSmallPage, bytes) : try_allocate_block(bytes);
  if (pages == nullptr) return nullptr;
  for (std::size_t i = 0; i < bytes; i += kSmallPage) static_cast<char*>(pages)[i] = 0;
  if (cudaHostRegister(pages, bytes, cudaHostRegisterPortable) == cudaSuccess)
    return static_cast<char*>(pages);
  cudaGetLastError();
  std::free(pages);
  return nullptr;
}

class LockedSlabs {
 public:
  void* take(std::size_t bytes) {
    const std::size_t size = slot_bytes(bytes);
    const std::lock_guard lock(mutex_);
    std::size_t num_slots = 0;
    for (Slab& slab : slabs_) {
      if (slab.slot_bytes != size) continue;
      if (!slab.free_slots.empty()) return take_slot(slab);
      num_slots += slab.num_slots;
    }
    // Doubles the slots: a picture locks what it needs, a film little more.
    constexpr std::size_t kMaxBytes = std::size_t{8} << 20, kMinBytes = 16 * kSmallPage;
    const std::size_t least = std::max<std::size_t>(kMinBytes / size, 1),
                      most = std::max<std::size_t>(kMaxBytes / size, 1);
    return add_slab(size, std::clamp(num_slots, least, most));
  }

  void release(void* slot) {
    const std::lock_guard lock(mutex_);
    const auto slab = std::ranges::find_if(slabs_, [=](const Slab& each) {
      return slot >= each.pages && slot < each.pages + each.num_slots * each.slot_bytes;
    });
    slab->free_slots.push_back(static_cast<char*>(slot));
    if (slab->free_slots.size() < slab->num_slots) return;
    cudaHostUnregister(slab->pages);
    std::free(slab->pages);
    slabs_.erase(slab);
  }

 private:
  static void* take_slot(Slab& slab) {
    char* const slot = slab.free_slots.back();
    slab.free_slots.pop_back();
    return slot;
  }

  void* add_slab(std::size_t size, std::size_t num_slots) {
    Slab slab{size, num_slots, nullptr, {}};
    slab.free_slots.reserve(num_slots);
    slabs_.reserve(slabs_.size() + 1);  // may fail, so first
    slab.pages = lock_pages(size * num_slots);
    if (slab.pages == nullptr) return nullptr;
    for (std::size_t i = num_slots; i-- > 0;) slab.free_slots.push_back(slab.pages + i * size);
    slabs_.push_back(std::move(slab));
    return take_slot(slabs_.back());
  }

  std::mutex mutex_;
  std::vector<Slab> slabs_;
};

/// Never destroyed: static objects may free memory later.
LockedSlabs& locked_slabs() {
  static LockedSlabs& slabs = *new LockedSlabs;
  return slabs;
}

}  // namespace

void* take_locked_pages(std::size_t bytes) {
  return locked_slabs().take(bytes);
}

void give_back_locked_pages(void* pages) {
  locked_slabs().release(pages);
}

bool is_locked(const void* memory) {
  cudaPointerAttributes of_memory{};
  const bool is_known = cudaPointerGetAttributes(&of_memory, memory) == cudaSuccess;
  if (!is_known) cudaGetLastError();
  return is_known && of_memory.type == cudaMemoryTypeHost;
}

}  // namespace roundel::cuda
