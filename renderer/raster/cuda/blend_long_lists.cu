#include "renderer/raster/cuda/blend_tiles.h"
#include "renderer/raster/cuda/launch.cuh"
#include "renderer/raster/cuda/subtile_coverage.cuh"
#include "renderer/raster/cuda/subtile_pixels.cuh"
#include "renderer/raster/cuda/warp.cuh"

namespace roundel::cuda {
namespace {

/// Tuning, measured on an H200.
struct LongListPolicy {
  static constexpr int kFinders = 8;
  /// Batches of 32 circles in a step. More are up to 5 percent faster, but would not fit on all
  /// devices: see Shared.
  static constexpr int kBatches = 16;
};

constexpr int kGroups = kPixelsPerLane;  // a lane has a pixel of each group
constexpr int kFinders = LongListPolicy::kFinders, kBatches = LongListPolicy::kBatches;
constexpr int kPainters = kGroups;  // warps
constexpr int kThreads = 32 * (kPainters + kFinders);
constexpr int kPortion = 32 * kBatches;  // overlaps of the list in a step
constexpr int kWords = kPortion / 32 / kFinders;
static_assert(kWords * kFinders == kBatches);
constexpr std::uint32_t kMaxWaiting = 2 * kPortion;
static_assert((kMaxWaiting & (kMaxWaiting - 1)) == 0, "a ring");

/// 32 circles that reach the subtile, front to back.
struct Batch {
  std::uint32_t covering[kGroups][32];  // bit i: circle i covers the lane's pixel
  float4 discs[32];                     // x, y, -, 1/r²; only set with falloff
  Paint paints[32];
  struct alignas(8) Summary {
    float transmittance;    // lower bound for a pixel that all circles cover; 0 with falloff
    std::uint32_t reaches;  // bit k: some circle covers pixels of group k
  } summary;
};

struct Shared {
  Batch batches[2][kBatches];  // found in this step, painted in the next one
  int num_batches[2];
  bool are_last[2];
  std::uint32_t circles[kMaxWaiting];  // waiting circles that reach the subtile, a ring
  // Aligned, so that vector loads of one half never include the other, which is being written.
  alignas(16) std::uint32_t counts[2][kFinders];
};
static_assert(sizeof(Shared) <= 64 << 10, "of a block with compute capability 7.5");

__device__ void wait_for_finders() {
  asm volatile("bar.sync 1, %0;" ::"n"(32 * kFinders) : "memory");
}

__device__ float warp_product(float value) {
#pragma unroll
  for (int distance = 16; distance > 0; distance /= 2)
    value *= __shfl_xor_sync(kAllLanes, value, distance);
  return value;
}

/// kFinders warps find the batches of one subtile together.
class Finder {
 public:
  __device__ Finder(const BlendTilesArgs& args, const SubtilePosition& pixels, OverlapRun list,
                    int subtile, Shared& shared)
      : args_(args),
        pixels_(pixels),
        list_(list),
        subtile_(subtile),
        finder_(static_cast<int>(threadIdx.x / 32) - kPainters),
        shared_(shared) {
    fetch();
  }

  __device__ void find(int now) {
    while (num_waiting_ < kPortion && first_ < list_.count) filter_portion();
    wait_for_finders();
    const std::uint32_t some = min(num_waiting_, static_cast<std::uint32_t>(kPortion));
    const int num_batches = static_cast<int>((some + 31) / 32);
    for (int batch = finder_; batch < num_batches; batch += kFinders)
      make(shared_.batches[now][batch], head_ + batch * 32,
           min(32, static_cast<int>(some) - batch * 32));
    head_ += some;
    num_waiting_ -= some;
    if (finder_ == 0 && lane() == 0) {
      shared_.num_batches[now] = num_batches;
      shared_.are_last[now] = num_waiting_ == 0 && first_ >= list_.count;
    }
  }

 private:
  /// Appends the overlaps of the next portion that reach the subtile to the ring.
  __device__ void filter_portion() {
    Overlap overlaps[kWords];
#pragma unroll
    for (int k = 0; k < kWords; ++k) overlaps[k] = fetched_[k];
    first_ += kPortion;
    fetch();
    unsigned reaching[kWords];
    std::uint32_t count = 0;
#pragma unroll
    for (int k = 0; k < kWords; ++k) {
      reaching[k] = __ballot_sync(kAllLanes, (overlaps[k] >> subtile_ & 1) != 0);
      count += __popc(reaching[k]);
    }
    // Alternates, so that no warp overwrites counts that are still being read.
    std::uint32_t* const counts = shared_.counts[first_ / kPortion % 2];
    if (lane() == 0) counts[finder_] = count;
    wait_for_finders();
    std::uint32_t at = head_ + num_waiting_;
#pragma unroll
    for (int other = 0; other < kFinders; ++other) {
      if (other < finder_) at += counts[other];
      num_waiting_ += counts[other];
    }
#pragma unroll
    for (int k = 0; k < kWords; ++k) {
      if ((reaching[k] >> lane() & 1) != 0)
        shared_.circles[(at + num_before(reaching[k])) % kMaxWaiting] =
            overlaps[k] >> kOverlapCircleShift;
      at += __popc(reaching[k]);
    }
  }

  __device__ void fetch() {
#pragma unroll
    for (int k = 0; k < kWords; ++k) {
      const std::uint32_t i = first_ + (finder_ * kWords + k) * 32 + lane();
      fetched_[k] = i < list_.count ? args_.overlaps[list_.start + i] : 0;
    }
  }

  __device__ void make(Batch& batch, std::uint32_t first, int count) {
    Shape shape{0, 0, 0, 0};
    Paint paint{0, 0, 0, 0};
    if (lane() < count) {
      const std::uint32_t circle = shared_.circles[(first + lane()) % kMaxWaiting];
      shape = load_shape(args_.shapes + circle);
      paint = load_paint(args_.paints + circle);
    }
    const bool any_falloff = __any_sync(kAllLanes, has_falloff(paint));
    batch.paints[lane()] = paint;
    batch.discs[lane()] = {
        shape.x, shape.y, 0,
        any_falloff && shape.radius > 0 ? scalar::inverse_square(shape.radius) : 0};
    std::uint32_t covering[kGroups], reaches = 0;
    cover(shape, covering);
#pragma unroll
    for (int k = 0; k < kGroups; ++k) {
      batch.covering[k][lane()] = covering[k];
      if (__any_sync(kAllLanes, covering[k] != 0)) reaches |= 1u << k;
    }
    const float transmittance = warp_product(any_falloff ? 0 : 1.0f - paint.alpha);
    // Exceeds all rounding.
    if (lane() == 0) batch.summary = {transmittance * 0.99f, reaches};
  }

  /// Sets bit i of word k if lane i's circle covers the lane's pixel k.
  __device__ void cover(const Shape& shape, std::uint32_t (&covering)[kGroups]) const {
    const float r2 = shape.radius * shape.radius;
    const SubtileBox box(shape, pixels_, args_.grid);
    if (!__any_sync(kAllLanes, box.reaches && box.side() > BlendPolicy::kTestedSide)) {
      test_box<BlendPolicy::kTestedSide>(
          shape, box.reaches ? r2 : -1, box.reaches ? box.first_column : 0,
          box.reaches ? box.first_row : 0, pixels_, args_.grid, covering);
      transpose(covering);
    } else if (!__any_sync(kAllLanes, box.reaches && box.reach > kMaxSpanRadius)) {
      compute_spans(shape, box.reaches ? r2 : -1, box.reaches ? box.middle_x : 0, pixels_,
                    args_.grid, covering);
      transpose(covering);
    } else {
#pragma unroll
      for (int k = 0; k < kGroups; ++k) covering[k] = 0;
      for (int i = 0; i < 32; ++i) {
        const float x = __shfl_sync(kAllLanes, shape.x, i), y = __shfl_sync(kAllLanes, shape.y, i);
        const float i_r2 = __shfl_sync(kAllLanes, shape.radius > 0 ? r2 : -1, i);
        const float dx = x - pixels_.center_x;
#pragma unroll
        for (int k = 0; k < kGroups; ++k)
          if (scalar::squared_distance<ScalarLanes>(dx, y - pixels_.center_y[k]) <= i_r2)
            covering[k] |= 1u << i;
      }
    }
  }

  const BlendTilesArgs& args_;
  const SubtilePosition& pixels_;
  OverlapRun list_;
  int subtile_, finder_;
  Shared& shared_;
  std::uint32_t first_ = 0;                   // next index in the list
  std::uint32_t head_ = 0, num_waiting_ = 0;  // in the ring
  Overlap fetched_[kWords];                   // overlaps from first_ on
};

/// Composites onto one pixel for each lane.
class Painter {
 public:
  using State = StateOf<false>;

  __device__ Painter(const BlendTilesArgs& args, float center_x, float center_y, int group)
      : args_(args), center_x_(center_x), center_y_(center_y), group_(group) {}

  __device__ void paint(const Batch* batches, int count, State& state) const {
    const Batch::Summary summary = summary_of(batches, count);
    const bool all_stay_active = stay_active(state.transmittance, summary.transmittance);
    for (unsigned left = summary.reaches; left != 0; left &= left - 1) {
      const Batch& batch = batches[__ffs(left) - 1];
      const std::uint32_t covering =
          is_active(state.transmittance) ? batch.covering[group_][lane()] : 0;
      if (all_stay_active || stay_active(state.transmittance, batch.summary.transmittance))
        paint_all(batch, covering, state);
      else
        paint_one_by_one(batch, covering, state);
    }
  }

  __device__ static bool is_active(float transmittance) {
    return transmittance > scalar::kOpaqueTransmittance;
  }

 private:
  using L = ScalarLanes;

  /// Returns the product; bit b is set if batch b reaches the group.
  __device__ Batch::Summary summary_of(const Batch* batches, int count) const {
    static_assert(kBatches <= 32);
    Batch::Summary own{1, 0};
    if (lane() < count) own = batches[lane()].summary;
    return {warp_product(own.transmittance),
            __ballot_sync(kAllLanes, (own.reaches >> group_ & 1) != 0)};
  }

  /// True if no active pixel becomes opaque when light is multiplied by `behind`.
  __device__ static bool stay_active(float transmittance, float behind) {
    return !__any_sync(kAllLanes, is_active(transmittance) && !is_active(transmittance * behind));
  }

  /// Branch-free: alpha 0 outside the circle changes no bit. The dependent chain is one
  /// multiplication a circle; meanwhile the next paints load.
  __device__ static void paint_all(const Batch& batch, std::uint32_t covering, State& state) {
    constexpr int kStep = 8;
    Paint paints[kStep];
#pragma unroll
    for (int i = 0; i < kStep; ++i) paints[i] = batch.paints[i];
#pragma unroll 1
    for (int next = kStep; next <= 32; next += kStep, covering >>= kStep) {
#pragma unroll
      for (int i = 0; i < kStep; ++i) {
        const Paint paint = paints[i];
        paints[i] = batch.paints[(next + i) % 32];
        const float alpha = (covering >> i & 1) != 0 ? paint.alpha : 0;
        scalar::composite<L>(state, alpha, paint.red, paint.green, paint.blue);
      }
    }
  }

  __device__ void paint_one_by_one(const Batch& batch, std::uint32_t covering, State& state) const {
    for (std::uint32_t left = covering; left != 0 && is_active(state.transmittance);
         left &= left - 1) {
      const int i = __ffs(left) - 1;
      Paint paint = batch.paints[i];
      if (has_falloff(paint)) shade_falloff(batch, i, paint);
      scalar::composite<L>(state, paint.alpha, paint.red, paint.green, paint.blue);
    }
  }

  /// `paint` is the circle's first, then the pixel's.
  __device__ void shade_falloff(const Batch& batch, int i, Paint& paint) const {
    const float4 disc = batch.discs[i];
    const float dx = disc.x - center_x_, dy = disc.y - center_y_;
    const bool soft = is_soft(paint);
    paint.alpha = scalar::falloff_alpha<L>(dx * dx, dy * dy, disc.w, peak_alpha(paint), soft);
    paint.blue = soft ? fabsf(paint.blue) : 1;
    if (!soft)
      scalar::snow_color<L>(args_.ramp, (dx * dx + dy * dy) * disc.w, paint.red, paint.green);
  }

  const BlendTilesArgs& args_;
  float center_x_, center_y_;
  int group_;
};

/// Block (tile, subtile). Compositing is a dependent chain, which a warp does for 32 pixels.
/// Meanwhile other warps find which circles cover which pixels, so that the chain never waits for
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
  const SubtilePosition pixels(grid, tile_x, tile_y, subtile);

  const int warp = static_cast<int>(threadIdx.x / 32);
  const bool is_painter = warp < kPainters;
  // Warp w issues on the processor's quarter w % 4: the painters use different ones.
  const int group = warp % kGroups;
  const int x = pixels.x(), y = pixels.y(group);
  const std::size_t position = static_cast<std::size_t>(y) * grid.width + x;
  const bool is_inside = is_painter && x < grid.width && y < grid.height;
  Painter::State state{0, 0, 0, is_inside ? 1.0f : 0.0f};
  if (is_inside && !is_first_chunk) {
    const SavedPixel saved = args.states[position];
    state = {saved.red, saved.green, saved.blue, saved.transmittance};
  }
  const float center_y =
      scalar::pixel_center<ScalarLanes>(static_cast<float>(y), grid.s, grid.half_y);
  const Painter painter(args, pixels.center_x, center_y, group);
  Finder finder(args, pixels, list, subtile, shared);
  bool is_done = !is_painter, all_done = false, is_end = false;
  for (int step = 0; !all_done && !is_end; ++step) {
    const int now = step % 2, before = 1 - now;
    is_end = step > 0 && shared.are_last[before];
    if (!is_painter) {
      if (!is_end) finder.find(now);
    } else if (!is_done) {
      if (step > 0) painter.paint(shared.batches[before], shared.num_batches[before], state);
      is_done = !__any_sync(kAllLanes, Painter::is_active(state.transmittance));
    }
    all_done = __syncthreads_and(is_done);
  }
  if (is_inside) {
    if (all_done || args.is_last_chunk)
      SubtilePixels<false>::write_pixel(args, x, y, state);
    else
      args.states[position] = {state.red, state.green, state.blue, state.transmittance};
  }
  // Other tiles' blocks write to the word, too.
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
  launch(with_all_shared_memory<blend_long_lists_kernel>(), blocks, kThreads, sizeof(Shared), args,
         false, stream);
}

}  // namespace roundel::cuda
