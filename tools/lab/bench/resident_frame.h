#pragma once
#include <memory>

#include "renderer/base/stage_stats.h"
#include "renderer/circles/circle.h"
#include "renderer/pixels/image.h"
#include "renderer/raster/rasterizer.h"
#include "renderer/scene/scene.h"

namespace roundel {

/// A frame from circles in device memory to an 8-bit image in device memory: the frame loop,
/// captured once as a CUDA graph and replayed. Measures a frame's time without the bus.
class ResidentFrame {
 public:
  virtual ~ResidentFrame() = default;
  /// Draws once; returns microseconds from the launch until the image is complete.
  virtual double draw_wall_us() = 0;
  /// Draws once; returns the device's own time in microseconds, by events around the replay.
  virtual double draw_device_us() = 0;
  /// Draws once without the graph, with events between the stages: adds their milliseconds, and
  /// sets chunks and overlaps.
  virtual void draw_stages(StageStats& stats) = 0;
  /// Reads the last image.
  virtual void read(Image& out) = 0;
};

/// Keeps a reference to the circles. Throws Error(kRuntimeFailure) without a usable device, if the
/// circles and lists do not fit in its memory, or in a build without CUDA.
std::unique_ptr<ResidentFrame> make_resident_frame(const RasterOptions& options,
                                                   const Circles& circles,
                                                   const ImageSettings& image);

}  // namespace roundel
