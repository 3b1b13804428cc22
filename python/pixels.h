#pragma once
#include <pybind11/numpy.h>

#include <cstddef>
#include <cstdint>
#include <memory>

#include "renderer/base/buffer.h"
#include "renderer/raster/rasterizer.h"
#include "renderer/scene/scene.h"

namespace roundel::python {

enum class SampleType { kUint8, kUint16, kFloat32 };
/// As NumPy has it.
const char* name_of(SampleType type);
std::size_t sample_bytes(SampleType type);

/// Pixels as Python has them: rows top to bottom, channels interleaved, samples in the machine's
/// byte order.
struct Pixels {
  int width = 0, height = 0, channels = 3;
  SampleType type = SampleType::kUint8;
  Buffer<std::uint8_t> bytes;
};

/// Draws a frame's circles, whatever the scene's bits, in samples of `type`: those of a PNG with as
/// many bits, or of an EXR.
Pixels draw_pixels(Rasterizer& rasterizer, const CircleStream& circles, ImageSettings image,
                   SampleType type, StageStats& stats);

/// The same in the memory of the device that the rasterizer, one of CUDA, draws on.
std::shared_ptr<void> draw_pixels_on_device(Rasterizer& rasterizer, const CircleStream& circles,
                                            ImageSettings image, SampleType type,
                                            StageStats& stats);

/// To be called before arrays are made or taken, with the GIL. pybind11 before 2.12 finds NumPy
/// while it initializes a static: a thread that comes to it meanwhile waits for that with the GIL,
/// without which it never ends.
void find_numpy();

/// An array [height, width, channels] that owns them.
pybind11::array array_of(Pixels pixels);

}  // namespace roundel::python
