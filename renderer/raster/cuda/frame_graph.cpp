#include "renderer/raster/cuda/frame_graph.h"

#include "renderer/raster/cuda/cuda_check.h"

namespace roundel::cuda {

void copy(const CopyArgs& args, cudaStream_t stream) {
  ROUNDEL_CUDA_CHECK(cudaMemcpyAsync(args.to, args.from, args.bytes, cudaMemcpyDefault, stream));
}

void FrameGraph::launch() {
  if (steps_.empty()) return;
  if (steps_ != known_) {
    run();
    destroy();
    known_ = std::move(steps_);
  } else {
    if (graph_ == nullptr) {
      cudaGraph_t graph = capture();
      const cudaError_t status = cudaGraphInstantiate(&graph_, graph, 0);
      ROUNDEL_CUDA_CHECK(cudaGraphDestroy(graph));
      ROUNDEL_CUDA_CHECK(status);
    }
    ROUNDEL_CUDA_CHECK(cudaGraphLaunch(graph_, stream_));
  }
  steps_.clear();
}

cudaGraph_t FrameGraph::take() {
  cudaGraph_t graph = capture();
  steps_.clear();
  return graph;
}

cudaGraph_t FrameGraph::capture() const {
  cudaGraph_t graph = nullptr;
  ROUNDEL_CUDA_CHECK(cudaStreamBeginCapture(stream_, cudaStreamCaptureModeThreadLocal));
  run();
  ROUNDEL_CUDA_CHECK(cudaStreamEndCapture(stream_, &graph));
  return graph;
}

void FrameGraph::run() const {
  for (const auto& any : steps_)
    std::visit([&](const auto& step) { step.stage(step.args, stream_); }, any);
}

}  // namespace roundel::cuda
