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

/// A copy between main and device memory.
struct CopyArgs {
  void* to;
  const void* from;
  std::size_t bytes;
  bool operator==(const CopyArgs&) const = default;
};
void copy(const CopyArgs& args, cudaStream_t stream);

/// What a frame does on a device, stage by stage. What is joined goes into the stream together: as
/// a graph, where the frame before had the same stages with the same arguments. A graph is one call
/// of the driver, however many kernels it has.
class FrameGraph {
 public:
  explicit FrameGraph(cudaStream_t stream) : stream_(stream) {}
  ~FrameGraph() { destroy(); }
  FrameGraph(const FrameGraph&) = delete;
  FrameGraph& operator=(const FrameGraph&) = delete;

  cudaStream_t stream() const { return stream_; }

  /// Begins a frame. `joins`: its stages wait for launch(). First launches what is left of a frame
  /// that did not come to its end: the host counts its circles as stepped.
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
  /// To be called before anything else is put into the stream, and before memory of stages is
  /// freed.
  void launch();

  /// The stages that wait, as a graph that is the caller's, instead of putting them into the
  /// stream. The same ones must have run before: some get ready when they do.
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
  Steps steps_, known_;              // that wait; that were launched the last time
  cudaGraphExec_t graph_ = nullptr;  // of known_, once they have come twice
};

}  // namespace roundel::cuda
