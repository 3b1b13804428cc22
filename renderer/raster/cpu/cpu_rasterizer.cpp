#include <fmt/format.h>
#include <tbb/parallel_for.h>
#include <tbb/task_arena.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <string>
#include <vector>

#include "renderer/base/error.h"
#include "renderer/base/memory.h"
#include "renderer/pixels/pixel_to_bytes.h"
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
    const std::uint64_t bytes = out.pixels.size() * sizeof(Pixel);
    const auto write = [&](const PixelRect& pixels, const TileState* touched) {
      const TileState state = touched != nullptr ? *touched : blank_tile(pixels);
      for (int y = pixels.y0; y <= pixels.y1; ++y)
        finish_row(state, y - pixels.y0, pixels.x1 - pixels.x0 + 1, background[to_size(y)],
                   image.alpha, out.pixels.data() + index(y, pixels.x0, image.width));
    };
    draw_tiles(circles, image, bytes, stats, write);
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
      draw_tiles(circles, image, out.bytes.size(), stats,
                 [&](const PixelRect& pixels, const TileState* touched) {
                   std::uint8_t* const bytes = bytes_at(pixels.y0, pixels.x0);
                   if (touched != nullptr) {
                     finish_tile_rgb(*touched, pixels, background.data(), bytes, stride);
                   } else {
                     fill_tile_rgb(pixels, background.data(), bytes, stride);
                   }
                 });
      return;
    }
    draw_tiles(circles, image, out.bytes.size(), stats,
               [&](const PixelRect& pixels, const TileState* touched) {
                 const TileState state = touched != nullptr ? *touched : blank_tile(pixels);
                 Pixel row[kLargestBinSize];
                 const int columns = pixels.x1 - pixels.x0 + 1;
                 for (int y = pixels.y0; y <= pixels.y1; ++y) {
                   finish_row(state, y - pixels.y0, columns, background[to_size(y)], image.alpha,
                              row);
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

  std::uint64_t measure(const CircleFeed& circles, const ImageSettings& image,
                        std::uint64_t picture_bytes) {
    StageStats stats;
    draw_tiles(circles, image, picture_bytes, stats,
               [](const PixelRect& /*pixels*/, const TileState* /*touched*/) {});
    return stats.memory;
  }

  void give_back() override {
    drop_chunk();
    states_ = {};
    most_slots_ = 0;
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
  /// no circle touches the bin. `picture_bytes` are those that write_tile writes to.
  template <typename WriteTile>
  void draw_tiles(const CircleFeed& circles, const ImageSettings& image,
                  std::uint64_t picture_bytes, StageStats& stats, const WriteTile& write_tile) {
    arena_.execute([&] {
      const TileGrid grid = TileGrid::make(image.width, image.height, bin_size_);
      const auto num_bins = static_cast<std::size_t>(grid.num_bins());
      const Budget budget = find_budget(circles, grid, picture_bytes);
      const SnowRamp ramp = snow_ramp(image.blend_space);
      finished_.assign(num_bins, 0);
      slots_.assign(num_bins, kNoSlot);
      slots_taken_ = 0;
      const std::size_t count = circles.count();
      stats.circles = count;

      const std::uint64_t front =
          estimate_frame(circles, image, bin_size_, kCpuFrontSpread).front_circles;
      ChunkWalk chunks(count, options_.chunk_circles, std::clamp(front, kLeastChunk, kLargestChunk),
                       kLargestChunk, kGrowth);
      bool is_whole = false;  // all circles at once, behind what did not fit otherwise
      std::size_t unfinished = num_bins;
      while (unfinished > 0) {
        const auto [begin, end] = chunks.current();
        const bool is_last_chunk = begin == 0;
        const std::uint64_t held = budget.is_given ? state_bytes(0) : 0;
        const std::uint64_t room = budget.room - std::min(budget.room, held);
        std::span<const Shape> shapes;
        std::span<const Paint> paints;
        const bool fits = bin_chunk(circles, begin, end, grid, room, stats, shapes, paints);
        std::size_t unstarted = 0;
        for (std::size_t bin = 0; bin < num_bins; ++bin)
          if (finished_[bin] == 0 && slots_[bin] == kNoSlot) ++unstarted;
        // Where all unfinished pixels' states can be had, they come before longer lists.
        const bool crowds_out_states =
            budget.is_given && !is_last_chunk &&
            lists_.bytes + state_bytes(unstarted) > budget.room &&
            least_list_bytes(grid) + state_bytes(unstarted) <= budget.room;
        if (!fits || (crowds_out_states && end - begin > 1)) {
          stats.memory =
              std::max(stats.memory, lists_.bytes_made + state_bytes(0) + budget.overhead);
          if (end - begin <= 1 || is_whole) refuse(budget, grid, is_last_chunk);
          drop_chunk();
          chunks.halve();
          continue;
        }
        const StageTimer timer(stats, "blend");
        const std::size_t most_slots =
            budget.is_given ? (budget.room - lists_.bytes) / (state_size(bin_size_) * sizeof(float))
                            : num_bins;
        if (!is_last_chunk && states_.size() < num_bins * state_size(bin_size_))
          states_.resize_discard(num_bins * state_size(bin_size_));
        std::atomic<bool> all_carried{true};
        tbb::parallel_for(std::size_t{0}, num_bins, [&](std::size_t bin) {
          const bool is_empty = lists_.is_empty(bin), is_fresh = slots_[bin] == kNoSlot;
          if (finished_[bin] || (is_empty && !is_last_chunk)) return;
          const int bin_x = static_cast<int>(bin) % grid.bins_x;
          const int bin_y = static_cast<int>(bin) / grid.bins_x;
          const PixelRect pixels = grid.bin_pixels(bin_x, bin_y);
          if (is_empty && is_fresh) {
            write_tile(pixels, nullptr);
            finished_[bin] = 1;
            return;
          }
          // In a core's cache; a bin that starts and ends with this chunk is kept nowhere else.
          const TileState state = take_up(bin, pixels);
          const bool opaque = blend_tile({grid, bin_x, bin_y, shapes, paints, lists_.slabs, ramp,
                                          state, is_fresh, is_last_chunk});
          if (opaque || is_last_chunk) {
            write_tile(pixels, &state);
            finished_[bin] = 1;
            return;
          }
          if (is_fresh) {
            const std::uint32_t slot = slots_taken_++;
            if (slot >= most_slots) {
              all_carried = false;
              return;
            }
            slots_[bin] = slot;
          }
          std::copy_n(state.planes, state_size(bin_size_), kept_state(bin));
        });
        unfinished = static_cast<std::size_t>(std::count(finished_.begin(), finished_.end(), 0));
        stats.overlaps += lists_.overlaps;
        ++stats.chunks;
        if (all_carried) {
          most_slots_ = std::max<std::size_t>(most_slots_, slots_taken_);
          stats.memory = std::max(stats.memory, lists_.bytes + state_bytes(0) + budget.overhead);
          chunks.advance();
          continue;
        }
        // Unfinished bins start again, with all circles: that needs no states.
        is_whole = true;
        slots_.assign(num_bins, kNoSlot);
        slots_taken_ = 0;
        most_slots_ = 0;
        states_ = {};
        chunks = ChunkWalk(count, count, count, count);
      }
      stats.stage("bin").bytes = stats.overlaps * sizeof(std::uint32_t);
    });
  }

  /// Bytes of main memory for one frame.
  struct Budget {
    bool is_given;           ///< else only lists keep to it: what must be is tried
    std::uint64_t room;      ///< for lists, a chunk's circles and states
    std::uint64_t overhead;  ///< what every frame of this size takes besides
    std::uint64_t beside;    ///< circles in memory and the picture, where these count
  };
  Budget find_budget(const CircleFeed& circles, const TileGrid& grid,
                     std::uint64_t picture_bytes) const {
    const auto num_bins = static_cast<std::uint64_t>(grid.num_bins());
    const auto threads = static_cast<std::uint64_t>(tbb::this_task_arena::max_concurrency());
    // Counts, steps and positions of a slab; a bin's state; all bins' progress.
    const std::uint64_t overhead = threads * (3 * (num_bins + 1) * sizeof(std::uint32_t) +
                                              state_size(bin_size_) * sizeof(float)) +
                                   kept_by_threads(circles.count(), static_cast<int>(threads)) +
                                   num_bins * (sizeof(std::uint8_t) + sizeof(std::uint32_t)) +
                                   static_cast<std::uint64_t>(grid.height) * sizeof(Color);
    Budget budget{options_.memory_budget > 0 || options_.total_memory > 0,
                  options_.memory_budget > 0 ? options_.memory_budget : physical_memory() / 4,
                  overhead, 0};
    if (options_.total_memory > 0) {
      const std::uint64_t known =
          circles.in_memory() != nullptr ? circles.count() * (sizeof(Shape) + sizeof(Paint)) : 0;
      budget.beside = known + picture_bytes;
      budget.room = options_.total_memory;
      budget.room -= std::min(budget.room, budget.overhead + budget.beside);
    }
    return budget;
  }

  /// What is asked for cannot be had; lists_ are of the chunk that did not fit.
  [[noreturn]] void refuse(const Budget& budget, const TileGrid& grid, bool is_all) const {
    const auto num_bins = static_cast<std::size_t>(grid.num_bins());
    const std::uint64_t states = block_memory(num_bins * state_size(bin_size_) * sizeof(float));
    std::uint64_t needed = least_list_bytes(grid) + states;
    if (is_all) needed = std::min(needed, lists_.bytes);
    const bool is_all_counted = options_.total_memory > 0;
    if (is_all_counted) needed += budget.overhead + budget.beside;
    throw Error(ExitCode::kRuntimeFailure,
                fmt::format("--memory: {} at least {}M, got {}M",
                            is_all_counted ? "this picture needs"
                                           : "lists and unfinished pixels of this picture need",
                            (needed >> 20) + 1,
                            (is_all_counted ? options_.total_memory : budget.room) >> 20));
  }

  /// What was too much is not kept for others.
  void drop_chunk() {
    lists_ = {};
    made_ = {};
    circles_kept_ = 0;
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
      circles_kept_ = 0;
      made_.shapes.resize_discard(count);
      made_.paints.resize_discard(count);
    }
    shapes = made_.shapes.span().first(count);
    paints = made_.paints.span().first(count);
    const bool fits =
        bin_feed(circles, begin, made_.shapes.span().first(count), made_.paints.span().first(count),
                 grid, finished_, max_bytes, lists_);
    circles_kept_ = std::max(circles_kept_, lists_.circles_kept);
    if (fits && circles_kept_ > lists_.circles_kept)
      lists_.bytes += (circles_kept_ - lists_.circles_kept) * (sizeof(Shape) + sizeof(Paint));
    const std::chrono::duration<double, std::milli> elapsed =
        std::chrono::steady_clock::now() - start;
    Stage& generate = stats.stage("generate");
    generate.milliseconds += elapsed.count() * lists_.feed_share;
    generate.bytes += count * (sizeof(Shape) + sizeof(Paint));
    stats.stage("bin").milliseconds += elapsed.count() * (1 - lists_.feed_share);
    return fits && lists_.bytes <= max_bytes;
  }

  static std::size_t state_size(int bin_size) {
    return std::size_t{4} * index(bin_size, 0, bin_size);
  }
  float* kept_state(std::size_t bin) {
    return states_.data() + slots_[bin] * state_size(bin_size_);
  }
  /// Of the states that there are, and of so many more.
  std::uint64_t state_bytes(std::size_t more) const {
    const std::size_t slots = std::max<std::size_t>(most_slots_, slots_taken_ + more);
    return block_memory(slots * state_size(bin_size_) * sizeof(float));
  }

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
    if (slots_[bin] == kNoSlot) return blank_tile(pixels);
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
  Circles made_;                        // the chunk's, where they are not in memory
  std::uint64_t circles_kept_ = 0;      // how many of its elements have been written to
  std::vector<std::uint8_t> finished_;  // [num_bins]
  static constexpr std::uint32_t kNoSlot = ~std::uint32_t{0};
  std::vector<std::uint32_t> slots_;  // [num_bins], of started bins in states_
  Buffer<float> states_;  // [num_bins][4 · bin_size²], of bins that go on behind a chunk
  std::atomic<std::uint32_t> slots_taken_{0};  // of this frame
  std::size_t most_slots_ = 0;                 // of any frame since states_ were made
};

}  // namespace
}  // namespace cpu

std::unique_ptr<Rasterizer> make_cpu_rasterizer(const RasterOptions& options) {
  return std::make_unique<cpu::CpuRasterizer>(options);
}

std::uint64_t measure_drawing(const CircleFeed& circles, const ImageSettings& image,
                              std::uint64_t picture_bytes, const RasterOptions& options) {
  return cpu::CpuRasterizer(options).measure(circles, image, picture_bytes);
}

std::uint64_t kept_by_threads(std::uint64_t circles, int threads) {
  constexpr std::uint64_t kMany = 65536, kCirclesOfSlab = 16384;
  constexpr std::uint64_t kStack = std::uint64_t{1} << 16;
  constexpr std::uint64_t kBytesOfSlab =
      kCirclesOfSlab * (sizeof(Shape) + sizeof(Paint) + 8);  // and indices
  const auto all =
      static_cast<std::uint64_t>(threads > 0 ? threads : tbb::this_task_arena::max_concurrency());
  return all * kStack +
         (circles < kMany ? 0 : std::min(all, circles / kCirclesOfSlab) * kBytesOfSlab);
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
