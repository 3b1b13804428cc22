#include <tbb/parallel_for.h>
#include <tbb/task_arena.h>

#include <algorithm>
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

class CpuRasterizer final : public Rasterizer {
 public:
  explicit CpuRasterizer(const RasterOptions& options)
      : options_(options),
        arena_(options.threads > 0 ? options.threads : tbb::task_arena::automatic) {}

  void draw(const Circles& circles, const ImageSettings& image, Framebuffer& out,
            StageStats& stats) override {
    out.resize(image.width, image.height);
    const BackgroundRows background(image);
    draw_tiles(circles, image, stats, [&](const PixelRect& pixels, const TileState& state) {
      for (int y = pixels.y0; y <= pixels.y1; ++y)
        finish_row(state, y - pixels.y0, pixels.x1 - pixels.x0 + 1, background.row(y), image.alpha,
                   out.pixels.data() + index(y, pixels.x0, image.width));
    });
  }

  void draw(const Circles& circles, const ImageSettings& image, Image& out,
            StageStats& stats) override {
    out.resize(image.width, image.height, image.alpha ? 4 : 3);
    const BackgroundRows background(image);
    const bool is_plain_rgb = !image.alpha && image.blend_space == BlendSpace::kDisplay;
    draw_tiles(circles, image, stats, [&](const PixelRect& pixels, const TileState& state) {
      Pixel row[kLargestBinSize];
      const int columns = pixels.x1 - pixels.x0 + 1;
      for (int y = pixels.y0; y <= pixels.y1; ++y) {
        std::uint8_t* bytes =
            out.bytes.data() + index(image.height - 1 - y, pixels.x0, image.width) *
                                   static_cast<std::size_t>(out.channels);
        if (is_plain_rgb) {
          finish_row_rgb(state, y - pixels.y0, columns, background.row(y), bytes);
          continue;
        }
        finish_row(state, y - pixels.y0, columns, background.row(y), image.alpha, row);
        for (int i = 0; i < columns; ++i, bytes += out.channels) {
          if (image.alpha)
            pixel_to_rgba(row[i], image.blend_space, bytes);
          else
            pixel_to_rgb(row[i], image.blend_space, bytes);
        }
      }
    });
  }

 private:
  static std::size_t index(int row, int column, int width) {
    return static_cast<std::size_t>(row) * static_cast<std::size_t>(width) +
           static_cast<std::size_t>(column);
  }

  /// Runs bin and blend, chunk by chunk from the front, and gives the state of every bin, once it
  /// is finished, to write_tile(pixels, state), from many threads at once.
  template <typename WriteTile>
  void draw_tiles(const Circles& circles, const ImageSettings& image, StageStats& stats,
                  const WriteTile& write_tile) {
    arena_.execute([&] {
      const int bin_size = options_.bin_size > 0 ? options_.bin_size : kDefaultBinSize;
      const TileGrid grid = TileGrid::make(image.width, image.height, bin_size);
      const auto num_bins = static_cast<std::size_t>(grid.num_bins());
      const std::uint64_t budget =
          options_.memory_budget > 0 ? options_.memory_budget : physical_memory() / 4;
      const std::uint64_t max_overlaps =
          std::max<std::uint64_t>(budget / sizeof(std::uint32_t), num_bins);
      const SnowRamp ramp = snow_ramp(image.blend_space);
      finished_.assign(num_bins, 0);
      started_.assign(num_bins, 0);
      stats.circles = circles.count();

      ChunkWalk chunks(circles.count(), options_.chunk_circles, kFirstChunk, kLargestChunk);
      std::size_t unfinished = num_bins;
      while (unfinished > 0) {
        const auto [begin, end] = chunks.current();
        const auto shapes = circles.shapes.span().subspan(begin, end - begin);
        const auto paints = circles.paints.span().subspan(begin, end - begin);
        {
          const StageTimer timer(stats, "bin");
          if (!bin_circles(shapes, grid, finished_, max_overlaps, lists_)) {
            chunks.halve();
            continue;
          }
        }
        const StageTimer timer(stats, "blend");
        const bool is_last_chunk = begin == 0;
        if (!is_last_chunk) states_.resize_discard(num_bins * state_size(bin_size));
        tbb::parallel_for(std::size_t{0}, num_bins, [&](std::size_t bin) {
          const auto list = lists_.list(bin);
          if (finished_[bin] || (list.empty() && !is_last_chunk)) return;
          const int bin_x = static_cast<int>(bin) % grid.bins_x;
          const int bin_y = static_cast<int>(bin) / grid.bins_x;
          // In a core's cache; a bin that starts and ends with this chunk is kept nowhere else.
          const TileState state = take_up(bin, bin_size);
          const bool opaque = blend_tile({grid, bin_x, bin_y, shapes, paints, list, ramp, state});
          if (opaque || is_last_chunk) {
            write_tile(grid.bin_pixels(bin_x, bin_y), state);
            finished_[bin] = 1;
          } else {
            std::copy_n(state.planes, state_size(bin_size), kept_state(bin, bin_size));
            started_[bin] = 1;
          }
        });
        unfinished = static_cast<std::size_t>(std::count(finished_.begin(), finished_.end(), 0));
        stats.overlaps += lists_.overlaps();
        ++stats.chunks;
        chunks.advance();
      }
      stats.stage("bin").bytes = stats.overlaps * sizeof(std::uint32_t);
    });
  }

  static std::size_t state_size(int bin_size) {
    return std::size_t{4} * static_cast<std::size_t>(bin_size * bin_size);
  }
  float* kept_state(std::size_t bin, int bin_size) {
    return states_.data() + bin * state_size(bin_size);
  }
  /// The state of a bin, where the last chunk left it, in memory of the calling thread.
  TileState take_up(std::size_t bin, int bin_size) {
    thread_local Buffer<float> scratch;
    const std::size_t size = state_size(bin_size);
    if (scratch.size() < size) scratch.resize_discard(size);
    const TileState state{scratch.data(), bin_size};
    if (started_[bin])
      std::copy_n(kept_state(bin, bin_size), size, scratch.data());
    else
      clear_tile(state);
    return state;
  }

  static constexpr std::uint64_t kFirstChunk = 8192;
  static constexpr std::uint64_t kLargestChunk = std::uint64_t{1} << 24;

  RasterOptions options_;
  tbb::task_arena arena_;
  BinLists lists_;
  std::vector<std::uint8_t> finished_, started_;  // [num_bins]
  Buffer<float> states_;  // [num_bins][4 · bin_size²], of bins that go on behind a chunk
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
