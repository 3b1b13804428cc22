#pragma once
#include <cuda_runtime_api.h>

#include <utility>
#include <variant>
#include <vector>

#include "renderer/raster/cuda/blend_tiles.h"
#include "renderer/raster/cuda/png/png_stages.h"

namespace roundel::cuda {

/// From device to main memory.
struct ProgressCopy {
  const FrameProgress* from;
  FrameProgress* to;
  bool operator==(const ProgressCopy&) const = default;
};
void copy_progress(const ProgressCopy& args, cudaStream_t stream);

/// Stages of a frame that go into a stream together: as a graph, where the frame before had the
/// same ones with the same arguments. A graph is one call of the driver, however many kernels it
/// has.
class FrameGraph {
 public:
  FrameGraph() = default;
  ~FrameGraph() { destroy(); }
  FrameGraph(const FrameGraph&) = delete;
  FrameGraph& operator=(const FrameGraph&) = delete;

  template <typename Args>
  void add(void (*stage)(const Args&, cudaStream_t), const Args& args) {
    steps_.push_back(Step<Args>{stage, args});
  }
  /// Forgets what was added.
  void clear() { steps_.clear(); }

  /// Puts what was added into the stream.
  void launch(cudaStream_t stream);

  /// What was added, as a graph that is the caller's, instead of putting it into the stream. The
  /// same stages must have run before: some get ready when they do.
  cudaGraph_t capture(cudaStream_t stream) const;

 private:
  template <typename Args>
  struct Step {
    void (*stage)(const Args&, cudaStream_t);
    Args args;
    bool operator==(const Step&) const = default;
  };
  using Steps = std::vector<
      std::variant<Step<BinCirclesArgs>, Step<BlendTilesArgs>, Step<PngArgs>, Step<ProgressCopy>>>;

  void run(cudaStream_t stream) const;
  void make(cudaStream_t stream);
  void destroy() {
    if (graph_ != nullptr) cudaGraphExecDestroy(std::exchange(graph_, nullptr));
  }

  Steps steps_, known_;              // to be launched; launched the last time
  cudaGraphExec_t graph_ = nullptr;  // of known_, once they have come twice
};

}  // namespace roundel::cuda
