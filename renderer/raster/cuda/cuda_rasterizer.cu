#include <cuda_runtime_api.h>

#include <algorithm>
#include <memory>
#include <string>

#include "renderer/raster/chunks.h"
#include "renderer/raster/cuda/cuda_check.h"
#include "renderer/raster/cuda/device_buffer.h"
#include "renderer/raster/cuda/frame_drawer.h"
#include "renderer/raster/rasterizer.h"

namespace roundel {
namespace cuda {
namespace {

class CudaRasterizer final : public Rasterizer {
 public:
  explicit CudaRasterizer(const RasterOptions& options) : options_(options) {
    use_device();
    ROUNDEL_CUDA_CHECK(cudaStreamCreateWithFlags(&stream_, cudaStreamNonBlocking));
    for (cudaEvent_t& event : events_) ROUNDEL_CUDA_CHECK(cudaEventCreate(&event));
  }
  ~CudaRasterizer() override {
    for (const cudaEvent_t event : events_) cudaEventDestroy(event);
    cudaStreamDestroy(stream_);
  }
  CudaRasterizer(const CudaRasterizer&) = delete;
  CudaRasterizer& operator=(const CudaRasterizer&) = delete;

  void draw(const CircleFeed& circles, const ImageSettings& image, Framebuffer& out,
            StageStats& stats) override {
    use_device();
    out.resize(image.width, image.height);
    framebuffer_.reserve_discard(out.pixels.size());
    draw_into(circles, image, {framebuffer_.data(), nullptr}, stats);
    copy_back(out.pixels.data(), framebuffer_.data(), out.pixels.size() * sizeof(Pixel), stats);
  }

  void draw(const CircleFeed& circles, const ImageSettings& image, Image& out,
            StageStats& stats) override {
    use_device();
    if (frames_++ > 0) lock_pages(image, out);
    out.resize(image.width, image.height, image.alpha ? 4 : 3);
    bytes_.reserve_discard(out.bytes.size());
    draw_into(circles, image, {nullptr, bytes_.data()}, stats);
    copy_back(out.bytes.data(), bytes_.data(), out.bytes.size(), stats);
  }

 private:
  /// Before anything else: the thread may be another one than the frame before had.
  void use_device() const { ROUNDEL_CUDA_CHECK(cudaSetDevice(options_.device)); }

  /// Gives a picture memory that the device copies to by itself: not the first one, since it takes
  /// longer to get than it saves, nor huge ones, which would take memory from others.
  static void lock_pages(const ImageSettings& image, Image& out) {
    constexpr std::size_t kMostBytes = std::size_t{64} << 20;
    const std::size_t size = static_cast<std::size_t>(image.width) *
                             static_cast<std::size_t>(image.height) * (image.alpha ? 4 : 3);
    if (out.bytes.size() == size || size > kMostBytes) return;
    void* memory = nullptr;
    if (cudaMallocHost(&memory, size) != cudaSuccess) {
      cudaGetLastError();  // there is no such memory left: ordinary memory does
      return;
    }
    out.bytes = {static_cast<std::uint8_t*>(memory), size, [](void* data) { cudaFreeHost(data); }};
  }

  void draw_into(const CircleFeed& circles, const ImageSettings& image,
                 const FrameDrawer::Target& target, StageStats& stats) {
    drawer_.begin(image, target, stream_);
    const FrameEstimate estimate = estimate_frame(circles, image, kTileSize, kSaturationFactor);
    const std::uint64_t largest = largest_chunk(circles.count(), estimate);
    ChunkWalk chunks(circles.count(), options_.chunk_circles,
                     std::min(estimate.front_circles, largest), largest);
    stats.circles = circles.count();
    std::uint64_t overflow_capacity = kFewOverlaps;
    FrameDrawer::Chunk chunk{};
    FrameProgress progress{};
    do {
      const auto [begin, end] = chunks.current();
      chunk.count = static_cast<std::uint32_t>(end - begin);
      chunk.is_last = begin == 0;
      chunk.is_listed = chunk.number > 0 || !chunk.is_last || !drawer_.needs_no_lists(chunk.count);
      const ChunkCircles source = find_circles(circles, begin, end, stats);
      record(0);
      upload(source);
      chunk.shapes = shapes_.data();
      chunk.paints = paints_.data();
      chunk.slab_capacity = static_cast<std::uint64_t>(
          kCapacityMargin * static_cast<double>(chunk.count) *
          (chunk.number == 0 ? estimate.front_tiles_per_circle : estimate.tiles_per_circle));
      chunk.slab_capacity = std::min(chunk.slab_capacity, overlap_capacity());
      chunk.overflow_capacity =
          std::min(overflow_capacity, overlap_capacity() - chunk.slab_capacity);
      if (chunk.is_listed) drawer_.reserve(chunk);
      if (chunk.is_listed) drawer_.bin(chunk, stream_);
      record(1);
      drawer_.blend(chunk, stream_);
      record(2);
      progress = drawer_.progress(stream_);
      stats.stage("bin").milliseconds += elapsed(0, 1);
      stats.stage("blend").milliseconds += elapsed(1, 2);
      if (progress.overflow != 0) {
        overflow_capacity = progress.used;
        make_room(chunk.slab_capacity + overflow_capacity, chunk, chunks);
        continue;
      }
      ++chunk.number;
      chunks.advance();
    } while (progress.overflow != 0 ||
             (!chunk.is_last && progress.active_tiles[(chunk.number - 1) % 2] > 0));
    stats.chunks = progress.chunks;
    stats.overlaps = progress.overlaps;
    stats.stage("bin").bytes = progress.overlaps * sizeof(Overlap);
  }

  /// The chunk's lists did not fit, they need `overlaps`: if that much can be had the chunk is
  /// drawn again, otherwise half of it.
  void make_room(std::uint64_t overlaps, const FrameDrawer::Chunk& chunk, ChunkWalk& chunks) {
    drawer_.clear_overflow(stream_);
    if (overlaps <= overlap_capacity()) return;
    if (chunk.count == 1)
      throw Error(ExitCode::kRuntimeFailure,
                  "device memory: the lists of a single circle do not fit; expected a larger "
                  "--memory");
    chunks.halve();
  }

  /// How many circles a chunk may have so that it and its lists stay within the memory budget.
  std::uint64_t largest_chunk(std::uint64_t count, const FrameEstimate& estimate) {
    find_budget(count);
    const std::uint64_t fixed = framebuffer_.bytes() + bytes_.bytes() + drawer_.fixed_bytes();
    const double per_circle =
        static_cast<double>(sizeof(Shape) + sizeof(Paint) + drawer_.bytes_per_circle()) +
        kCapacityMargin * static_cast<double>(sizeof(Overlap)) *
            std::max(estimate.front_tiles_per_circle, estimate.tiles_per_circle);
    // Enough for a chunk of one slab whose circles may cover every tile.
    const std::uint64_t least =
        fixed + kFewOverlaps * sizeof(Overlap) + drawer_.bytes_per_circle() * kMostSlabCircles +
        static_cast<std::uint64_t>(drawer_.grid().num_tiles()) * sizeof(Overlap);
    if (budget_ < least)
      throw Error(ExitCode::kRuntimeFailure,
                  "--memory: this image needs at least " + std::to_string(least / (1 << 20) + 1) +
                      " MiB of device memory, got " + std::to_string(budget_ / (1 << 20)) + " MiB");
    const auto fitting =
        static_cast<std::uint64_t>(static_cast<double>(budget_ - fixed) / per_circle);
    return std::clamp<std::uint64_t>(std::min<std::uint64_t>(fitting, kMostChunkCircles), 1,
                                     std::max<std::uint64_t>(count, 1));
  }

  /// Asks the device, which takes as long as drawing, unless as many circles have been drawn before
  /// and the lists have not grown since.
  void find_budget(std::uint64_t count) {
    if (budget_ > 0 && count <= known_count_ && drawer_.bytes() == known_bytes_) return;
    std::size_t free = 0, total = 0;
    ROUNDEL_CUDA_CHECK(cudaMemGetInfo(&free, &total));
    known_count_ = std::max(count, known_count_);
    known_bytes_ = drawer_.bytes();
    const std::uint64_t most = (free + held()) / 10 * 9;
    budget_ =
        options_.memory_budget > 0 ? std::min<std::uint64_t>(options_.memory_budget, most) : most;
  }

  /// Overlaps that the lists may have, with what they have now.
  std::uint64_t overlap_capacity() const {
    const std::uint64_t left = budget_ > held() ? budget_ - held() : 0;
    return left / sizeof(Overlap) + drawer_.overlap_capacity();
  }

  /// Device memory held by this object's buffers.
  std::uint64_t held() const {
    return shapes_.bytes() + paints_.bytes() + framebuffer_.bytes() + bytes_.bytes() +
           drawer_.bytes();
  }

  /// Where a chunk's circles are to be read. `identity` tells paints from others: see
  /// Circles::paints_number.
  struct PaintsIdentity {
    std::uint64_t number = 0, begin = 0, end = 0;
    bool operator==(const PaintsIdentity&) const = default;
  };
  struct ChunkCircles {
    const Shape* shapes;
    const Paint* paints;
    std::size_t count;
    PaintsIdentity identity;
  };

  ChunkCircles find_circles(const CircleFeed& circles, std::uint64_t begin, std::uint64_t end,
                            StageStats& stats) {
    const std::size_t count = end - begin;
    if (const Circles* const known = circles.in_memory()) {
      return {known->shapes.data() + begin,
              known->paints.data() + begin,
              count,
              {known->paints_number, begin, end}};
    }
    const StageTimer timer(stats, "generate");
    if (made_.count() < count) {
      made_.shapes.resize_discard(count);
      made_.paints.resize_discard(count);
    }
    circles.read_in_parallel(begin, made_.shapes.span().first(count),
                             made_.paints.span().first(count));
    stats.stage("generate").bytes += count * (sizeof(Shape) + sizeof(Paint));
    return {made_.shapes.data(), made_.paints.data(), count, {}};
  }

  void upload(const ChunkCircles& circles) {
    shapes_.reserve_discard(circles.count);
    paints_.reserve_discard(circles.count);
    if (circles.count == 0) return;
    ROUNDEL_CUDA_CHECK(cudaMemcpyAsync(shapes_.data(), circles.shapes,
                                       circles.count * sizeof(Shape), cudaMemcpyHostToDevice,
                                       stream_));
    if (circles.identity.number != 0 && circles.identity == uploaded_paints_) return;
    ROUNDEL_CUDA_CHECK(cudaMemcpyAsync(paints_.data(), circles.paints,
                                       circles.count * sizeof(Paint), cudaMemcpyHostToDevice,
                                       stream_));
    uploaded_paints_ = circles.identity;
  }

  void copy_back(void* to, const void* from, std::size_t bytes, StageStats& stats) {
    const StageTimer timer(stats, "blend");
    ROUNDEL_CUDA_CHECK(cudaMemcpyAsync(to, from, bytes, cudaMemcpyDeviceToHost, stream_));
    ROUNDEL_CUDA_CHECK(cudaStreamSynchronize(stream_));
  }

  void record(int event) { ROUNDEL_CUDA_CHECK(cudaEventRecord(events_[event], stream_)); }
  /// Milliseconds between two recorded events.
  double elapsed(int first, int last) const {
    float milliseconds = 0;
    ROUNDEL_CUDA_CHECK(cudaEventElapsedTime(&milliseconds, events_[first], events_[last]));
    return milliseconds;
  }

  RasterOptions options_;
  cudaStream_t stream_ = nullptr;
  cudaEvent_t events_[3] = {};
  std::uint64_t frames_ = 0;       // drawn
  std::uint64_t budget_ = 0;       // bytes
  std::uint64_t known_count_ = 0;  // circles and bytes of the drawer, when the budget was found
  std::uint64_t known_bytes_ = 0;
  FrameDrawer drawer_;
  DeviceBuffer<Shape> shapes_;  // of the chunk
  DeviceBuffer<Paint> paints_;
  PaintsIdentity uploaded_paints_;  // what paints_ holds
  Circles made_;                    // the chunk's, on the host, where they were not in memory
  DeviceBuffer<Pixel> framebuffer_;
  DeviceBuffer<std::uint8_t> bytes_;
};

}  // namespace
}  // namespace cuda

std::unique_ptr<Rasterizer> make_cuda_rasterizer(const RasterOptions& options) {
  const auto devices = cuda_devices();
  const bool found = std::any_of(devices.begin(), devices.end(), [&](const CudaDevice& device) {
    return device.index == options.device;
  });
  if (!found)
    throw Error(ExitCode::kRuntimeFailure,
                "CUDA: device " + std::to_string(options.device) + " not found; this machine has " +
                    std::to_string(devices.size()) + " usable CUDA device(s)");
  return std::make_unique<cuda::CudaRasterizer>(options);
}

bool has_cuda_backend() {
  return true;
}

std::vector<CudaDevice> cuda_devices() {
  int count = 0;
  const cudaError_t status = cudaGetDeviceCount(&count);
  if (status == cudaErrorNoDevice || status == cudaErrorInsufficientDriver) {
    cudaGetLastError();  // no driver, or one without a device: not an error
    return {};
  }
  ROUNDEL_CUDA_CHECK(status);
  int driver_version = 0;
  ROUNDEL_CUDA_CHECK(cudaDriverGetVersion(&driver_version));
  std::vector<CudaDevice> devices;
  for (int index = 0; index < count; ++index) {
    cudaDeviceProp properties;
    ROUNDEL_CUDA_CHECK(cudaGetDeviceProperties(&properties, index));
    int clock_khz = 0;
    ROUNDEL_CUDA_CHECK(cudaDeviceGetAttribute(&clock_khz, cudaDevAttrClockRate, index));
    devices.push_back({index, properties.name, properties.major * 10 + properties.minor,
                       properties.totalGlobalMem, driver_version, clock_khz / 1000.0});
  }
  return devices;
}

}  // namespace roundel
