#include "renderer/raster/device_memory.h"

#include <algorithm>
#include <mutex>
#include <optional>
#include <vector>

#include "renderer/raster/cuda/cuda_check.h"

namespace roundel {
namespace {

/// Makes a device the thread's, and then the one again that was: others work in this thread, too.
class DeviceScope {
 public:
  explicit DeviceScope(int device) {
    ROUNDEL_CUDA_CHECK(cudaGetDevice(&before_));
    ROUNDEL_CUDA_CHECK(cudaSetDevice(device));
  }
  /// Of a device that is chosen meanwhile. Where there is none there is nothing to keep.
  DeviceScope() { has_device_ = cudaGetDevice(&before_) == cudaSuccess; }
  ~DeviceScope() {
    int now = before_;  // to set a device makes a context on it
    if (has_device_ && cudaGetDevice(&now) == cudaSuccess && now != before_) cudaSetDevice(before_);
  }
  DeviceScope(const DeviceScope&) = delete;
  DeviceScope& operator=(const DeviceScope&) = delete;

 private:
  int before_ = 0;
  bool has_device_ = true;
};

/// Blocks that were given back. To get memory from the device, and to give it back, takes longer
/// than drawing.
class FreeBlocks {
 public:
  /// Never destroyed: CUDA may have ended before.
  static FreeBlocks& instance() {
    static auto* const one = new FreeBlocks();
    return *one;
  }

  /// Null where there is no such block.
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
    constexpr std::size_t kMostBlocks = 4, kMostBytes = std::size_t{64} << 20;  // of a block
    Block oldest{device, 0, data};
    if (bytes <= kMostBytes) {
      const std::lock_guard lock(mutex_);
      blocks_.push_back({device, bytes, data});
      if (blocks_.size() <= kMostBlocks) return;
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
  std::vector<Block> blocks_;  ///< the latest last
};

/// Throws nothing: destructors call it, perhaps when CUDA has ended.
void give_back(int device, std::size_t bytes, void* data) noexcept {
  int before = 0;
  if (cudaGetDevice(&before) != cudaSuccess || cudaSetDevice(device) != cudaSuccess) return;
  // Whoever had it may have asked for more than is done yet.
  if (cudaDeviceSynchronize() == cudaSuccess) FreeBlocks::instance().add(device, bytes, data);
  cudaSetDevice(before);
}

}  // namespace

std::shared_ptr<void> allocate_on_device(int device, std::size_t bytes) {
  const DeviceScope scope(device);
  void* data = FreeBlocks::instance().take(device, bytes);
  if (data == nullptr) ROUNDEL_CUDA_CHECK(cudaMalloc(&data, std::max<std::size_t>(bytes, 1)));
  return {data, [device, bytes](void* block) { give_back(device, bytes, block); }};
}

void with_device_kept(const std::function<void()>& draw) {
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

}  // namespace roundel
