#pragma once
#include <cuda_runtime_api.h>

#include <cstdint>

#include "renderer/generate/circle_motion.h"
#include "renderer/generate/view.h"

namespace roundel::cuda {

/// What changes of a layer from frame to frame.
struct LayerFrame {
  std::uint32_t from, to;  ///< steps
  CircleMove move;
};

/// The circles of a layer in a frame, all arrays [count]. They stay the same for all frames, so
/// that a FrameGraph does.
struct MakeCirclesArgs {
  std::uint64_t count;
  Motion motion;
  const LayerFrame* frame;
  const Shape* start;
  Shape* stepped;  ///< this and the next are null where nothing moves by itself
  Velocity* velocities;
  Shape* shapes;  ///< in frame space

  bool operator==(const MakeCirclesArgs&) const = default;
};

/// Steps and moves them.
void make_circles(const MakeCirclesArgs& args, cudaStream_t stream);

}  // namespace roundel::cuda
