#pragma once
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>

// Memory of CUDA devices for the Python module. All functions throw Error(kRuntimeFailure), also in
// builds without CUDA.
namespace roundel {

/// A picture's samples on a device, [height, width, channels], top row first.
struct DevicePixels {
  bool is_float = false;  ///< samples are binary32, else integers of the image's bits
  /// Made by a rasterizer. Freed after all work that the device has been given until then.
  std::shared_ptr<void> samples = nullptr;
};

/// Allocates uninitialised memory. It is freed as DevicePixels::samples is, and reused for requests
/// of the same size.
std::shared_ptr<void> allocate_on_device(int device, std::size_t bytes);

/// Copies `rows` elements of `size` bytes, `stride` bytes apart on the device, to contiguous host
/// memory, after all earlier work.
void copy_from_device(const void* device, std::size_t stride, std::size_t size, std::size_t rows,
                      void* host);

/// Calls draw(), then restores the thread's CUDA device.
void preserve_device(const std::function<void()>& draw);

}  // namespace roundel
