#pragma once
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>

// What Python has in a CUDA device's memory, or wants there. All throw Error(kRuntimeFailure), also
// in a build without CUDA.
namespace roundel {

/// Samples of a picture in a device's memory, [height, width, channels], row 0 on top.
struct DevicePixels {
  bool is_float = false;  ///< to be made: binary32, else of the image's bits
  /// What a rasterizer has made. Gives its memory back once the device has done all that it was
  /// asked to do until then.
  std::shared_ptr<void> samples = nullptr;
};

/// Uninitialised memory of a device, which gives itself back like DevicePixels::samples: to others
/// that ask for as much.
std::shared_ptr<void> allocate_on_device(int device, std::size_t bytes);

/// Copies `rows` elements of `size` bytes, `stride` bytes apart in a device's memory, one behind
/// the other to `host`, after all that the device has been asked to do before.
void copy_from_device(const void* device, std::size_t stride, std::size_t size, std::size_t rows,
                      void* host);

/// Calls draw(), after which the calling thread's CUDA device is the one that it was before.
void with_device_kept(const std::function<void()>& draw);

}  // namespace roundel
