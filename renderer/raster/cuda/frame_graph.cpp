#include "renderer/raster/cuda/frame_graph.h"

#include "renderer/raster/cuda/cuda_check.h"

namespace roundel::cuda {

void copy_progress(const ProgressCopy& args, cudaStream_t stream) {
  ROUNDEL_CUDA_CHECK(
      cudaMemcpyAsync(args.to, args.from, sizeof(*args.to), cudaMemcpyDeviceToHost, stream));
}

void FrameGraph::launch(cudaStream_t stream) {
  if (steps_.empty()) return;
  if (steps_ != known_) {
    run(stream);
    destroy();
    known_ = std::move(steps_);
  } else {
    if (graph_ == nullptr) make(stream);
    ROUNDEL_CUDA_CHECK(cudaGraphLaunch(graph_, stream));
  }
  steps_.clear();
}

cudaGraph_t FrameGraph::capture(cudaStream_t stream) const {
  cudaGraph_t graph = nullptr;
  ROUNDEL_CUDA_CHECK(cudaStreamBeginCapture(stream, cudaStreamCaptureModeThreadLocal));
  run(stream);
  ROUNDEL_CUDA_CHECK(cudaStreamEndCapture(stream, &graph));
  return graph;
}

void FrameGraph::run(cudaStream_t stream) const {
  for (const auto& any : steps_)
    std::visit([&](const auto& step) { step.stage(step.args, stream); }, any);
}

void FrameGraph::make(cudaStream_t stream) {
  cudaGraph_t graph = capture(stream);
  const cudaError_t status = cudaGraphInstantiate(&graph_, graph, 0);
  ROUNDEL_CUDA_CHECK(cudaGraphDestroy(graph));
  ROUNDEL_CUDA_CHECK(status);
}

}  // namespace roundel::cuda
