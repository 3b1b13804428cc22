#include <tbb/parallel_for.h>
#include <tbb/task_arena.h>

#include <algorithm>
#include <new>
#include <vector>

#include "renderer/base/memory.h"
#include "renderer/image/pixel_to_bytes.h"
#include "renderer/raster/background.h"
#include "renderer/raster/chunks.h"
#include "renderer/raster/cpu/bin_circles.h"
#include "renderer/raster/cpu/blend_tiles.h"
#include "renderer/raster/rasterizer.h"

namespace roundel {
namespace cpu {
namespace {

constexpr int kDefaultBinSize = 32;  // its state, 16 KiB, stays in a core's first-level cache

struct AlignedDelete {
  void operator()(float* pointer) const { ::operator delete[](pointer, std::align_val_t{64}); }
};
using AlignedFloats = std::unique_ptr<float[], AlignedDelete>;

AlignedFloats allocate_floats(std::size_t count) {
  return AlignedFloats(
      static_cast<float*>(::operator new[](count * sizeof(float), std::align_val_t{64})));
}

class CpuRasterizer final : public Rasterizer {
 public:
  explicit CpuRasterizer(const RasterOptions& options)
      : options_(options),
        arena_(options.threads > 0 ? options.threads : tbb::task_arena::automatic) {}

  void draw(const Circles& circles, const ImageSettings& image, Framebuffer& out,
            StageStats& stats) override {
    out.resize(image.width, image.height);
    draw_rows(circles, image, stats, [&](int x, int y, std::span<const Pixel> row) {
      std::copy(row.begin(), row.end(),
                out.pixels.data() +
                    static_cast<std::size_t>(y) * static_cast<std::size_t>(out.width) + x);
    });
  }

  void draw(const Circles& circles, const ImageSettings& image, Image& out,
            StageStats& stats) override {
    out.resize(image.width, image.height, image.alpha ? 4 : 3);
    draw_rows(circles, image, stats, [&](int x, int y, std::span<const Pixel> row) {
      const std::size_t flipped = static_cast<std::size_t>(image.height - 1 - y);
      std::uint8_t* bytes =
          out.bytes.data() +
          (flipped * static_cast<std::size_t>(image.width) + static_cast<std::size_t>(x)) *
              static_cast<std::size_t>(out.channels);
      for (const Pixel& pixel : row) {
        if (image.alpha) pixel_to_rgba(pixel, image.blend_space, bytes);
        else pixel_to_rgb(pixel, image.blend_space, bytes);
        bytes += out.channels;
      }
    });
  }

 private:
  /// Runs bin and blend, chunk by chunk, and gives every finished row of every bin to
  /// write_row(x, y, pixels), from many threads at once.
  template <typename WriteRow>
  void draw_rows(const Circles& circles, const ImageSettings& image, StageStats& stats,
                 WriteRow write_row) {
    arena_.execute([&] {
      const int bin_size = options_.bin_size > 0 ? options_.bin_size : kDefaultBinSize;
      const TileGrid grid = TileGrid::make(image.width, image.height, bin_size);
      const auto num_bins = static_cast<std::size_t>(grid.num_bins());
      const std::size_t state_size = std::size_t{4} * static_cast<std::size_t>(bin_size * bin_size);
      finished_.assign(num_bins, 0);
      started_.assign(num_bins, 0);
      const std::uint64_t budget =
          options_.memory_budget > 0 ? options_.memory_budget : physical_memory() / 4;
      const std::uint64_t max_overlaps =
          std::max<std::uint64_t>(budget / sizeof(std::uint32_t), num_bins);
      const SnowRamp ramp = snow_ramp(image.blend_space);
      const BackgroundRows background(image);
      stats.circles = circles.count();

      ChunkWalk chunks(circles.count(), options_.chunk_circles, kFirstChunk, kLargestChunk);
      std::size_t unfinished = num_bins;
      do {
        const auto [begin, end] = chunks.current();
        const std::span<const Shape> shapes = circles.shapes.span().subspan(begin, end - begin);
        {
          const StageTimer timer(stats, "bin");
          if (!bin_circles(shapes, grid, finished_, max_overlaps, lists_)) {
            chunks.halve();
            continue;
          }
        }
        const StageTimer timer(stats, "blend");
        stats.overlaps += lists_.overlaps();
        ++stats.chunks;
        const bool last = begin == 0;
        if (!last && states_size_ != num_bins * state_size) {
          states_ = allocate_floats(num_bins * state_size);
          states_size_ = num_bins * state_size;
        }
        tbb::parallel_for(std::size_t{0}, num_bins, [&](std::size_t bin) {
          if (finished_[bin]) return;
          const auto list = lists_.list(static_cast<int>(bin));
          if (list.empty() && !last) return;
          // Where the bin starts and ends with this chunk its state never leaves the cache.
          float* const scratch = thread_scratch(state_size);
          float* const kept = last && !started_[bin] ? nullptr : states_.get() + bin * state_size;
          const TileState state{scratch, bin_size};
          if (started_[bin])
            std::copy_n(kept, state_size, scratch);
          else
            clear_tile(state);
          const int bin_x = static_cast<int>(bin) % grid.bins_x,
                    bin_y = static_cast<int>(bin) / grid.bins_x;
          const bool opaque =
              blend_tile({grid, bin_x, bin_y, shapes,
                          circles.paints.span().subspan(begin, end - begin), list, ramp, state});
          if (opaque || last) {
            write_tile(grid.bin_pixels(bin_x, bin_y), state, background, image.alpha, write_row);
            finished_[bin] = 1;
          } else {
            std::copy_n(scratch, state_size, kept);
            started_[bin] = 1;
          }
        });
        unfinished = static_cast<std::size_t>(std::count(finished_.begin(), finished_.end(), 0));
        chunks.advance();
      } while (unfinished > 0);
      stats.stage("bin").bytes += stats.overlaps * sizeof(std::uint32_t);
    });
  }

  template <typename WriteRow>
  static void write_tile(const PixelRect& pixels, const TileState& state,
                         const BackgroundRows& background, bool keep_alpha, WriteRow& write_row) {
    Pixel row[kLargestBinSize];
    const int columns = pixels.x1 - pixels.x0 + 1;
    for (int y = pixels.y0; y <= pixels.y1; ++y) {
      finish_row(state, y - pixels.y0, columns, background.row(y), keep_alpha, row);
      write_row(pixels.x0, y, std::span<const Pixel>(row, static_cast<std::size_t>(columns)));
    }
  }

  /// State of the tile that a thread is at.
  static float* thread_scratch(std::size_t size) {
    thread_local AlignedFloats scratch;
    thread_local std::size_t scratch_size = 0;
    if (scratch_size < size) {
      scratch = allocate_floats(size);
      scratch_size = size;
    }
    return scratch.get();
  }

  static constexpr std::uint64_t kFirstChunk = 8192;
  static constexpr std::uint64_t kLargestChunk = std::uint64_t{1} << 24;

  RasterOptions options_;
  tbb::task_arena arena_;
  BinLists lists_;
  std::vector<std::uint8_t> finished_, started_;  // [num_bins]
  AlignedFloats states_;  // [num_bins][4 · bin_size²], of bins that go on with the next chunk
  std::size_t states_size_ = 0;
};

}  // namespace
}  // namespace cpu

std::unique_ptr<Rasterizer> make_cpu_rasterizer(const RasterOptions& options) {
  return std::make_unique<cpu::CpuRasterizer>(options);
}

std::string cpu_vector_target() {
  return cpu::vector_target();
}

}  // namespace roundel
