#pragma once
#include <cstdint>

#include "renderer/circles/circle.h"
#include "renderer/scene/scene.h"

namespace roundel {

/// The minimal work of any renderer that keeps the frame contract, for one frame.
struct FrameWork {
  std::uint64_t fragments;  ///< circle–pixel pairs composited: covered and not stopped
  std::uint64_t visible;    ///< circles with at least one fragment

  /// Returns bytes: the visible circles read once, the 8-bit image written once.
  double bytes(const ImageSettings& image) const;
  /// Returns binary32 operations, a fused multiply-add being one: per fragment 5 for the coverage
  /// test and 6 to composite, per pixel 12 for background and quantising.
  double operations(const ImageSettings& image) const;
};

/// `circles` are in frame space. Counts pixel by pixel, in parallel: slow.
FrameWork count_work(const Circles& circles, const ImageSettings& image);

}  // namespace roundel
