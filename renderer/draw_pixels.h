#pragma once
#include <cstddef>
#include <cstdint>
#include <memory>

#include "renderer/base/buffer.h"
#include "renderer/raster/rasterizer.h"
#include "renderer/scene/scene.h"

/// Pixels in the sample types of programs that use the library.
namespace roundel {

enum class SampleType { kUint8, kUint16, kFloat32 };
std::size_t sample_bytes(SampleType type);

/// Rows top to bottom, channels interleaved, samples in the machine's byte order.
struct Pixels {
  int width = 0, height = 0, channels = 3;
  SampleType type = SampleType::kUint8;
  Buffer<std::uint8_t> bytes;
};

/// Draws a frame's circles in samples of `type`: those of a PNG with that many bits, or of an EXR.
Pixels draw_pixels(Rasterizer& rasterizer, const CircleStream& circles, ImageSettings image,
                   SampleType type, StageStats& stats);

/// Draws them into device memory; `rasterizer` must be a CUDA one.
std::shared_ptr<void> draw_pixels_on_device(Rasterizer& rasterizer, const CircleStream& circles,
                                            ImageSettings image, SampleType type,
                                            StageStats& stats);

}  // namespace roundel
