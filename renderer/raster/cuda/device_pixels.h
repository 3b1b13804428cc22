#pragma once
#include <cuda_runtime_api.h>

#include "renderer/image/files.h"
#include "renderer/pixels/framebuffer.h"

namespace roundel::cuda {

/// A framebuffer [height, width], whose rows are bottom to top, as samples [height, width,
/// channels], row 0 on top. Of 3 channels there is no alpha.
void copy_samples(const Pixel* framebuffer, const PngShape& shape, float* samples,
                  cudaStream_t stream);

}  // namespace roundel::cuda
