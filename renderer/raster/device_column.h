#pragma once
#include <cstddef>

namespace roundel {

/// Copies `rows` elements of `size` bytes, `stride` bytes apart in a CUDA device's memory, one
/// behind the other to `host`, after all that the device has been asked to do before. Throws
/// Error(kRuntimeFailure), also in a build without CUDA.
void copy_from_device(const void* device, std::size_t stride, std::size_t size, std::size_t rows,
                      void* host);

}  // namespace roundel
