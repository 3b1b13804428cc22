#pragma once
#include <cuda_runtime_api.h>

#include <cstdint>

#include "renderer/circles/circle_motion.h"
#include "renderer/circles/view.h"

namespace roundel::cuda {

struct LayerFrame {
  const Shape* shapes;         ///< after `from` steps, in the layer's space
  const Velocity* velocities;  ///< null without motion
  std::uint32_t from, to;      ///< steps
  CircleMove move;
};

/// Arguments of a layer's circles, arrays [count]. They are equal in all frames, so that FrameGraph
/// reuses them.
struct MakeCirclesArgs {
  std::uint64_t count;
  Motion motion;
  const LayerFrame* frame;
  const Shape* start;  ///< after no steps, in the layer's space
  Shape* shapes;       ///< in frame space

  bool operator==(const MakeCirclesArgs&) const = default;
};

void make_circles(const MakeCirclesArgs& args, cudaStream_t stream);

/// Arguments for the moving circles of a layer, arrays [count], in its space.
struct StepCirclesArgs {
  std::uint64_t count;
  Motion motion;
  std::uint32_t from, to;  ///< steps
  const Shape* start;      ///< after no steps
  const Shape* shapes;     ///< after `from` steps
  const Velocity* velocities;
  Shape* stepped_shapes;  ///< after `to` steps
  Velocity* stepped_velocities;
};

void step_circles(const StepCirclesArgs& args, cudaStream_t stream);

}  // namespace roundel::cuda
