#include <cuda_runtime_api.h>

#include <algorithm>
#include <memory>
#include <string>

#include "renderer/raster/background.h"
#include "renderer/raster/chunks.h"
#include "renderer/raster/cuda/bin_circles.h"
#include "renderer/raster/cuda/blend_tiles.h"
#include "renderer/raster/cuda/device_buffer.h"
#include "renderer/raster/rasterizer.h"

namespace roundel {
namespace cuda {
namespace {

/// Bins of 64 pixels up to 8192 × 8192; larger ones beyond, so that their number stays moderate.
int default_bin_size(const ImageSettings& image) {
  const int side = std::max(image.width, image.height);
  return side <= 8192 ? 64 : side <= 16384 ? 128 : 256;
}

class CudaRasterizer final : public Rasterizer {
 public:
  explicit CudaRasterizer(const RasterOptions& options) : options_(options) {
    ROUNDEL_CUDA_CHECK(cudaSetDevice(options.device));
    ROUNDEL_CUDA_CHECK(cudaStreamCreateWithFlags(&stream_, cudaStreamNonBlocking));
  }
  ~CudaRasterizer() override { cudaStreamDestroy(stream_); }
  CudaRasterizer(const CudaRasterizer&) = delete;
  CudaRasterizer& operator=(const CudaRasterizer&) = delete;

  void draw(const Circles& circles, const ImageSettings& image, Framebuffer& out,
            StageStats& stats) override {
    out.resize(image.width, image.height);
    framebuffer_.reserve_discard(out.pixels.size());
    draw_into(circles, image, framebuffer_.data(), nullptr, stats);
    copy_back(out.pixels.data(), framebuffer_.data(), out.pixels.size() * sizeof(Pixel), stats);
  }

  void draw(const Circles& circles, const ImageSettings& image, Image& out,
            StageStats& stats) override {
    out.resize(image.width, image.height, image.alpha ? 4 : 3);
    bytes_.reserve_discard(out.bytes.size());
    draw_into(circles, image, nullptr, bytes_.data(), stats);
    copy_back(out.bytes.data(), bytes_.data(), out.bytes.size(), stats);
  }

 private:
  void draw_into(const Circles& circles, const ImageSettings& image, Pixel* framebuffer,
                 std::uint8_t* bytes, StageStats& stats) {
    ROUNDEL_CUDA_CHECK(cudaSetDevice(options_.device));
    const int bin_size =
        options_.bin_size > 0 ? std::max(options_.bin_size, kBlockSide) : default_bin_size(image);
    const TileGrid grid = TileGrid::make(image.width, image.height, bin_size);
    const auto num_bins = static_cast<std::uint64_t>(grid.num_bins());
    stats.circles = circles.count();

    BlendTilesArgs blend{.grid = grid,
                         .ramp = snow_ramp(image.blend_space),
                         .background = BackgroundRows(image),
                         .image = image,
                         .framebuffer = framebuffer,
                         .bytes = bytes};
    block_is_finished_.reserve_discard(num_bins * static_cast<std::uint64_t>(blocks_per_bin(grid)));
    unfinished_blocks_.reserve_discard(num_bins);
    unfinished_bins_.reserve_discard(1);
    blend.block_is_finished = block_is_finished_.data();
    blend.unfinished_blocks = unfinished_blocks_.data();
    blend.unfinished_bins = unfinished_bins_.data();
    reset_progress(blend, stream_);

    const std::uint64_t largest_chunk = plan_memory(circles.count(), grid);
    ChunkWalk chunks(circles.count(), options_.chunk_circles, std::min(kFirstChunk, largest_chunk),
                     largest_chunk);
    std::uint32_t unfinished = 1;
    while (unfinished > 0) {
      const auto [begin, end] = chunks.current();
      std::uint64_t total = 0;
      {
        const StageTimer timer(stats, "bin");
        upload(circles, begin, end);
        total = count_overlaps(grid, static_cast<std::uint32_t>(end - begin));
        const std::uint64_t room = memory_left() / sizeof(std::uint32_t) + lists_.list_capacity();
        if (total > room) {
          if (end - begin == 1)
            throw Error(ExitCode::kRuntimeFailure,
                        "device memory: the lists of a single circle do not fit; expected a larger "
                        "--memory");
          chunks.halve();
          continue;
        }
        lists_.emit(bin_input_, total, stream_);
      }
      const StageTimer timer(stats, "blend");
      ++stats.chunks;
      stats.overlaps += total;
      blend.is_last_chunk = begin == 0;
      if (!blend.is_last_chunk)
        states_.reserve_discard(static_cast<std::size_t>(image.width) *
                                static_cast<std::size_t>(image.height));
      blend.states = states_.data();
      blend.shapes = shapes_.data();
      blend.paints = paints_.data();
      blend.offsets = lists_.offsets();
      blend.num_slabs = lists_.num_slabs();
      blend.indices = lists_.indices();
      blend_tiles(blend, stream_);
      unfinished = fetch(unfinished_bins_.data());
      blend.is_first_chunk = false;
      chunks.advance();
    }
    stats.stage("bin").bytes += stats.overlaps * sizeof(std::uint32_t);
  }

  /// Splits the memory budget: returns how many circles a chunk may have so that their copy, counts
  /// and offsets take at most half of what the picture's own buffers leave.
  std::uint64_t plan_memory(std::uint64_t count, const TileGrid& grid) {
    std::size_t free = 0, total = 0;
    ROUNDEL_CUDA_CHECK(cudaMemGetInfo(&free, &total));
    const std::uint64_t most = (free + held()) / 10 * 9;
    budget_ =
        options_.memory_budget > 0 ? std::min<std::uint64_t>(options_.memory_budget, most) : most;
    const std::uint64_t states = static_cast<std::uint64_t>(grid.width) *
                                 static_cast<std::uint64_t>(grid.height) * sizeof(CarriedPixel);
    const std::uint64_t fixed = framebuffer_.bytes() + bytes_.bytes() + states +
                                block_is_finished_.bytes() + unfinished_blocks_.bytes();
    const std::uint64_t slab_bytes = kSlabCircles * (sizeof(Shape) + sizeof(Paint)) +
                                     static_cast<std::uint64_t>(grid.num_bins()) *
                                         (sizeof(std::uint32_t) + sizeof(std::uint64_t));
    const std::uint64_t lists_of_one_circle =
        static_cast<std::uint64_t>(grid.num_bins()) * sizeof(std::uint32_t);
    if (budget_ < fixed + 2 * slab_bytes + lists_of_one_circle)
      throw Error(
          ExitCode::kRuntimeFailure,
          "--memory: this image needs at least " +
              std::to_string((fixed + 2 * slab_bytes + lists_of_one_circle) / (1 << 20) + 1) +
              " MiB of device memory, got " + std::to_string(budget_ / (1 << 20)) + " MiB");
    const std::uint64_t slabs = (budget_ - fixed) / 2 / slab_bytes;
    const std::uint64_t slabs_by_cells =
        std::max<std::uint64_t>(1, kMostCells / static_cast<std::uint64_t>(grid.num_bins()));
    const std::uint64_t largest = std::min(slabs, slabs_by_cells) * kSlabCircles;
    return std::max<std::uint64_t>(1, std::min(largest, count));
  }

  /// Device memory held by this object's buffers.
  std::uint64_t held() const {
    return shapes_.bytes() + paints_.bytes() + framebuffer_.bytes() + bytes_.bytes() +
           states_.bytes() + block_is_finished_.bytes() + unfinished_blocks_.bytes() +
           lists_.bytes();
  }
  std::uint64_t memory_left() const { return budget_ > held() ? budget_ - held() : 0; }

  void upload(const Circles& circles, std::uint64_t begin, std::uint64_t end) {
    const std::size_t count = end - begin;
    shapes_.reserve_discard(count);
    paints_.reserve_discard(count);
    if (count == 0) return;
    ROUNDEL_CUDA_CHECK(cudaMemcpyAsync(shapes_.data(), circles.shapes.data() + begin,
                                       count * sizeof(Shape), cudaMemcpyHostToDevice, stream_));
    ROUNDEL_CUDA_CHECK(cudaMemcpyAsync(paints_.data(), circles.paints.data() + begin,
                                       count * sizeof(Paint), cudaMemcpyHostToDevice, stream_));
  }

  std::uint64_t count_overlaps(const TileGrid& grid, std::uint32_t count) {
    bin_input_ = {grid, shapes_.data(), count, unfinished_blocks_.data()};
    lists_.count(bin_input_, stream_);
    return fetch(lists_.total());
  }

  /// One value from the device, after everything in the stream.
  template <typename T>
  T fetch(const T* device_value) {
    T value;
    ROUNDEL_CUDA_CHECK(
        cudaMemcpyAsync(&value, device_value, sizeof(T), cudaMemcpyDeviceToHost, stream_));
    ROUNDEL_CUDA_CHECK(cudaStreamSynchronize(stream_));
    return value;
  }

  void copy_back(void* to, const void* from, std::size_t bytes, StageStats& stats) {
    const StageTimer timer(stats, "blend");
    ROUNDEL_CUDA_CHECK(cudaMemcpyAsync(to, from, bytes, cudaMemcpyDeviceToHost, stream_));
    ROUNDEL_CUDA_CHECK(cudaStreamSynchronize(stream_));
  }

  static constexpr std::uint64_t kFirstChunk = 32 * 1024;
  static constexpr std::uint64_t kMostCells = std::uint64_t{1} << 25;  // of counts and offsets

  RasterOptions options_;
  cudaStream_t stream_ = nullptr;
  std::uint64_t budget_ = 0;  // bytes
  BinLists::Input bin_input_{};
  BinLists lists_;
  DeviceBuffer<Shape> shapes_;  // of the chunk
  DeviceBuffer<Paint> paints_;
  DeviceBuffer<CarriedPixel> states_;
  DeviceBuffer<Pixel> framebuffer_;
  DeviceBuffer<std::uint8_t> bytes_;
  DeviceBuffer<std::uint8_t> block_is_finished_;
  DeviceBuffer<std::uint32_t> unfinished_blocks_, unfinished_bins_;
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
  std::vector<CudaDevice> devices;
  for (int index = 0; index < count; ++index) {
    cudaDeviceProp properties;
    ROUNDEL_CUDA_CHECK(cudaGetDeviceProperties(&properties, index));
    devices.push_back({index, properties.name, properties.major * 10 + properties.minor,
                       properties.totalGlobalMem});
  }
  return devices;
}

}  // namespace roundel
