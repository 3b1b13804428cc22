#pragma once
#include <cstdint>

#include "renderer/generate/circle.h"
#include "renderer/raster/circle_feed.h"
#include "renderer/scene/scene.h"

namespace roundel {

/// What a look at a few hundred of a frame's circles tells about all. Decides how much work is done
/// at once, never what is painted.
struct FrameEstimate {
  /// Circles from the front that should saturate most of the image; all if they never do.
  std::uint64_t front_circles;
  /// Bins that a circle's box touches, mean over the front circles and over all.
  double front_bins_per_circle, bins_per_circle;
};

/// `circles` are in frame space; bins have `bin_size` pixels a side. The front circles are those
/// whose opacity, averaged over the image, is `spread` times what stops a pixel: circles lie at
/// random, and half as densely at the image's edges.
FrameEstimate estimate_frame(const CircleFeed& circles, const ImageSettings& image, int bin_size,
                             double spread);
FrameEstimate estimate_frame(const Circles& circles, const ImageSettings& image, int bin_size,
                             double spread);

/// The CPU backend's spread. For nearly all pixels to stop the mean must be higher than what stops
/// one; a bin that needs a second chunk costs more than long lists.
inline constexpr double kCpuFrontSpread = 3.2;

}  // namespace roundel
