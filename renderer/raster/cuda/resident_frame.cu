#include "renderer/raster/resident_frame.h"

#include <algorithm>
#include <chrono>
#include <vector>

#include "renderer/raster/cuda/cuda_check.h"
#include "renderer/raster/cuda/device_buffer.h"
#include "renderer/raster/cuda/frame_drawer.h"
#include "renderer/raster/frame_estimate.h"

namespace roundel {
namespace cuda {
namespace {

class GraphFrame final : public ResidentFrame {
 public:
  GraphFrame(const RasterOptions& options, const Circles& circles, const ImageSettings& image)
      : image_(image), shapes_(circles.count()), paints_(circles.count()) {
    ROUNDEL_CUDA_CHECK(cudaSetDevice(options.device));
    ROUNDEL_CUDA_CHECK(cudaStreamCreateWithFlags(&stream_, cudaStreamNonBlocking));
    for (cudaEvent_t& event : events_) ROUNDEL_CUDA_CHECK(cudaEventCreate(&event));
    bytes_ =
        DeviceBuffer<std::uint8_t>(static_cast<std::size_t>(image.width) *
                                   static_cast<std::size_t>(image.height) * (image.alpha ? 4 : 3));
    if (circles.count() > 0) {
      ROUNDEL_CUDA_CHECK(cudaMemcpy(shapes_.data(), circles.shapes.data(), shapes_.bytes(),
                                    cudaMemcpyHostToDevice));
      ROUNDEL_CUDA_CHECK(cudaMemcpy(paints_.data(), circles.paints.data(), paints_.bytes(),
                                    cudaMemcpyHostToDevice));
    }
    drawer_.begin(image, {nullptr, bytes_.data()}, stream_);
    plan(circles);
    draw_until_it_fits();
    record();
  }
  ~GraphFrame() override {
    cudaGraphExecDestroy(graph_);
    for (const cudaEvent_t event : events_) cudaEventDestroy(event);
    cudaStreamDestroy(stream_);
  }
  GraphFrame(const GraphFrame&) = delete;
  GraphFrame& operator=(const GraphFrame&) = delete;

  double draw_wall_us() override {
    const auto start = std::chrono::steady_clock::now();
    ROUNDEL_CUDA_CHECK(cudaGraphLaunch(graph_, stream_));
    ROUNDEL_CUDA_CHECK(cudaStreamSynchronize(stream_));
    const std::chrono::duration<double, std::micro> elapsed =
        std::chrono::steady_clock::now() - start;
    return elapsed.count();
  }

  double draw_device_us() override {
    ROUNDEL_CUDA_CHECK(cudaEventRecord(events_[0], stream_));
    ROUNDEL_CUDA_CHECK(cudaGraphLaunch(graph_, stream_));
    ROUNDEL_CUDA_CHECK(cudaEventRecord(events_[1], stream_));
    ROUNDEL_CUDA_CHECK(cudaStreamSynchronize(stream_));
    return 1000 * elapsed(0, 1);
  }

  void draw_stages(StageStats& stats) override {
    for (const FrameDrawer::Chunk& chunk : chunks_) {
      ROUNDEL_CUDA_CHECK(cudaEventRecord(events_[0], stream_));
      if (chunk.is_listed) drawer_.bin(chunk, stream_);
      ROUNDEL_CUDA_CHECK(cudaEventRecord(events_[1], stream_));
      drawer_.blend(chunk, stream_);
      ROUNDEL_CUDA_CHECK(cudaEventRecord(events_[2], stream_));
      ROUNDEL_CUDA_CHECK(cudaStreamSynchronize(stream_));
      stats.stage("bin").milliseconds += elapsed(0, 1);
      stats.stage("blend").milliseconds += elapsed(1, 2);
    }
    const FrameProgress progress = drawer_.progress(stream_);
    stats.circles = shapes_.size();
    stats.chunks = progress.chunks;
    stats.overlaps = progress.overlaps;
  }

  void read(Image& out) override {
    out.resize(image_.width, image_.height, image_.alpha ? 4 : 3);
    ROUNDEL_CUDA_CHECK(
        cudaMemcpy(out.bytes.data(), bytes_.data(), bytes_.bytes(), cudaMemcpyDeviceToHost));
  }

 private:
  void plan(const Circles& circles) {
    const FrameEstimate estimate = estimate_frame(circles, image_, kTileSize, kSaturationFactor);
    const std::uint64_t count = circles.count();
    std::uint64_t end = count, size = std::min<std::uint64_t>(estimate.front_circles, count);
    double overlaps = estimate.front_tiles_per_circle;
    do {
      size = std::min({size, end, std::uint64_t{kMostChunkCircles}});
      FrameDrawer::Chunk chunk{};
      chunk.number = static_cast<std::uint32_t>(chunks_.size());
      chunk.is_last = size == end;
      chunk.is_listed = !(size == count && drawer_.needs_no_lists(count));
      chunk.shapes = shapes_.data() + (end - size);
      chunk.paints = paints_.data() + (end - size);
      chunk.count = static_cast<std::uint32_t>(size);
      chunk.slab_capacity =
          static_cast<std::uint64_t>(kCapacityMargin * overlaps * static_cast<double>(size));
      chunk.overflow_capacity = kFewOverlaps;
      chunks_.push_back(chunk);
      if (chunk.is_listed) drawer_.reserve(chunk);
      overlaps = estimate.tiles_per_circle;
      end -= size;
      size = end;
    } while (end > 0);
  }

  void enqueue() {
    for (const FrameDrawer::Chunk& chunk : chunks_) {
      if (chunk.is_listed) drawer_.bin(chunk, stream_);
      drawer_.blend(chunk, stream_);
    }
  }

  void draw_until_it_fits() {
    while (true) {
      enqueue();
      const FrameProgress progress = drawer_.progress(stream_);
      if (progress.overflow == 0) return;
      FrameDrawer::Chunk& chunk = chunks_[progress.overflow - 1];
      drawer_.clear_overflow(stream_);
      chunk.overflow_capacity = progress.used;
      drawer_.reserve(chunk);
    }
  }

  void record() {
    cudaGraph_t graph;
    ROUNDEL_CUDA_CHECK(cudaStreamBeginCapture(stream_, cudaStreamCaptureModeThreadLocal));
    enqueue();
    ROUNDEL_CUDA_CHECK(cudaStreamEndCapture(stream_, &graph));
    ROUNDEL_CUDA_CHECK(cudaGraphInstantiate(&graph_, graph, 0));
    ROUNDEL_CUDA_CHECK(cudaGraphDestroy(graph));
  }

  double elapsed(int first, int last) const {  // milliseconds
    float milliseconds = 0;
    ROUNDEL_CUDA_CHECK(cudaEventElapsedTime(&milliseconds, events_[first], events_[last]));
    return milliseconds;
  }

  ImageSettings image_;
  cudaStream_t stream_ = nullptr;
  cudaEvent_t events_[3] = {};
  cudaGraphExec_t graph_ = nullptr;
  FrameDrawer drawer_;
  std::vector<FrameDrawer::Chunk> chunks_;
  DeviceBuffer<Shape> shapes_;
  DeviceBuffer<Paint> paints_;
  DeviceBuffer<std::uint8_t> bytes_;
};

}  // namespace
}  // namespace cuda

std::unique_ptr<ResidentFrame> make_resident_frame(const RasterOptions& options,
                                                   const Circles& circles,
                                                   const ImageSettings& image) {
  return std::make_unique<cuda::GraphFrame>(options, circles, image);
}

}  // namespace roundel
