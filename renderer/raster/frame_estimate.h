#pragma once
#include <cstdint>

#include "renderer/raster/circle.h"
#include "renderer/raster/circle_feed.h"
#include "renderer/scene/scene.h"

namespace roundel {

/// What a look at a few hundred of a frame's circles tells about all. Decides how much work is done
/// at once, never what is painted.
struct FrameEstimate {
  /// Circles from the front that should saturate most of the image; all if they never do.
  std::uint64_t front_circles;
  /// Tiles that a circle's box touches, mean over the front circles and over all.
  double front_tiles_per_circle, tiles_per_circle;
};

/// `circles` are in frame space; tiles have `tile_size` pixels a side. The front circles are those
/// whose opacity, averaged over the image, is `spread` times what stops a pixel: circles lie at
/// random, and half as densely at the image's edges.
FrameEstimate estimate_frame(const CircleFeed& circles, const ImageSettings& image, int tile_size,
                             double spread);
FrameEstimate estimate_frame(const Circles& circles, const ImageSettings& image, int tile_size,
                             double spread);

/// The CPU backend's spread. For nearly all pixels to stop the mean must be higher than what stops
/// one; a tile that needs a second chunk costs more than long lists.
inline constexpr double kCpuSaturationFactor = 3.2;

}  // namespace roundel
