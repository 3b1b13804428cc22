#include "renderer/raster/cuda/blend_tiles.h"
#include "renderer/raster/cuda/launch.cuh"
#include "renderer/raster/cuda/subtile_coverage.cuh"
#include "renderer/raster/cuda/subtile_pixels.cuh"
#include "renderer/raster/cuda/warp.cuh"

namespace roundel::cuda {
namespace {

/// Tuning, measured on an H200.
struct LongListPolicy {
  /// Warps that find circles and the pixels they cover. One paints a batch in about the time in
  /// which a few find it.
  static constexpr int kFinders = 12;
  /// Batches of 32 circles in a step, at most. More take too much shared memory.
  static constexpr int kBatches = 24;
  /// Of a batch: where a pixel is covered by more circles, all are gone through, since their paints
  /// are then fetched before they are needed.
  static constexpr int kDense = 8;
};

constexpr int kPainters = kPixelsPerLane;  // warps, a pixel a lane
constexpr int kFinders = LongListPolicy::kFinders, kBatches = LongListPolicy::kBatches;
constexpr int kThreads = 32 * (kPainters + kFinders);
constexpr int kPortion = 32 * kBatches;  // overlaps of the list that a step looks at
constexpr int kWords = kPortion / 32 / kFinders;
static_assert(kWords * kFinders == kBatches);

/// 32 circles that reach the subtile, front to back.
struct Batch {
  std::uint32_t covering[kPixelsPerLane][32];  // of a lane's pixels: bit i: circle i covers it
  float4 discs[32];                            // x, y, -, 1/r²; of batches with snow
  Paint paints[32];
  struct alignas(8) Summary {
    float transmittance;  // of a pixel that all of them cover, or less
    std::uint32_t flags;  // bit k: dense for pixel k of some lane; kHasSnow
  } summary;
  static constexpr std::uint32_t kHasSnow = 1u << kPixelsPerLane;
};

struct Shared {
  Batch batches[2][kBatches + 2];  // found in this step, and painted in the next one
  int num_batches[2];
  std::uint32_t
      circles[32 + kPortion + 32];  // that reach the subtile: up to 31 that wait, the portion's
  std::uint32_t counts[kFinders];
};

/// Among the finders.
__device__ void wait_for_finders() {
  asm volatile("bar.sync 1, %0;" ::"n"(32 * kFinders) : "memory");
}

/// Finds the batches of one subtile, by kFinders warps together.
class Finder {
 public:
  __device__ Finder(const BlendTilesArgs& args, const SubtilePlace& pixels, OverlapRun list,
                    int subtile, Shared& shared)
      : args_(args),
        pixels_(pixels),
        list_(list),
        subtile_(subtile),
        finder_(static_cast<int>(threadIdx.x) / 32 - kPainters),
        shared_(shared) {}

  /// Looks at portion `step` of the list; the last one's circles do not wait.
  __device__ void find(std::uint32_t step) {
    const std::uint32_t first = step * kPortion;
    const bool is_last = first + kPortion >= list_.count;
    Overlap overlaps[kWords];
#pragma unroll
    for (int k = 0; k < kWords; ++k) {
      const std::uint32_t i = first + (finder_ * kWords + k) * 32 + lane();
      overlaps[k] = i < list_.count ? args_.overlaps[list_.start + i] : 0;
    }
    unsigned reaching[kWords];
    std::uint32_t count = 0;
#pragma unroll
    for (int k = 0; k < kWords; ++k) {
      reaching[k] = __ballot_sync(kAllLanes, (overlaps[k] >> subtile_ & 1) != 0);
      count += __popc(reaching[k]);
    }
    if (lane() == 0) shared_.counts[finder_] = count;
    wait_for_finders();
    std::uint32_t at = num_waiting_, total = num_waiting_;
#pragma unroll
    for (int other = 0; other < kFinders; ++other) {
      if (other < finder_) at += shared_.counts[other];
      total += shared_.counts[other];
    }
#pragma unroll
    for (int k = 0; k < kWords; ++k) {
      if ((reaching[k] >> lane() & 1) != 0)
        shared_.circles[at + num_before(reaching[k])] = overlaps[k] >> kOverlapCircleShift;
      at += __popc(reaching[k]);
    }
    wait_for_finders();
    const int num_batches = static_cast<int>(is_last ? (total + 31) / 32 : total / 32);
    for (int batch = finder_; batch < num_batches; batch += kFinders)
      make(shared_.batches[step % 2][batch], shared_.circles + batch * 32,
           min(32, static_cast<int>(total) - batch * 32));
    if (finder_ == 0 && lane() == 0) shared_.num_batches[step % 2] = num_batches;
    const std::uint32_t left = shared_.circles[num_batches * 32 + lane()];
    wait_for_finders();
    num_waiting_ = is_last ? 0 : total % 32;
    if (finder_ == 0) shared_.circles[lane()] = left;
  }

 private:
  __device__ void make(Batch& batch, const std::uint32_t* circles, int count) {
    Shape shape{0, 0, 0, 0};
    Paint paint{0, 0, 0, 0};
    if (lane() < count) {
      shape = load_shape(args_.shapes + circles[lane()]);
      paint = load_paint(args_.paints + circles[lane()]);
    }
    const bool has_snow = __any_sync(kAllLanes, is_snow(paint));
    batch.paints[lane()] = paint;
    batch.discs[lane()] = {shape.x, shape.y, 0,
                           has_snow && shape.radius > 0 ? scalar::inverse_square(shape.radius) : 0};
    std::uint32_t covering[kPixelsPerLane], flags = has_snow ? Batch::kHasSnow : 0;
    cover(shape, covering);
#pragma unroll
    for (int k = 0; k < kPixelsPerLane; ++k) {
      batch.covering[k][lane()] = covering[k];
      if (__any_sync(kAllLanes, __popc(covering[k]) > LongListPolicy::kDense)) flags |= 1u << k;
    }
    float transmittance = 1.0f - (is_snow(paint) ? peak_alpha(paint) : paint.alpha);
#pragma unroll
    for (int distance = 16; distance > 0; distance /= 2)
      transmittance *= __shfl_xor_sync(kAllLanes, transmittance, distance);
    if (lane() == 0) batch.summary = {transmittance * 0.99f, flags};  // more than all rounding
  }

  /// Which of the lane's pixels the circles of all lanes cover: bit i of word k: lane i's, pixel k.
  __device__ void cover(const Shape& shape, std::uint32_t covering[kPixelsPerLane]) const {
    const float r2 = shape.radius * shape.radius;
    const SubtileBox box(shape, pixels_, args_.grid);
    if (!__any_sync(kAllLanes, box.reaches && box.side() > BlendPolicy::kTestedSide)) {
      test_box(shape, box.reaches ? r2 : -1, box.reaches ? box.first_column : 0,
               box.reaches ? box.first_row : 0, pixels_, args_.grid, covering);
      transpose(covering);
    } else if (!__any_sync(kAllLanes, box.reaches && box.reach > kMostSpanRadius)) {
      compute_spans(shape, box.reaches ? r2 : -1, box.reaches ? box.middle_x : 0, pixels_,
                    args_.grid, covering);
      transpose(covering);
    } else {
#pragma unroll
      for (int k = 0; k < kPixelsPerLane; ++k) covering[k] = 0;
      for (int i = 0; i < 32; ++i) {
        const float x = __shfl_sync(kAllLanes, shape.x, i), y = __shfl_sync(kAllLanes, shape.y, i);
        const float i_r2 = __shfl_sync(kAllLanes, shape.radius > 0 ? r2 : -1, i);
        const float dx = x - pixels_.center_x;
#pragma unroll
        for (int k = 0; k < kPixelsPerLane; ++k)
          if (scalar::squared_distance<ScalarLanes>(dx, y - pixels_.center_y[k]) <= i_r2)
            covering[k] |= 1u << i;
      }
    }
  }

  const BlendTilesArgs& args_;
  const SubtilePlace& pixels_;
  OverlapRun list_;
  int subtile_, finder_;
  Shared& shared_;
  std::uint32_t num_waiting_ = 0;
};

/// Composites a batch onto the lane's pixel `k`, `covering` its word.
__device__ void paint(const BlendTilesArgs& args, const Batch& batch, Batch::Summary summary, int k,
                      std::uint32_t covering, float center_x, float center_y,
                      StateOf<false>& state) {
  using L = ScalarLanes;
  const auto is_active = [&] { return state.transmittance > scalar::kOpaqueTransmittance; };
  const auto blend_solid = [&](const Paint& paint) {
    scalar::composite<L>(state, paint.alpha, paint.red, paint.green, paint.blue);
  };
  if ((summary.flags & Batch::kHasSnow) != 0) {
    for (; covering != 0 && is_active(); covering &= covering - 1) {
      const int i = __ffs(covering) - 1;
      const Paint paint = batch.paints[i];
      if (!is_snow(paint)) {
        blend_solid(paint);
        continue;
      }
      const float4 disc = batch.discs[i];
      const float dx = disc.x - center_x, dy = disc.y - center_y;
      float alpha, red, green;
      scalar::shade_snow<L>(args.ramp, dx * dx, dy * dy, disc.w, peak_alpha(paint), alpha, red,
                            green);
      scalar::composite<L>(state, alpha, red, green, 1.0f);
    }
    return;
  }
  if ((summary.flags >> k & 1) == 0) {
    for (; covering != 0 && is_active(); covering &= covering - 1)
      blend_solid(batch.paints[__ffs(covering) - 1]);
    return;
  }
  if (!is_active()) covering = 0;
  const bool may_become_opaque = covering != 0 && !(state.transmittance * summary.transmittance >
                                                    scalar::kOpaqueTransmittance);
  if (!__any_sync(kAllLanes, may_become_opaque)) {
    // The paints come from shared memory while those before them are composited.
    constexpr int kAhead = 8;
    Paint paints[2][kAhead];
    const auto fetch = [&](int group) {
#pragma unroll
      for (int k = 0; k < kAhead; ++k) paints[group % 2][k] = batch.paints[group * kAhead + k];
    };
    fetch(0);
#pragma unroll
    for (int i = 0; i < 32; ++i) {
      const int group = i / kAhead;
      if (i % kAhead == 0 && group + 1 < 32 / kAhead) fetch(group + 1);
      const Paint& paint = paints[group % 2][i % kAhead];
      StateOf<false> next = state;
      scalar::composite<L>(next, paint.alpha, paint.red, paint.green, paint.blue);
      if ((covering >> i & 1) != 0) state = next;
    }
  } else {
#pragma unroll 4
    for (int i = 0; i < 32; ++i) {
      const Paint paint = batch.paints[i];
      if ((covering >> i & 1) != 0 && is_active()) blend_solid(paint);
    }
  }
}

/// Block (tile, subtile) composites one subtile of a tile with a long list. What is a chain,
/// putting one circle behind the other, is done by four warps with a pixel a lane; meanwhile the
/// others find out which circles of the list cover which pixels, so that the chain never waits for
/// memory.
__global__ void __launch_bounds__(kThreads)
    blend_long_lists_kernel(const __grid_constant__ BlendTilesArgs args) {
  extern __shared__ char memory[];
  auto& shared = *reinterpret_cast<Shared*>(memory);
  if (args.progress->overflow != 0) return;
  const TileGrid& grid = args.grid;
  const int tile_x = blockIdx.x, tile_y = blockIdx.y, subtile = blockIdx.z;
  const int tile = tile_y * grid.tiles_x + tile_x;
  const OverlapRun list = args.lists[tile];
  if (list.count < args.long_list) return;
  const bool is_first_chunk = args.chunk_number == 0;
  if (!is_first_chunk && (args.active_subtiles[tile] >> subtile & 1) == 0) return;
  const SubtilePlace pixels(grid, tile_x, tile_y, subtile);

  const int warp = static_cast<int>(threadIdx.x) / 32;
  const bool is_painter = warp < kPainters;
  const int x = pixels.x(), y = pixels.y(warp);  // a painter's
  const std::size_t position = static_cast<std::size_t>(y) * grid.width + x;
  const bool is_inside = is_painter && x < grid.width && y < grid.height;
  StateOf<false> state{0, 0, 0, is_inside ? 1.0f : 0.0f};
  if (is_inside && !is_first_chunk) {
    const SavedPixel saved = args.states[position];
    state = {saved.red, saved.green, saved.blue, saved.transmittance};
  }
  const float center_y =
      scalar::pixel_center<ScalarLanes>(static_cast<float>(y), grid.s, grid.half_y);
  bool is_done = !__any_sync(kAllLanes, state.transmittance > scalar::kOpaqueTransmittance);

  Finder finder(args, pixels, list, subtile, shared);
  const std::uint32_t num_steps = (list.count + kPortion - 1) / kPortion;
  bool all_done = false;
  for (std::uint32_t step = 0; step <= num_steps && !all_done; ++step) {
    if (is_painter) {
      if (step > 0 && !is_done) {
        const auto& batches = shared.batches[(step - 1) % 2];
        const int num_batches = shared.num_batches[(step - 1) % 2];
        Batch::Summary next_summary = batches[0].summary;
        std::uint32_t next_covering = batches[0].covering[warp][lane()];
        for (int b = 0; b < num_batches; ++b) {
          const Batch::Summary summary = next_summary;
          const std::uint32_t covering = next_covering;
          // There is one more place than batches, so that it may be read; it need not be written.
          next_summary = batches[b + 1].summary;
          next_covering = batches[b + 1].covering[warp][lane()];
          paint(args, batches[b], summary, warp, covering, pixels.center_x, center_y, state);
        }
        is_done = !__any_sync(kAllLanes, state.transmittance > scalar::kOpaqueTransmittance);
      }
    } else if (step < num_steps) {
      finder.find(step);
    }
    all_done = __syncthreads_and(!is_painter || is_done);
  }
  if (is_inside) {
    if (all_done || args.is_last_chunk)
      SubtilePixels<false>::write_pixel(args, x, y, state);
    else
      args.states[position] = {state.red, state.green, state.blue, state.transmittance};
  }
  // The byte's word may have other tiles' bytes, whose blocks do the same.
  if (all_done && threadIdx.x == 0 && !args.is_last_chunk) {
    auto* const words = reinterpret_cast<unsigned*>(args.active_subtiles);
    atomicAnd(words + tile / 4, ~(1u << (tile % 4 * 8 + subtile)));
  }
}

}  // namespace

std::size_t long_list_memory() {
  return sizeof(Shared);
}

void blend_long_lists(const BlendTilesArgs& args, cudaStream_t stream) {
  const dim3 blocks(static_cast<unsigned>(args.grid.tiles_x),
                    static_cast<unsigned>(args.grid.tiles_y), kSubtilesPerTile);
  ROUNDEL_CUDA_CHECK(cudaFuncSetAttribute(blend_long_lists_kernel,
                                          cudaFuncAttributeMaxDynamicSharedMemorySize,
                                          static_cast<int>(sizeof(Shared))));
  launch(blend_long_lists_kernel, blocks, kThreads, sizeof(Shared), args, false, stream);
}

}  // namespace roundel::cuda
