#include <tbb/parallel_for.h>
#include <tbb/task_arena.h>

#include <algorithm>
#include <chrono>
#include <vector>

#include "renderer/base/memory.h"
#include "renderer/image/pixel_to_bytes.h"
#include "renderer/raster/background.h"
#include "renderer/raster/chunks.h"
#include "renderer/raster/cpu/bin_circles.h"
#include "renderer/raster/cpu/blend_tiles.h"
#include "renderer/raster/cpu/finish_tiles.h"
#include "renderer/raster/frame_estimate.h"
#include "renderer/raster/rasterizer.h"

namespace roundel {
namespace cpu {
namespace {

class CpuRasterizer final : public Rasterizer {
 public:
  explicit CpuRasterizer(const RasterOptions& options)
      : options_(options),
        bin_size_(options.bin_size > 0 ? options.bin_size : kCpuBinSize),
        arena_(options.threads > 0 ? options.threads : tbb::task_arena::automatic) {}

  void draw(const CircleFeed& circles, const ImageSettings& image, Framebuffer& out,
            StageStats& stats) override {
    out.resize(image.width, image.height);
    const std::vector<Color> background = background_rows(image);
    draw_tiles(circles, image, stats, [&](const PixelRect& pixels, const TileState* touched) {
      const TileState state = touched != nullptr ? *touched : blank_tile(pixels);
      for (int y = pixels.y0; y <= pixels.y1; ++y)
        finish_row(state, y - pixels.y0, pixels.x1 - pixels.x0 + 1, background[to_size(y)],
                   image.alpha, out.pixels.data() + index(y, pixels.x0, image.width));
    });
  }

  void draw(const CircleFeed& circles, const ImageSettings& image, Image& out,
            StageStats& stats) override {
    out.resize(image.width, image.height, image.alpha ? 4 : 3);
    const std::vector<Color> background = background_rows(image);
    const auto bytes_at = [&](int y, int x) {  // rows of an Image go down
      return out.bytes.data() + index(image.height - 1 - y, x, image.width) * to_size(out.channels);
    };
    if (!image.alpha && image.blend_space == BlendSpace::kDisplay) {
      const std::ptrdiff_t stride = -std::ptrdiff_t{3} * image.width;
      draw_tiles(circles, image, stats, [&](const PixelRect& pixels, const TileState* touched) {
        std::uint8_t* const bytes = bytes_at(pixels.y0, pixels.x0);
        if (touched != nullptr) {
          finish_tile_rgb(*touched, pixels, background.data(), bytes, stride);
        } else {
          fill_tile_rgb(pixels, background.data(), bytes, stride);
        }
      });
      return;
    }
    draw_tiles(circles, image, stats, [&](const PixelRect& pixels, const TileState* touched) {
      const TileState state = touched != nullptr ? *touched : blank_tile(pixels);
      Pixel row[kLargestBinSize];
      const int columns = pixels.x1 - pixels.x0 + 1;
      for (int y = pixels.y0; y <= pixels.y1; ++y) {
        finish_row(state, y - pixels.y0, columns, background[to_size(y)], image.alpha, row);
        std::uint8_t* bytes = bytes_at(y, pixels.x0);
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
  static std::size_t to_size(int value) { return static_cast<std::size_t>(value); }
  static std::size_t index(int row, int column, int width) {
    return to_size(row) * to_size(width) + to_size(column);
  }

  static std::vector<Color> background_rows(const ImageSettings& image) {
    const BackgroundRows background(image);
    std::vector<Color> rows(to_size(image.height), background.row(0));
    if (image.background.bottom == image.background.top) return rows;
    for (int y = 1; y < image.height; ++y) rows[to_size(y)] = background.row(y);
    return rows;
  }

  /// Runs bin and blend, chunk by chunk from the front, and gives the state of every bin, once it
  /// is finished, to write_tile(pixels, &state), from many threads at once; without a state where
  /// no circle touches the bin.
  template <typename WriteTile>
  void draw_tiles(const CircleFeed& circles, const ImageSettings& image, StageStats& stats,
                  const WriteTile& write_tile) {
    arena_.execute([&] {
      const TileGrid grid = TileGrid::make(image.width, image.height, bin_size_);
      const auto num_bins = static_cast<std::size_t>(grid.num_bins());
      const std::uint64_t budget =
          options_.memory_budget > 0 ? options_.memory_budget : physical_memory() / 4;
      const std::uint64_t max_bytes = std::max<std::uint64_t>(budget, 4 * num_bins);
      const SnowRamp ramp = snow_ramp(image.blend_space);
      finished_.assign(num_bins, 0);
      started_.assign(num_bins, 0);
      const std::size_t count = circles.count();
      stats.circles = count;

      const std::uint64_t front =
          estimate_frame(circles, image, bin_size_, kCpuFrontSpread).front_circles;
      ChunkWalk chunks(count, options_.chunk_circles, std::clamp(front, kLeastChunk, kLargestChunk),
                       kLargestChunk, kGrowth);
      std::size_t unfinished = num_bins;
      while (unfinished > 0) {
        const auto [begin, end] = chunks.current();
        std::span<const Shape> shapes;
        std::span<const Paint> paints;
        if (!bin_chunk(circles, begin, end, grid, max_bytes, stats, shapes, paints)) {
          chunks.halve();
          continue;
        }
        const StageTimer timer(stats, "blend");
        const bool is_last_chunk = begin == 0;
        if (!is_last_chunk) states_.resize_discard(num_bins * state_size(bin_size_));
        tbb::parallel_for(std::size_t{0}, num_bins, [&](std::size_t bin) {
          const bool is_empty = lists_.is_empty(bin);
          if (finished_[bin] || (is_empty && !is_last_chunk)) return;
          const int bin_x = static_cast<int>(bin) % grid.bins_x;
          const int bin_y = static_cast<int>(bin) / grid.bins_x;
          const PixelRect pixels = grid.bin_pixels(bin_x, bin_y);
          if (is_empty && !started_[bin]) {
            write_tile(pixels, nullptr);
            finished_[bin] = 1;
            return;
          }
          // In a core's cache; a bin that starts and ends with this chunk is kept nowhere else.
          const TileState state = take_up(bin, pixels);
          const bool opaque = blend_tile({grid, bin_x, bin_y, shapes, paints, lists_.slabs, ramp,
                                          state, started_[bin] == 0, is_last_chunk});
          if (opaque || is_last_chunk) {
            write_tile(pixels, &state);
            finished_[bin] = 1;
          } else {
            std::copy_n(state.planes, state_size(bin_size_), kept_state(bin));
            started_[bin] = 1;
          }
        });
        unfinished = static_cast<std::size_t>(std::count(finished_.begin(), finished_.end(), 0));
        stats.overlaps += lists_.overlaps;
        ++stats.chunks;
        chunks.advance();
      }
      stats.stage("bin").bytes = stats.overlaps * sizeof(std::uint32_t);
    });
  }

  /// Lists circles begin .. end − 1, which are in `shapes` and `paints` then. False where the lists
  /// take too much memory.
  bool bin_chunk(const CircleFeed& circles, std::size_t begin, std::size_t end,
                 const TileGrid& grid, std::uint64_t max_bytes, StageStats& stats,
                 std::span<const Shape>& shapes, std::span<const Paint>& paints) {
    const std::size_t count = end - begin;
    if (const Circles* const known = circles.in_memory()) {
      const StageTimer timer(stats, "bin");
      shapes = known->shapes.span().subspan(begin, count);
      paints = known->paints.span().subspan(begin, count);
      return bin_circles(shapes, paints, grid, finished_, max_bytes, lists_);
    }
    const auto start = std::chrono::steady_clock::now();
    if (made_.count() < count) {
      made_.shapes.resize_discard(count);
      made_.paints.resize_discard(count);
    }
    shapes = made_.shapes.span().first(count);
    paints = made_.paints.span().first(count);
    const bool fits =
        bin_feed(circles, begin, made_.shapes.span().first(count), made_.paints.span().first(count),
                 grid, finished_, max_bytes, lists_);
    const std::chrono::duration<double, std::milli> elapsed =
        std::chrono::steady_clock::now() - start;
    Stage& generate = stats.stage("generate");
    generate.milliseconds += elapsed.count() * lists_.feed_share;
    generate.bytes += count * (sizeof(Shape) + sizeof(Paint));
    stats.stage("bin").milliseconds += elapsed.count() * (1 - lists_.feed_share);
    return fits;
  }

  static std::size_t state_size(int bin_size) {
    return std::size_t{4} * index(bin_size, 0, bin_size);
  }
  float* kept_state(std::size_t bin) { return states_.data() + bin * state_size(bin_size_); }

  /// A state in memory of the calling thread, uninitialised.
  TileState scratch_tile() const {
    thread_local Buffer<float> scratch;
    const std::size_t size = state_size(bin_size_);
    if (scratch.size() < size) scratch.resize_discard(size);
    return {scratch.data(), bin_size_};
  }
  TileState blank_tile(const PixelRect& pixels) const {
    const TileState state = scratch_tile();
    clear_tile(state, pixels);
    return state;
  }
  /// The state of a bin, where the last chunk left it.
  TileState take_up(std::size_t bin, const PixelRect& pixels) {
    if (!started_[bin]) return blank_tile(pixels);
    const TileState state = scratch_tile();
    std::copy_n(kept_state(bin), state_size(bin_size_), state.planes);
    return state;
  }

  static constexpr std::uint64_t kLeastChunk = 512;
  // With copies of its circles this is 300 MB; carrying on from chunk to chunk costs less than
  // touching more memory for the first time.
  static constexpr std::uint64_t kLargestChunk = std::uint64_t{1} << 22;
  static_assert(kLargestChunk <= kMostCirclesAtOnce);
  // What the first chunk leaves open are mostly the image's corners, where circles are rarest; a
  // second one of the same density closes these.
  static constexpr std::uint64_t kGrowth = 2;

  RasterOptions options_;
  int bin_size_;
  tbb::task_arena arena_;
  BinLists lists_;
  Circles made_;                                  // the chunk's, where they are not in memory
  std::vector<std::uint8_t> finished_, started_;  // [num_bins]
  Buffer<float> states_;  // [num_bins][4 · bin_size²], of bins that go on behind a chunk
};

}  // namespace
}  // namespace cpu

std::unique_ptr<Rasterizer> make_cpu_rasterizer(const RasterOptions& options) {
  return std::make_unique<cpu::CpuRasterizer>(options);
}

std::string cpu_vector_target() {
  return cpu::vector_targets().front();
}

std::vector<std::string> cpu_vector_targets() {
  return cpu::vector_targets();
}

bool force_cpu_vector_target(const std::string& name) {
  return cpu::force_vector_target(name);
}

}  // namespace roundel
