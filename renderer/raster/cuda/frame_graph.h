#pragma once
#include <cuda_runtime_api.h>

#include <cstddef>
#include <utility>
#include <variant>
#include <vector>

#include "renderer/raster/cuda/blend_tiles.h"
#include "renderer/raster/cuda/make_circles.h"
#include "renderer/raster/cuda/png/png_stages.h"

namespace roundel::cuda {

struct CopyArgs {
  void* to;
  const void* from;
  std::size_t bytes;
  bool operator==(const CopyArgs&) const = default;
};
void copy(const CopyArgs& args, cudaStream_t stream);

/// A frame's stages on a device. Joined stages go into the stream together: as a graph, one call of
/// the driver, if the previous frame had the same stages and arguments.
class FrameGraph {
 public:
  explicit FrameGraph(cudaStream_t stream) : stream_(stream) {}
  ~FrameGraph() { destroy(); }
  FrameGraph(const FrameGraph&) = delete;
  FrameGraph& operator=(const FrameGraph&) = delete;

  cudaStream_t stream() const { return stream_; }

  /// `joins`: stages wait for launch(). First launches the stages of an incomplete frame, since the
  /// host counts its circles as stepped.
  void begin(bool joins) {
    launch();
    joins_ = joins;
  }
  template <typename Args>
  void put(void (*stage)(const Args&, cudaStream_t), const std::type_identity_t<Args>& args) {
    if (joins_) {
      steps_.push_back(Step<Args>{stage, args});
    } else {
      stage(args, stream_);
    }
  }
  /// Launches the waiting stages. Call before anything else goes into the stream, and before
  /// stages' memory is freed.
  void launch();

  /// Returns the waiting stages as a graph that the caller owns. They must have run before, since
  /// some initialise themselves.
  cudaGraph_t take();

 private:
  template <typename Args>
  struct Step {
    void (*stage)(const Args&, cudaStream_t);
    Args args;
    bool operator==(const Step&) const = default;
  };
  template <typename... Args>
  using StepOf = std::variant<Step<Args>...>;
  using Steps =
      std::vector<StepOf<CopyArgs, MakeCirclesArgs, BinCirclesArgs, BlendTilesArgs, PngArgs>>;

  void run(const Steps& steps) const;
  cudaGraph_t capture(const Steps& steps) const;
  void destroy() {
    if (graph_ != nullptr) cudaGraphExecDestroy(std::exchange(graph_, nullptr));
  }

  cudaStream_t stream_;
  bool joins_ = false;
  Steps steps_, known_;              // waiting; launched last
  cudaGraphExec_t graph_ = nullptr;  // graph of known_, once it came twice
};

}  // namespace roundel::cuda
