#pragma once
#include <cuda_runtime_api.h>

#include <cstdint>

#include "renderer/pixels/framebuffer.h"
#include "renderer/raster/device_memory.h"

namespace roundel::cuda {

/// A frame as a backend has drawn it, in memory that is the next frame's.
struct DrawnPixels {
  int width, height, channels;
  const Pixel* framebuffer;   ///< [height, width], rows bottom to top, for pixels that are floats
  const std::uint8_t* bytes;  ///< [height, width, channels], row 0 on top, for others
};

/// Copies it to memory of its own on the device. Of 3 channels floats have no alpha.
void keep_pixels(const DrawnPixels& drawn, int device, DevicePixels& pixels, cudaStream_t stream);

}  // namespace roundel::cuda
