#include <algorithm>
#include <mutex>
#include <optional>
#include <vector>

#include "renderer/raster/cuda/cuda_check.h"
#include "renderer/raster/cuda/cuda_module.h"

namespace roundel::cuda {
namespace {

/// Sets the thread's device, then restores the previous one, since other code uses it.
class DeviceScope {
 public:
  explicit DeviceScope(int device) {
    ROUNDEL_CUDA_CHECK(cudaGetDevice(&previous_));
    ROUNDEL_CUDA_CHECK(cudaSetDevice(device));
  }
  /// Restores the device after others set it, if there is one.
  DeviceScope() { has_device_ = cudaGetDevice(&previous_) == cudaSuccess; }
  ~DeviceScope() {
    int now = previous_;  // setting a device creates a context
    if (has_device_ && cudaGetDevice(&now) == cudaSuccess && now != previous_)
      cudaSetDevice(previous_);
  }
  DeviceScope(const DeviceScope&) = delete;
  DeviceScope& operator=(const DeviceScope&) = delete;

 private:
  int previous_ = 0;
  bool has_device_ = true;
};

/// Freed blocks for reuse: allocating and freeing device memory takes longer than drawing.
class FreeBlocks {
 public:
  /// Never destroyed: CUDA may have ended.
  static FreeBlocks& instance() {
    static auto* const one = new FreeBlocks();
    return *one;
  }

  /// Returns null if no block has this size.
  void* take(int device, std::size_t bytes) {
    const std::lock_guard lock(mutex_);
    const auto found = std::find_if(blocks_.begin(), blocks_.end(), [&](const Block& block) {
      return block.device == device && block.bytes == bytes;
    });
    if (found == blocks_.end()) return nullptr;
    void* const data = found->data;
    blocks_.erase(found);
    return data;
  }

  void add(int device, std::size_t bytes, void* data) {
    constexpr std::size_t kMaxBlocks = 4, kMaxBytes = std::size_t{64} << 20;  // a block's
    Block oldest{device, 0, data};
    if (bytes <= kMaxBytes) {
      const std::lock_guard lock(mutex_);
      blocks_.push_back({device, bytes, data});
      if (blocks_.size() <= kMaxBlocks) return;
      oldest = blocks_.front();
      blocks_.erase(blocks_.begin());
    }
    cudaFree(oldest.data);
  }

 private:
  struct Block {
    int device;
    std::size_t bytes;
    void* data;
  };
  std::mutex mutex_;
  std::vector<Block> blocks_;  ///< latest last
};

/// Never throws, since destructors call it, even after CUDA has ended.
void release(int device, std::size_t bytes, void* data) noexcept {
  int before = 0;
  if (cudaGetDevice(&before) != cudaSuccess || cudaSetDevice(device) != cudaSuccess) return;
  // Work on the memory may still be in flight.
  if (cudaDeviceSynchronize() == cudaSuccess) FreeBlocks::instance().add(device, bytes, data);
  cudaSetDevice(before);
}

}  // namespace

std::shared_ptr<void> allocate_on_device(int device, std::size_t bytes) {
  const DeviceScope scope(device);
  void* data = FreeBlocks::instance().take(device, bytes);
  if (data == nullptr) ROUNDEL_CUDA_CHECK(cudaMalloc(&data, std::max<std::size_t>(bytes, 1)));
  return {data, [device, bytes](void* block) { release(device, bytes, block); }};
}

void preserve_device(const std::function<void()>& draw) {
  const DeviceScope scope;
  draw();
}

void copy_from_device(const void* device, std::size_t stride, std::size_t size, std::size_t rows,
                      void* host) {
  cudaPointerAttributes of_column{};
  ROUNDEL_CUDA_CHECK(cudaPointerGetAttributes(&of_column, device));
  std::optional<DeviceScope> scope;
  if (of_column.type == cudaMemoryTypeDevice) scope.emplace(of_column.device);
  ROUNDEL_CUDA_CHECK(cudaDeviceSynchronize());
  if (stride == size)
    ROUNDEL_CUDA_CHECK(cudaMemcpy(host, device, rows * size, cudaMemcpyDefault));
  else
    ROUNDEL_CUDA_CHECK(cudaMemcpy2D(host, size, device, stride, size, rows, cudaMemcpyDefault));
}

}  // namespace roundel::cuda
