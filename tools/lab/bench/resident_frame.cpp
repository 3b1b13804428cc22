#include "tools/lab/bench/resident_frame.h"

#include <chrono>

#include "renderer/raster/cuda/cuda_backend.h"

namespace roundel {
namespace cuda {
namespace {

class GraphFrame final : public ResidentFrame {
 public:
  GraphFrame(const RasterOptions& options, const Circles& circles, const ImageSettings& image)
      : circles_(circles), image_(image), backend_(options) {
    backend_.keep_on_device(circles);
    StageStats stats;
    backend_.draw(circles_, image_, picture_, stats);  // finds out how much memory it takes
    const ChunkPlan plan = backend_.plan(circles_, image_, picture_, stats);
    backend_.begin_capture();
    draw_chunks(backend_, plan, stats);
    cudaGraph_t graph = backend_.end_capture();
    const cudaError_t status = cudaGraphInstantiate(&graph_, graph, 0);
    ROUNDEL_CUDA_CHECK(cudaGraphDestroy(graph));
    ROUNDEL_CUDA_CHECK(status);
  }
  ~GraphFrame() override { cudaGraphExecDestroy(graph_); }
  GraphFrame(const GraphFrame&) = delete;
  GraphFrame& operator=(const GraphFrame&) = delete;

  double draw_wall_us() override {
    const auto start = std::chrono::steady_clock::now();
    ROUNDEL_CUDA_CHECK(cudaGraphLaunch(graph_, backend_.stream()));
    ROUNDEL_CUDA_CHECK(cudaStreamSynchronize(backend_.stream()));
    const std::chrono::duration<double, std::micro> elapsed =
        std::chrono::steady_clock::now() - start;
    return elapsed.count();
  }

  double draw_device_us() override {
    start_.record(backend_.stream());
    ROUNDEL_CUDA_CHECK(cudaGraphLaunch(graph_, backend_.stream()));
    end_.record(backend_.stream());
    ROUNDEL_CUDA_CHECK(cudaStreamSynchronize(backend_.stream()));
    return 1000 * end_.since(start_);
  }

  void draw_stages(StageStats& stats) override {
    const ChunkPlan plan = backend_.plan(circles_, image_, picture_, stats);
    draw_chunks(backend_, plan.polling_each_chunk(), stats);
    stats.circles = circles_.count();
  }

  void read(Image& out) override {
    StageStats stats;
    backend_.finish(stats);
    out.resize(picture_.width, picture_.height, picture_.channels, picture_.bits);
    std::copy(picture_.bytes.begin(), picture_.bytes.end(), out.bytes.begin());
  }

 private:
  CircleStream circles_;
  ImageSettings image_;
  Image picture_;
  CudaBackend backend_;
  Event start_, end_;
  cudaGraphExec_t graph_ = nullptr;
};

}  // namespace
}  // namespace cuda

std::unique_ptr<ResidentFrame> make_resident_frame(const RasterOptions& options,
                                                   const Circles& circles,
                                                   const ImageSettings& image) {
  return std::make_unique<cuda::GraphFrame>(options, circles, image);
}

}  // namespace roundel
