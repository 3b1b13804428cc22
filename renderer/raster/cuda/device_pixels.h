#pragma once
#include <cuda_runtime_api.h>

#include "renderer/pixels/framebuffer.h"

namespace roundel::cuda {

/// Copies a framebuffer, whose rows are bottom to top, to samples [height, width, channels] with
/// row 0 on top; of 3 channels without alpha.
void copy_top_down(const Pixel* framebuffer, int width, int height, int channels, float* samples,
                   cudaStream_t stream);

}  // namespace roundel::cuda
