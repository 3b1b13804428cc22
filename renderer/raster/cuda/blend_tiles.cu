#include "renderer/raster/cuda/blend_tiles.h"
#include "renderer/raster/cuda/launch.cuh"
#include "renderer/raster/cuda/subtile_blender.cuh"

namespace roundel::cuda {
namespace {

/// A tile's list, which every warp reads by itself.
class ListedOverlaps {
 public:
  static constexpr bool kIsListed = true;
  static constexpr bool kHasUnevenTiles = true;  ///< some tiles may take much longer
  static constexpr int kWarps = BlendPolicy::kIndependentWarps;  ///< warps of a block
  struct Scratch {};

  __device__ ListedOverlaps(const BlendTilesArgs& args, Scratch& /*scratch*/, int tile_x,
                            int tile_y)
      : list_(args.lists[tile_y * args.grid.tiles_x + tile_x]),
        overlaps_(args.overlaps + list_.start) {}

  /// Returns true if the subtile is done.
  template <class Painter>
  __device__ bool paint(Painter& painter, typename Painter::Pixels& subtile, bool is_done) {
    return is_done || painter.paint(subtile, overlaps_, list_.count, true);
  }

 private:
  OverlapRun list_;
  const Overlap* overlaps_;
};

/// In memory the front circle is the last.
constexpr std::uint32_t number_of(std::uint32_t from_front, const BlendTilesArgs& args) {
  return args.count - 1 - from_front;
}

/// For so few circles that every subtile tests all of them: one for each lane, loaded first.
class LaneOverlaps {
 public:
  static constexpr std::uint32_t kMaxLaneCircles = 32;
  static constexpr bool kIsListed = false;
  static constexpr bool kHasUnevenTiles = false;
  static constexpr int kWarps = BlendPolicy::kIndependentWarps;
  struct Scratch {};

  __device__ LaneOverlaps(const BlendTilesArgs& args, Scratch& /*scratch*/, int /*tile_x*/,
                          int /*tile_y*/) {
    if (const std::uint32_t i = 31 - lane(); i < args.count) {
      shape_ = load_shape(args.shapes + number_of(i, args));
      paint_ = load_paint(args.paints + number_of(i, args));
    }
  }

  template <class Painter>
  __device__ bool paint(Painter& painter, typename Painter::Pixels& subtile, bool is_done) {
    if (!is_done) painter.paint(subtile, typename Painter::Batch{shape_, paint_});
    return is_done || subtile.is_done();
  }

 private:
  Shape shape_{0, 0, 0, 0};
  Paint paint_{0, 0, 0, 0};
};

/// For more circles: every block tests them until its tile is done, which is faster than lists.
class SearchedOverlaps {
 public:
  static constexpr bool kIsListed = false;
  static constexpr bool kHasUnevenTiles = true;
  static constexpr int kWarps = kSubtilesPerTile;  ///< find circles together
  struct Scratch {
    Overlap found[BlendPolicy::kMaxFound];  // front to back
    // Counts of each warp, in two successive rounds.
    alignas(16) std::uint32_t near_circles[2][kSubtilesPerTile];
  };

  __device__ SearchedOverlaps(const BlendTilesArgs& args, Scratch& scratch, int tile_x, int tile_y)
      : args_(args), scratch_(scratch), tile_x_(tile_x), tile_y_(tile_y) {}

  template <class Painter>
  __device__ bool paint(Painter& painter, typename Painter::Pixels& subtile, bool is_done) {
    while (!is_at_end()) {
      const std::uint32_t count = find_next();
      if (!is_done) is_done = painter.paint(subtile, scratch_.found, count, false);
      // No circles are searched after the end, so no warp waits.
      if (!is_at_end() && __syncthreads_and(is_done)) break;
    }
    if (is_done || painter.num_waiting == 0) return is_done;
    painter.paint(subtile, painter.waiting());
    return subtile.is_done();
  }

 private:
  static constexpr int kThreads = 32 * kWarps;

  /// Returns the number of circles found. All threads call it.
  __device__ std::uint32_t find_next() {
    std::uint32_t found = 0;
    do {
      found = test_next(found);
    } while (found < BlendPolicy::kMinFound && !is_at_end());
    __syncthreads();
    for (std::uint32_t i = threadIdx.x; i < found; i += kThreads) {
      const std::uint32_t circle = scratch_.found[i];
      const Shape shape = load_shape(args_.shapes + circle);
      scratch_.found[i] =
          circle << kOverlapCircleShift | mask_in_tile(args_.grid.pixel_bounds(shape));
    }
    __syncthreads();
    return found;
  }
  __device__ bool is_at_end() const { return round_ * kTestedPerRound >= args_.count; }

  static constexpr std::uint32_t kCirclesPerThread = BlendPolicy::kCirclesPerThread;
  static constexpr std::uint32_t kTestedPerRound = kCirclesPerThread * kThreads;  // in a round
  static_assert(BlendPolicy::kMinFound + kTestedPerRound <= BlendPolicy::kMaxFound,
                "all of a round may be found");

  /// Appends those of the next kTestedPerRound circles that are near the tile to the `found` ones,
  /// front to back, and returns the total. A warp tests adjacent circles, so that one barrier is
  /// enough: lanes know the warps' counts and rank themselves.
  __device__ std::uint32_t test_next(std::uint32_t found) {
    const std::uint32_t warp = threadIdx.x / 32, lane = threadIdx.x % 32;
    const std::uint32_t first =
        round_ * kTestedPerRound + warp * 32 * kCirclesPerThread + lane;  // from the front
    Shape shapes[kCirclesPerThread];  // loads all before using one
#pragma unroll
    for (std::uint32_t k = 0; k < kCirclesPerThread; ++k)
      shapes[k] = load_shape(args_.shapes + number_of(min(first + 32 * k, args_.count - 1), args_));
    unsigned near[kCirclesPerThread];  // a bit for each lane
    std::uint32_t count = 0;
#pragma unroll
    for (std::uint32_t k = 0; k < kCirclesPerThread; ++k) {
      near[k] = __ballot_sync(kAllLanes, first + 32 * k < args_.count && !is_far(shapes[k]));
      count += __popc(near[k]);
    }
    // Alternates, so that no warp overwrites counts of the previous round.
    std::uint32_t* const counts = scratch_.near_circles[round_++ % 2];
    if (lane == 0) counts[warp] = count;
    __syncthreads();
    std::uint32_t position = found;
#pragma unroll
    for (std::uint32_t w = 0; w < kSubtilesPerTile; ++w) {
      if (w < warp) position += counts[w];
      found += counts[w];
    }
#pragma unroll
    for (std::uint32_t k = 0; k < kCirclesPerThread; ++k) {
      if (near[k] >> lane & 1)
        scratch_.found[position + num_before(near[k])] = number_of(first + 32 * k, args_);
      position += __popc(near[k]);
    }
    return found;
  }

  /// True only if the circle's box does not touch the tile. Fast, and excludes most circles.
  __device__ bool is_far(const Shape& shape) const {
    const float half = 0.5f * static_cast<float>(kTileSize) * args_.grid.s;
    const float dx =
        fabsf(shape.x - (args_.grid.left() + static_cast<float>(2 * tile_x_ + 1) * half));
    const float dy =
        fabsf(shape.y - (args_.grid.bottom() + static_cast<float>(2 * tile_y_ + 1) * half));
    // Exceeds all rounding.
    const float reach = (shape.radius + half) * (1 + 0x1p-12f);
    return fmaxf(dx, dy) * (1 - 0x1p-18f) > reach + args_.grid.s * 0.125f;
  }

  /// 0 if no pixel is in the tile.
  __device__ std::uint32_t mask_in_tile(const PixelRect& pixels) const {
    const int x0 = pixels.x0 / kSubtileWidth - 2 * tile_x_;
    const int x1 = pixels.x1 / kSubtileWidth - 2 * tile_x_;
    const int y0 = pixels.y0 / kSubtileHeight - 4 * tile_y_;
    const int y1 = pixels.y1 / kSubtileHeight - 4 * tile_y_;
    const bool is_outside = pixels.empty() || x0 > 1 || x1 < 0 || y0 > 3 || y1 < 0;
    return is_outside ? 0 : subtile_mask(x0, x1, y0, y1);
  }

  const BlendTilesArgs& args_;
  Scratch& scratch_;
  int tile_x_, tile_y_;
  std::uint32_t round_ = 0;  // each tests kTestedPerRound circles
};

template <class Overlaps, bool kArea>
struct Shared {
  [[no_unique_address]] typename Overlaps::Scratch overlaps;
  WarpScratch<kArea> warps[Overlaps::kWarps];
};

/// Notes whether later chunks can change the subtile. One lane calls it. Other tiles' blocks write
/// to the word, too.
__device__ void set_active(const BlendTilesArgs& args, int tile, int subtile, bool is_active) {
  auto* const word = reinterpret_cast<unsigned*>(args.active_subtiles) + tile / 4;
  const unsigned bit = 1u << (tile % 4 * 8 + subtile);
  if (!is_active) {
    atomicAnd(word, ~bit);
    return;
  }
  atomicOr(word, bit);
  atomicAdd(&args.progress->active_subtiles[args.chunk_number % 2], 1);
}

template <class Overlaps, bool kArea>
constexpr int blocks_per_processor() {
  constexpr int kTiles =
      kArea ? BlendPolicy::kAreaTilesPerProcessor : BlendPolicy::kTilesPerProcessor;
  return kTiles * kSubtilesPerTile / Overlaps::kWarps;
}

/// Row i in the order `first`, first + 1, first − 1, first + 2 and so on.
__device__ int nearest_row(int i, int first, int count) {
  const int both_ways = min(first, count - 1 - first);
  if (i <= 2 * both_ways) return i % 2 != 0 ? first + (i + 1) / 2 : first - i / 2;
  return first > both_ways ? count - 1 - i : i;
}

/// Block (tile, or a part of it) finishes the pixels of its subtiles or saves them for the next
/// chunk: 16 × 8 for each warp, four for each lane. Each pixel has one thread, and its circles come
/// in list order, so its bits do not depend on the launch.
template <class Overlaps, bool kArea, bool kStyled>
__global__ void __launch_bounds__(32 * Overlaps::kWarps, (blocks_per_processor<Overlaps, kArea>()))
    blend_tiles_kernel(const __grid_constant__ BlendTilesArgs args) {
  constexpr int kOwnWarps = Overlaps::kWarps, kParts = kSubtilesPerTile / kOwnWarps;
  __shared__ Shared<Overlaps, kArea> shared;
  if (Overlaps::kIsListed && args.begins_early) wait_for_previous_kernel();
  FrameProgress& progress = *args.progress;
  // Without lists none overflow.
  if (Overlaps::kIsListed && progress.overflow != 0) return;
  const TileGrid& grid = args.grid;
  int tile_x = static_cast<int>(blockIdx.x) / kParts, tile_y = static_cast<int>(blockIdx.y);
  if (Overlaps::kIsListed && args.tile_order != nullptr) {
    const std::uint32_t packed_tile = args.tile_order[tile_y * grid.tiles_x + tile_x];
    tile_x = static_cast<int>(packed_tile & 0xffff);
    tile_y = static_cast<int>(packed_tile >> 16);
  } else if (Overlaps::kHasUnevenTiles) {
    tile_y = nearest_row(tile_y, args.first_row, grid.tiles_y);
  }
  const int tile = tile_y * grid.tiles_x + tile_x;
  const int first_subtile = static_cast<int>(blockIdx.x) % kParts * kOwnWarps;
  const bool is_first_chunk = !Overlaps::kIsListed || args.chunk_number == 0;
  if (tile == 0 && first_subtile == 0 && threadIdx.x == 0) {
    // Binning has read this counter of the previous chunk; this chunk uses the other one.
    std::uint32_t& active_before = progress.active_subtiles[(args.chunk_number + 1) % 2];
    progress.overlaps = (is_first_chunk ? 0 : progress.overlaps) + progress.listed;
    if (is_first_chunk)
      progress.chunks = 1;
    else if (active_before > 0)
      ++progress.chunks;
    progress.listed = progress.num_slab_overlaps = 0;
    active_before = 0;
  }
  const std::uint32_t all = (1u << kOwnWarps) - 1;
  const std::uint32_t active =
      is_first_chunk ? all : args.active_subtiles[tile] >> first_subtile & all;
  if (active == 0) return;

  const int warp = static_cast<int>(threadIdx.x / 32), number = first_subtile + warp;
  Overlaps overlaps(args, shared.overlaps, tile_x, tile_y);
  SubtilePixels<kStyled> subtile(grid, tile_x, tile_y, number);
  const bool was_done = (active >> warp & 1) == 0 || subtile.is_outside(grid);
  bool is_done = was_done;
  if (Overlaps::kIsListed && args.long_list != ~0u && args.lists[tile].count >= args.long_list) {
    // as far as is known here
    if (lane() == 0 && !args.is_last_chunk) set_active(args, tile, number, !was_done);
    return;
  }
  if (!is_done) subtile.start(args, is_first_chunk);
  // Without shares this kernel is the longest: another way to paint would slow down the others.
  if (Overlaps::kIsListed && !kArea) subtile.are_alike = false;

  SubtileBlender<kArea, kStyled, Overlaps::kIsListed> blender{
      args.shapes, args.paints, args.ramp, grid, shared.warps[warp], number};
  is_done = overlaps.paint(blender, subtile, is_done);

  if (!was_done) {
    if (is_done || args.is_last_chunk)
      subtile.write(args);
    else
      subtile.save(args);
  }
  if (lane() == 0 && !args.is_last_chunk) set_active(args, tile, number, !is_done);
}

template <class Overlaps>
void launch_blend(const BlendTilesArgs& args, cudaStream_t stream) {
  const auto kernel_for = [&](auto has_styles) {
    return args.grid.is_antialiased() ? blend_tiles_kernel<Overlaps, true, has_styles()>
                                      : blend_tiles_kernel<Overlaps, false, has_styles()>;
  };
  const auto kernel =
      args.styles.any() ? kernel_for(std::true_type()) : kernel_for(std::false_type());
  constexpr int kParts = kSubtilesPerTile / Overlaps::kWarps;
  const dim3 blocks(static_cast<unsigned>(args.grid.tiles_x * kParts),
                    static_cast<unsigned>(args.grid.tiles_y));
  launch(kernel, blocks, 32 * Overlaps::kWarps, 0, args, args.begins_early, stream);
}

__global__ void fill_background_kernel(const BackgroundRows rows, int count, float4* background) {
  const int row = blockIdx.x * blockDim.x + threadIdx.x;
  if (row >= count) return;
  const BlendColor color = rows.row(row);
  background[row] = {color.red, color.green, color.blue, 0};
}

}  // namespace

void fill_background(const BackgroundRows& rows, int count, float4* background,
                     cudaStream_t stream) {
  constexpr int kThreads = 256;
  const int blocks = (count + kThreads - 1) / kThreads;
  fill_background_kernel<<<blocks, kThreads, 0, stream>>>(rows, count, background);
  ROUNDEL_CUDA_CHECK_LAUNCH(stream);
}

bool can_begin_early() {
  cudaFuncAttributes attributes;
  ROUNDEL_CUDA_CHECK(
      cudaFuncGetAttributes(&attributes, blend_tiles_kernel<ListedOverlaps, false, false>));
  // The architecture that the code was compiled for decides: older code does not wait in
  // wait_for_previous_kernel(), even on newer devices.
  return attributes.ptxVersion >= 90;
}

void blend_tiles(const BlendTilesArgs& args, cudaStream_t stream) {
  if (args.lists != nullptr)
    launch_blend<ListedOverlaps>(args, stream);
  else if (args.count <= LaneOverlaps::kMaxLaneCircles)
    launch_blend<LaneOverlaps>(args, stream);
  else
    launch_blend<SearchedOverlaps>(args, stream);
}

}  // namespace roundel::cuda
