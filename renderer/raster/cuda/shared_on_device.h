#pragma once
#include <cuda_runtime_api.h>

#include <map>
#include <memory>
#include <mutex>
#include <utility>

#include "renderer/raster/cuda/cuda_check.h"

namespace roundel::cuda {

/// Something in a device's memory, for all threads that draw there.
template <typename T>
class SharedOnDevice {
 public:
  /// Returns the T of a key on the thread's device. Unless it is there, makes it and calls
  /// fill(T&), once; other threads wait.
  template <typename Key, typename Fill>
  static std::shared_ptr<T> get(const Key& key, const Fill& fill) {
    static std::mutex mutex;
    static std::map<std::pair<int, Key>, std::weak_ptr<SharedOnDevice>> all;
    int device = 0;
    ROUNDEL_CUDA_CHECK(cudaGetDevice(&device));
    std::shared_ptr<SharedOnDevice> found;
    {
      const std::lock_guard lock(mutex);
      std::erase_if(all, [](const auto& item) { return item.second.expired(); });
      std::weak_ptr<SharedOnDevice>& known = all[{device, key}];
      found = known.lock();
      if (!found) known = found = std::make_shared<SharedOnDevice>();
    }
    std::call_once(found->filled_, [&] { fill(found->value_); });
    return {found, &found->value_};
  }

 private:
  T value_;
  std::once_flag filled_;
};

}  // namespace roundel::cuda
