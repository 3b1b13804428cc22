#include <fmt/format.h>
#include <tbb/parallel_for.h>
#include <tbb/task_arena.h>

#include <algorithm>
#include <atomic>
#include <bit>
#include <chrono>
#include <optional>
#include <string>
#include <vector>

#include "renderer/base/checkpoint.h"
#include "renderer/base/cores.h"
#include "renderer/base/error.h"
#include "renderer/base/memory.h"
#include "renderer/raster/backend.h"
#include "renderer/raster/cpu/bin_circles.h"
#include "renderer/raster/cpu/blend_tiles.h"
#include "renderer/raster/cpu/finish_tiles.h"
#include "renderer/raster/frame_estimate.h"
#include "renderer/raster/list_memory.h"

namespace roundel {
namespace cpu {
namespace {

/// Bytes for lists of several circles at a time; one at a time would be slow.
constexpr std::uint64_t kPracticalLists = std::uint64_t{2} << 20;

std::uint64_t bytes_of_circles(std::uint64_t count) {
  return block_memory(count * sizeof(Shape)) + block_memory(count * sizeof(Paint));
}

/// Throws Error(kUsage) for an invalid size.
int tile_size_of(const RasterOptions& options) {
  constexpr int kMinSize = 16, kMaxSize = 256;
  const int size = options.tile_size;
  if (size == 0) return kCpuTileSize;
  if (size >= kMinSize && size <= kMaxSize && std::has_single_bit(static_cast<unsigned>(size)))
    return size;
  throw Error(ExitCode::kUsage,
              fmt::format("RasterOptions::tile_size: expected 0 or a power of two from {} to {}, "
                          "got {}",
                          kMinSize, kMaxSize, size));
}

/// Threads of the caller's arena, limited by the quota of cores.
int arena_threads() {
  return std::min(tbb::this_task_arena::max_concurrency(), core_quota());
}

/// Other memory of every frame of this size: counts, steps and positions of slabs, a tile's state
/// for each thread, all tiles' progress.
std::uint64_t overhead_bytes(const TileGrid& grid, std::size_t state_floats, std::uint64_t circles,
                             std::uint64_t threads) {
  const auto tiles = static_cast<std::uint64_t>(grid.num_tiles());
  return threads * (3 * (tiles + 1) * sizeof(std::uint32_t) + state_floats * sizeof(float)) +
         thread_memory(circles, static_cast<int>(threads)) +
         tiles * (sizeof(std::uint8_t) + sizeof(std::uint32_t)) +
         static_cast<std::uint64_t>(grid.height) * sizeof(BlendColor);
}

class CpuBackend final : public RasterBackend {
 public:
  explicit CpuBackend(const RasterOptions& options)
      : options_(options),
        tile_size_(tile_size_of(options)),
        arena_(options.threads > 0 ? options.threads : default_threads()) {}

  ChunkPlan plan(const CircleStream& circles, const ImageSettings& image, const FrameTarget& out,
                 StageStats& /*stats*/) override {
    const std::uint64_t picture_bytes = out.resize(image);
    circles_ = &circles;
    grid_ = TileGrid::make(image, tile_size_);
    ramp_ = snow_ramp(image.blend_space);
    styles_ = image.styles;
    blend_tile_ = blend_tile_on_this_machine(grid_.is_antialiased(), styles_);
    finish_.emplace(image, out, tile_size_);
    const ChunkPlan chunks = plan_chunks(image);
    budget_ = compute_budget(picture_bytes);
    done_.assign(num_tiles(), 0);
    slots_.assign(num_tiles(), kNoSlot);
    slots_taken_ = 0;
    is_whole_ = false;
    return chunks;
  }

  void bin(const Chunk& chunk, StageStats& stats) override {
    arena_.execute([&] { list_chunk(chunk, stats); });
    std::size_t new_tiles = 0;
    for (std::size_t tile = 0; tile < num_tiles(); ++tile)
      if (done_[tile] == 0 && slots_[tile] == kNoSlot) ++new_tiles;
    // Active pixels' states take precedence over longer lists, if they can all fit.
    const bool exceeds_state_budget =
        budget_.is_given && !chunk.is_last() &&
        lists_.bytes + state_bytes(new_tiles) > budget_.capacity &&
        min_list_bytes(grid_) + state_bytes(new_tiles) <= budget_.capacity;
    is_listed_ = is_listed_ && (!exceeds_state_budget || chunk.count() <= 1);
  }

  void blend(const Chunk& chunk, StageStats& stats) override {
    if (!is_listed_) return;
    const StageTimer timer(stats, "blend");
    slots_that_fit_ = budget_.is_given
                          ? (budget_.capacity - lists_.bytes) / (state_floats() * sizeof(float))
                          : num_tiles();
    if (!chunk.is_last() && states_.size() < num_tiles() * state_floats())
      states_.resize_discard(num_tiles() * state_floats());
    all_saved_ = true;
    arena_.execute([&] {
      tbb::parallel_for(std::size_t{0}, num_tiles(), [&](std::size_t tile) {
        checkpoint();
        if (done_[tile] == 0) blend_list(chunk, tile);
      });
    });
    stats.overlaps += lists_.overlaps;
    ++stats.chunks;
  }

  ChunkResult result(const Chunk& chunk, StageStats& stats) override {
    const auto note_memory = [&](std::uint64_t list_bytes) {
      stats.memory = std::max(stats.memory, list_bytes + state_bytes(0) + budget_.overhead);
    };
    if (!is_listed_) {
      note_memory(lists_.bytes_made);
      const bool is_smallest = chunk.count() <= 1 || is_whole_;
      // Memory of earlier chunks counts until it is freed. After that saved pixels may be dropped,
      // too.
      if (is_smallest && !has_kept_) {
        if (state_bytes(0) == 0) refuse();
        return take_all();
      }
      drop_chunk();
      return {is_smallest ? ChunkResult::Next::kRepeat : ChunkResult::Next::kHalve, 0};
    }
    has_kept_ = true;
    stats.largest_chunk = std::max(stats.largest_chunk, chunk.count());
    if (!all_saved_) return take_all();
    max_slots_ = std::max<std::size_t>(max_slots_, slots_taken_);
    note_memory(lists_.bytes);
    return {ChunkResult::Next::kAdvance, active_tiles()};
  }

  void finish(StageStats& stats) override {
    stats.stage("bin").bytes = stats.overlaps * sizeof(std::uint32_t);
  }

  void free_host_memory() override {
    drop_chunk();
    states_ = {};
    max_slots_ = 0;
  }

 private:
  std::size_t state_floats() const { return state_size(tile_size_, num_planes(styles_)); }
  std::size_t num_tiles() const { return static_cast<std::size_t>(grid_.num_tiles()); }

  std::uint64_t active_tiles() const {
    return static_cast<std::uint64_t>(std::count(done_.begin(), done_.end(), 0));
  }

  /// Drops saved pixels.
  ChunkResult take_all() {
    is_whole_ = true;
    slots_.assign(num_tiles(), kNoSlot);
    slots_taken_ = 0;
    max_slots_ = 0;
    states_ = {};
    return {ChunkResult::Next::kTakeAll, active_tiles()};
  }

  ChunkPlan plan_chunks(const ImageSettings& image) {
    const std::uint64_t count = circles_->count();
    if (options_.chunk_circles > 0)
      return ChunkPlan::of_equal_chunks(count, options_.chunk_circles);
    const bool is_cuda = options_.chunk_backend == Backend::kCuda;
    const ChunkPolicy policy = is_cuda ? cuda_chunks(image) : kCpuChunks;
    const FrameEstimate estimate =
        estimate_frame(*circles_, image, tile_size_, policy.saturation_factor);
    ChunkPlan::Sizes sizes = policy.sizes(estimate);
    if (const std::size_t largest = circles_->traits().largest_chunk; !is_cuda && largest > 0) {
      sizes.largest = largest;
      sizes.first = std::min(sizes.first, sizes.largest);
    }
    return {count, sizes};
  }

  struct Budget {
    bool is_given = false;  ///< else only lists respect it
    std::uint64_t capacity = 0;
    std::uint64_t overhead = 0;  ///< other memory of frames of this size
  };
  Budget compute_budget(std::uint64_t picture_bytes) {
    const std::uint64_t overhead =
        overhead_bytes(grid_, state_floats(), circles_->count(),
                       static_cast<std::uint64_t>(arena_.max_concurrency()));
    Budget budget{options_.memory_budget > 0 || options_.total_memory > 0,
                  options_.memory_budget > 0 ? options_.memory_budget : physical_memory() / 4,
                  overhead};
    if (options_.total_memory > 0) {
      const std::uint64_t other_bytes = overhead + circles_->bytes() + picture_bytes;
      budget.capacity = options_.total_memory - std::min(options_.total_memory, other_bytes);
    }
    return budget;
  }

  /// Reports that the smallest chunk's lists and the unfinished pixels do not fit.
  [[noreturn]] void refuse() const {
    if (options_.total_memory > 0) throw TooLittleMemory(options_.total_memory);
    const std::uint64_t states = block_memory(num_tiles() * state_floats() * sizeof(float));
    throw Error(ExitCode::kRuntimeFailure,
                fmt::format("--memory: a frame's lists and unfinished pixels may take {}M of it, "
                            "and need up to {}M",
                            budget_.capacity >> 20, ((min_list_bytes(grid_) + states) >> 20) + 1));
  }

  /// Frees what exceeded the budget.
  void drop_chunk() {
    lists_ = {};
    made_ = {};
    circles_kept_ = 0;
    has_kept_ = false;
  }

  /// Makes a chunk's circles before listing. Returns false if these alone exceed the budget.
  bool make_chunk(const Chunk& chunk, std::uint64_t max_bytes, StageStats& stats) {
    if (bytes_of_circles(chunk.count()) > max_bytes) {
      lists_.bytes = std::numeric_limits<std::uint64_t>::max();
      lists_.bytes_made = 0;
      return false;
    }
    const StageTimer timer(stats, "generate");
    circles_->fetch_in_parallel(chunk.begin, chunk.count(), made_);
    circles_kept_ = std::max(circles_kept_, chunk.count());
    stats.stage("generate").bytes += chunk.count() * (sizeof(Shape) + sizeof(Paint));
    return true;
  }

  /// Lists a chunk; sets shapes_ and paints_.
  void list_chunk(const Chunk& chunk, StageStats& stats) {
    const std::uint64_t states = budget_.is_given ? state_bytes(0) : 0;
    const std::uint64_t max_bytes = budget_.capacity - std::min(budget_.capacity, states);
    const std::uint64_t count = chunk.count();
    const bool is_made = circles_->in_memory() == nullptr;
    const bool is_made_first = circles_->traits().is_parallel;
    if (is_made && made_.count() < count) {
      circles_kept_ = 0;
      made_.shapes.resize_discard(count);
      made_.paints.resize_discard(count);
    }
    is_listed_ = !is_made_first || make_chunk(chunk, max_bytes, stats);
    if (!is_listed_) return;
    const auto start = std::chrono::steady_clock::now();
    const CircleStream made(made_);
    const std::uint64_t made_bytes = is_made_first ? bytes_of_circles(circles_kept_) : 0;
    const BinCirclesArgs args{is_made_first ? made : *circles_,
                              is_made_first ? 0 : chunk.begin,
                              count,
                              made_,
                              grid_,
                              done_,
                              max_bytes - std::min(max_bytes, made_bytes),
                              !is_whole_};  // indices take less than copies
    shapes_ = args.shapes();
    paints_ = args.paints();
    is_listed_ = bin_circles(args, lists_);
    if (is_made_first) {
      lists_.bytes += made_bytes;
    } else if (is_made) {
      circles_kept_ = std::max(circles_kept_, lists_.circles_kept);
      if (is_listed_ && circles_kept_ > lists_.circles_kept)
        lists_.bytes += (circles_kept_ - lists_.circles_kept) * (sizeof(Shape) + sizeof(Paint));
    }
    is_listed_ = is_listed_ && lists_.bytes <= max_bytes;
    const std::chrono::duration<double, std::milli> elapsed =
        std::chrono::steady_clock::now() - start;
    const double share = is_made && !is_made_first ? lists_.generate_share : 0;
    if (is_made && !is_made_first) {
      Stage& generate = stats.stage("generate");
      generate.milliseconds += elapsed.count() * share;
      generate.bytes += count * (sizeof(Shape) + sizeof(Paint));
    }
    stats.stage("bin").milliseconds += elapsed.count() * (1 - share);
  }

  void blend_list(const Chunk& chunk, std::size_t tile) {
    const bool is_empty = lists_.is_empty(tile), is_fresh = slots_[tile] == kNoSlot;
    if (is_empty && !chunk.is_last()) return;
    const int tile_x = static_cast<int>(tile) % grid_.tiles_x;
    const int tile_y = static_cast<int>(tile) / grid_.tiles_x;
    const PixelRect pixels = grid_.tile_pixels(tile_x, tile_y);
    if (is_empty && is_fresh) {
      finish_tile(*finish_, pixels, nullptr);
      done_[tile] = 1;
      return;
    }
    // The state is in a core's cache; that of a tile of this chunk alone is stored nowhere else.
    const TileState state = load_state(tile, pixels);
    const BlendTileArgs args{grid_,        tile_x, tile_y, shapes_,  paints_,
                             lists_.slabs, ramp_,  state,  is_fresh, chunk.is_last()};
    if (blend_tile_(args) || chunk.is_last()) {
      finish_tile(*finish_, pixels, &state);
      done_[tile] = 1;
    } else {
      save_state(tile, state);
    }
  }

  float* saved_state(std::size_t tile) { return states_.data() + slots_[tile] * state_floats(); }
  /// Bytes of the existing states and `more`.
  std::uint64_t state_bytes(std::size_t more) const {
    const std::size_t slots = std::max<std::size_t>(max_slots_, slots_taken_ + more);
    return block_memory(slots * state_floats() * sizeof(float));
  }
  TileState load_state(std::size_t tile, const PixelRect& pixels) {
    if (slots_[tile] == kNoSlot) return blank_tile(tile_size_, num_planes(styles_), pixels);
    const TileState state = scratch_tile(tile_size_, num_planes(styles_));
    std::copy_n(saved_state(tile), state_floats(), state.planes);
    return state;
  }

  /// Saves a tile's state, or notes that it does not fit.
  void save_state(std::size_t tile, const TileState& state) {
    if (slots_[tile] == kNoSlot) {
      const std::uint32_t slot = slots_taken_++;
      if (slot >= slots_that_fit_) {
        all_saved_ = false;
        return;
      }
      slots_[tile] = slot;
    }
    std::copy_n(state.planes, state_floats(), saved_state(tile));
  }

  RasterOptions options_;
  int tile_size_;
  tbb::task_arena arena_;

  // State of the frame:
  const CircleStream* circles_ = nullptr;
  TileGrid grid_{};
  SnowRamp ramp_{};
  CircleStyles styles_;
  BlendTile* blend_tile_ = nullptr;
  std::optional<FinishTilesArgs> finish_;
  Budget budget_;
  bool is_whole_ = false;  // all circles at once, after chunks did not fit

  // State of the chunk:
  TileLists lists_;
  bool is_listed_ = false;  // lists_ fit the budget
  std::span<const Shape> shapes_;
  std::span<const Paint> paints_;
  Circles made_;                    // if not in memory already
  std::uint64_t circles_kept_ = 0;  // elements written
  bool has_kept_ = false;           // made_ or lists_ hold earlier chunks' memory
  std::size_t slots_that_fit_ = 0;  // capacity of the budget after lists_
  std::atomic<bool> all_saved_{true};

  std::vector<std::uint8_t> done_;  // [num_tiles]
  static constexpr std::uint32_t kNoSlot = ~std::uint32_t{0};
  std::vector<std::uint32_t> slots_;  // [num_tiles], index in states_
  Buffer<float> states_;              // [num_tiles][state_floats()], active tiles after a chunk
  std::atomic<std::uint32_t> slots_taken_{0};  // in this frame
  std::size_t max_slots_ = 0;                  // in any frame since states_ were made
};

}  // namespace
}  // namespace cpu

std::unique_ptr<Rasterizer> make_cpu_rasterizer(const RasterOptions& options) {
  return std::make_unique<cpu::CpuBackend>(options);
}

DrawingNeeds measure_drawing(const CircleStream& circles, const ImageSettings& image,
                             std::uint64_t picture_bytes, const RasterOptions& options) {
  StageStats stats;
  cpu::CpuBackend(options).draw(circles, image, FrameTarget::nowhere(picture_bytes), stats);
  return {stats.memory, stats.largest_chunk};
}

std::uint64_t enough_list_memory(const ImageSettings& image, const ListedCircles& circles,
                                 int threads) {
  const TileGrid grid = TileGrid::make(image, kCpuTileSize);
  const auto tiles = static_cast<std::uint64_t>(grid.num_tiles());
  const std::size_t state = cpu::state_size(kCpuTileSize, cpu::num_planes(image.styles));
  const auto all = static_cast<std::uint64_t>(threads);
  const std::uint64_t in_chunks = cpu::min_list_bytes(grid) + cpu::kPracticalLists +
                                  block_memory(tiles * state * sizeof(float));
  const std::uint64_t slabs = cpu::index_slabs(circles.count, tiles, all);
  const std::uint64_t indices = circles.overlaps * sizeof(std::uint32_t);
  const std::uint64_t at_once = (circles.are_in_memory ? 0 : cpu::bytes_of_circles(circles.count)) +
                                slabs * (tiles + 1) * sizeof(std::uint32_t) + indices +
                                std::min(indices, slabs * kHugePage);
  const bool fits_at_once = circles.overlaps <= std::numeric_limits<std::uint32_t>::max();
  return (fits_at_once ? std::min(in_chunks, at_once) : in_chunks) +
         cpu::overhead_bytes(grid, state, circles.count, all);
}

std::uint64_t thread_memory(std::uint64_t circles, int threads) {
  constexpr std::uint64_t kMinCopiedCircles = 65536, kCirclesOfSlab = 16384;
  constexpr std::uint64_t kStack = std::uint64_t{1} << 16;
  constexpr std::uint64_t kBytesOfSlab =
      kCirclesOfSlab * (sizeof(Shape) + sizeof(Paint) + 8);  // with indices
  const auto all = static_cast<std::uint64_t>(threads > 0 ? threads : cpu::arena_threads());
  return all * kStack +
         (circles < kMinCopiedCircles ? 0 : std::min(all, circles / kCirclesOfSlab) * kBytesOfSlab);
}

std::string cpu_vector_target() {
  return cpu::vector_targets().front();
}

std::vector<std::string> cpu_vector_targets() {
  return cpu::vector_targets();
}

std::vector<MissingVectorTarget> cpu_missing_vector_targets() {
  return cpu::missing_vector_targets();
}

bool force_cpu_vector_target(const std::string& name) {
  return cpu::force_vector_target(name);
}

}  // namespace roundel
