#pragma once
#include <cuda_runtime_api.h>

#include <cstdint>

#include "renderer/pixels/framebuffer.h"
#include "renderer/pixels/quantize_levels.h"
#include "renderer/raster/frame_mean.h"

namespace roundel::cuda {

/// Arguments of a frame's mean, arrays [height, width], rows bottom to top.
struct MeanArgs {
  MeanFormat format;
  int width, height;
  Pixel* sums;  ///< the first sample; sums of light where `changes` is 1
  std::uint8_t* changes;
};

/// Adds a sample after `count` others; the first one begins the sums.
void add_sample(const MeanArgs& args, const Pixel* sample, std::uint32_t count,
                cudaStream_t stream);

/// Turns the sums of `count` samples into the mean. `curve`: DisplayCurve::make_table()'s.
/// `bytes`: for an Image of this format, or null.
void divide_samples(const MeanArgs& args, std::uint32_t count, const float* curve,
                    const SampleFormat& samples, std::uint8_t* bytes, cudaStream_t stream);

}  // namespace roundel::cuda
