#include "renderer/raster/cuda/frame_graph.h"

#include <optional>

#include "renderer/base/error.h"
#include "renderer/raster/cuda/cuda_check.h"

namespace roundel::cuda {

void copy(const CopyArgs& args, cudaStream_t stream) {
  ROUNDEL_CUDA_CHECK(cudaMemcpyAsync(args.to, args.from, args.bytes, cudaMemcpyDefault, stream));
}

void FrameGraph::launch() {
  if (steps_.empty()) return;
  const bool are_known = steps_ == known_;
  std::swap(steps_, known_);
  steps_.clear();  // so that an error does not repeat them
  if (!are_known) {
    destroy();
    run(known_);
    return;
  }
  if (graph_ == nullptr) {
    cudaGraph_t graph = capture(known_);
    const cudaError_t status = cudaGraphInstantiate(&graph_, graph, 0);
    ROUNDEL_CUDA_CHECK(cudaGraphDestroy(graph));
    ROUNDEL_CUDA_CHECK(status);
  }
  ROUNDEL_CUDA_CHECK(cudaGraphLaunch(graph_, stream_));
}

cudaGraph_t FrameGraph::take() {
  return capture(std::exchange(steps_, {}));
}

void FrameGraph::run(const Steps& steps) const {
  for (const auto& any : steps)
    std::visit([&](const auto& step) { step.stage(step.args, stream_); }, any);
}

cudaGraph_t FrameGraph::capture(const Steps& steps) const {
  cudaGraph_t graph = nullptr;
  ROUNDEL_CUDA_CHECK(cudaStreamBeginCapture(stream_, cudaStreamCaptureModeThreadLocal));
  const std::optional<Error> error = catch_error([&] { run(steps); });
  const cudaError_t status = cudaStreamEndCapture(stream_, &graph);  // else no frame can follow
  if (error) {
    if (graph != nullptr) cudaGraphDestroy(graph);
    cudaGetLastError();  // clears a broken capture's error
    throw Error(*error);
  }
  ROUNDEL_CUDA_CHECK(status);
  return graph;
}

}  // namespace roundel::cuda
