#pragma once
#include <cuda_runtime_api.h>

#include <cstdint>

#include "renderer/circles/circle_motion.h"
#include "renderer/circles/view.h"

namespace roundel::cuda {

/// What changes of a layer from frame to frame.
struct LayerFrame {
  const Shape* shapes;         ///< after `from` steps, in the space of the layer
  const Velocity* velocities;  ///< null where nothing moves by itself
  std::uint32_t from, to;      ///< steps
  CircleMove move;
};

/// The circles of a layer in a frame, all arrays [count]. They stay the same for all frames, so
/// that a FrameGraph does.
struct MakeCirclesArgs {
  std::uint64_t count;
  Motion motion;
  const LayerFrame* frame;
  const Shape* start;  ///< after no steps, in the space of the layer
  Shape* shapes;       ///< in frame space

  bool operator==(const MakeCirclesArgs&) const = default;
};

/// Steps and moves them.
void make_circles(const MakeCirclesArgs& args, cudaStream_t stream);

/// The circles of a layer that move by themselves, all arrays [count], in the space of the layer.
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

/// Steps them.
void step_circles(const StepCirclesArgs& args, cudaStream_t stream);

}  // namespace roundel::cuda
