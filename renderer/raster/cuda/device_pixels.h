#pragma once
#include <cuda_runtime_api.h>

#include "renderer/image/files.h"
#include "renderer/pixels/framebuffer.h"

namespace roundel::cuda {

/// Converts a framebuffer [height, width], rows bottom to top, to samples [height, width,
/// channels], top row first. 3 channels have no alpha.
void copy_samples(const Pixel* framebuffer, const PngShape& shape, float* samples,
                  cudaStream_t stream);

}  // namespace roundel::cuda
