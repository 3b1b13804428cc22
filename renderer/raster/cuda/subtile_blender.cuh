#pragma once
#include <type_traits>

#include "renderer/raster/cuda/area_blender.cuh"
#include "renderer/raster/cuda/blend_policy.cuh"
#include "renderer/raster/cuda/subtile_coverage.cuh"
#include "renderer/raster/cuda/subtile_pixels.cuh"
#include "renderer/raster/cuda/warp.cuh"

namespace roundel::cuda {

struct PlainScratch {
  float4 discs[32];  // x, y, r², 1/r² (solid with styles: hole_square())
  Paint paints[32];
  std::uint32_t are_whole[32];  // not 0: the circle covers the subtile
};

template <bool kArea>
struct WarpScratch : std::conditional_t<kArea, AreaScratch, PlainScratch> {
  /// Waiting overlaps, front to back: up to 31 and a portion.
  Overlap waiting[32 + 32 * BlendPolicy::kListWords];
};

/// Paints circles in batches of 32. All lanes of a warp call the functions. `kChoosesWay`: paints
/// each batch in the best way; else circle by circle, which is faster for few, since a kernel with
/// all ways waits for its instructions.
template <bool kArea, bool kStyled, bool kChoosesWay>
struct SubtileBlender {
  using Pixels = SubtilePixels<kStyled>;
  using L = ScalarLanes;
  using Policy = BlendPolicy;

  const Shape* shapes;  // [count], the chunk's
  const Paint* paints;
  const SnowRamp& ramp;
  const TileGrid& grid;
  WarpScratch<kArea>& scratch;
  int subtile;
  int num_waiting = 0;

  /// Paints the overlaps that reach the subtile; up to 31 wait for the next call unless `are_last`.
  /// Returns true if the subtile is done. The last ones share this code, since a kernel twice as
  /// long waits for its instructions; for few unlisted circles waiting() is faster.
  __device__ bool paint(Pixels& pixels, const Overlap* list, std::uint32_t count, bool are_last) {
    constexpr int kWords = Policy::kListWords, kPortion = 32 * kWords;
    list += lane();
    for (int left = static_cast<int>(count) - lane();; left -= kPortion, list += kPortion) {
      const bool is_end = left + lane() <= kPortion;
      Overlap overlaps[kWords];  // loads all before using one
#pragma unroll
      for (int k = 0; k < kWords; ++k) overlaps[k] = left > 32 * k ? list[32 * k] : 0;
#pragma unroll
      for (int k = 0; k < kWords; ++k) {
        const bool reaches = (overlaps[k] >> subtile & 1) != 0;
        const unsigned reaching = __ballot_sync(kAllLanes, reaches);
        if (reaches) scratch.waiting[num_waiting + num_before(reaching)] = overlaps[k];
        num_waiting += __popc(reaching);
      }
      __syncwarp();
      const int least = are_last && is_end ? 1 : 32;
      int done = 0;
      for (; num_waiting - done >= least; done += 32) {
        // By area the box comes before the batch takes registers; else reach_of() finds it, since
        // specks do not need it.
        const ActiveBox box = kArea ? pixels.active_box() : ActiveBox();
        paint(pixels, batch(done, min(num_waiting - done, 32)), box);
        if (pixels.is_done()) return true;
      }
      if (are_last && is_end) return pixels.is_done();
      if (done > 0) {
        const Overlap last = scratch.waiting[done + lane()];
        __syncwarp();
        scratch.waiting[lane()] = last;
        num_waiting -= done;
        __syncwarp();
      }
      if (is_end) return false;
    }
  }

  /// One circle for each lane; the last lane has the front one.
  struct Batch {
    Shape shape{0, 0, 0, 0};
    Paint paint{0, 0, 0, 0};
  };

  __device__ Batch waiting() const {
    return batch(0, num_waiting);
  }

  /// Pixels outside `box` are opaque.
  __device__ void paint(Pixels& pixels, const Batch& batch, const ActiveBox& box = {}) {
    if constexpr (kArea)
      AreaBlender<kStyled, kChoosesWay>(pixels, grid, ramp, scratch)
          .paint(batch.shape, batch.paint, box);
    else
      paint_plain_batch(pixels, batch.shape, batch.paint);
  }

 private:
  __device__ Batch batch(int first, int count) const {
    Batch some;
    if (const int i = 31 - lane(); i < count) {
      const std::uint32_t circle = scratch.waiting[first + i] >> kOverlapCircleShift;
      some.shape = load_shape(shapes + circle);
      some.paint = load_paint(paints + circle);
    }
    return some;
  }

  __device__ void paint_plain_batch(Pixels& pixels, const Shape& shape, const Paint& paint) {
    const float r2 = shape.radius * shape.radius;
    if constexpr (!kChoosesWay) {
      const Reach reach = reach_of(shape, paint, shape.radius > 0, pixels);
      const bool any_falloff =
          kStyled || __any_sync(kAllLanes, reach.reaches && has_falloff(paint));
      return paint_in_turn(pixels, shape, r2, paint, reach, any_falloff);
    }
    const SubtileBox box(shape, pixels, grid);
    const bool reaches = box.reaches;
    // Circles with styles are painted one by one, too.
    const bool any_falloff = kStyled || __any_sync(kAllLanes, reaches && has_falloff(paint));
    // Batches of several shaders, or with soft circles, for which a loop in paint_covering() slows
    // snow by a twelfth.
    const bool is_in_turn =
        !kStyled && any_falloff && __any_sync(kAllLanes, reaches && !is_snow(paint));
    std::uint32_t covering[kPixelsPerLane];
    if (!is_in_turn && !__any_sync(kAllLanes, reaches && box.side() > Policy::kTestedSide)) {
      store_for_covering(shape, r2, paint, any_falloff);
      const int column = reaches ? box.first_column : 0, row = reaches ? box.first_row : 0;
      if (!__any_sync(kAllLanes, reaches && box.side() > Policy::kShorterTestedSide))
        test_box<Policy::kShorterTestedSide>(shape, reaches ? r2 : -1, column, row, pixels, grid,
                                             covering);
      else
        test_box<Policy::kTestedSide>(shape, reaches ? r2 : -1, column, row, pixels, grid,
                                      covering);
      transpose(covering);
      paint_covering(pixels, covering, any_falloff);
      return;
    }
    // Large circles: one by one, unless spans are faster.
    const Reach reach = reach_of(shape, paint, reaches, pixels);
    const int num_reaching = __popc(__ballot_sync(kAllLanes, reach.reaches));
    const int num_whole = __popc(__ballot_sync(kAllLanes, reach.is_whole));
    const bool has_large =
        __any_sync(kAllLanes, reach.reaches && !reach.is_whole && box.reach > kMaxSpanRadius);
    if (!has_large && !is_in_turn && (any_falloff || 4 * num_whole < num_reaching)) {
      store_for_covering(shape, r2, paint, any_falloff);
      compute_spans(shape, reach.reaches ? r2 : -1, reach.reaches ? box.middle_x : 0, pixels, grid,
                    covering);
      // May be too large for exact spans.
      if (reach.is_whole)
#pragma unroll
        for (int k = 0; k < kPixelsPerLane; ++k) covering[k] = ~0u;
      transpose(covering);
      paint_covering(pixels, covering, any_falloff);
      return;
    }
    paint_in_turn(pixels, shape, r2, paint, reach, any_falloff);
  }

  /// Whether the circle covers active pixels, and whether it covers all of them.
  struct Reach {
    bool reaches, is_whole;
  };
  __device__ Reach reach_of(const Shape& shape, const Paint& paint, bool may_reach,
                            const Pixels& pixels) const {
    const PixelRect rect = pixels.active_box().rect(pixels);
    bool reaches = may_reach && may_cover(shape, rect, grid);
    if (kStyled && inner_radius(shape, paint) > 0)
      reaches = reaches && !covers_all({shape.x, shape.y, 0, shape.z}, rect, grid);
    return {reaches, reaches && covers_all(shape, rect, grid)};
  }

  __device__ void paint_in_turn(Pixels& pixels, const Shape& shape, float r2, const Paint& paint,
                                const Reach& reach, bool any_falloff) {
    const unsigned reaching = __ballot_sync(kAllLanes, reach.reaches);
    // Without gaps, for a short loop.
    const int position = __popc(reaching >> lane() >> 1);
    scratch.are_whole[lane()] = 0;
    __syncwarp();
    if (reach.reaches) {
      store(position, shape, r2, paint, any_falloff);
      scratch.are_whole[position] = reach.is_whole;
    }
    __syncwarp();
    const unsigned whole_ones = __ballot_sync(kAllLanes, scratch.are_whole[lane()] != 0);
    if (any_falloff)
      paint_falloff_by_circle(pixels, __popc(reaching));
    else
      paint_by_circle(pixels, __popc(reaching), whole_ones);
    __syncwarp();
  }

  __device__ void store(int i, const Shape& shape, float r2, const Paint& paint, bool any_falloff) {
    float last = any_falloff ? scalar::inverse_square(shape.radius) : 0;
    if (kStyled && !has_falloff(paint)) last = hole_square(shape, paint);
    scratch.discs[i] = {shape.x, shape.y, r2, last};
    scratch.paints[i] = paint;
  }

  /// Stores the lane's circle. Without styles snow needs its peak, but no paint or r².
  __device__ void store_for_covering(const Shape& shape, float r2, const Paint& paint,
                                     bool any_falloff) {
    if (!kStyled && any_falloff)
      scratch.discs[lane()] = {shape.x, shape.y, peak_alpha(paint),
                               scalar::inverse_square(shape.radius)};
    else
      store(lane(), shape, r2, paint, any_falloff);
  }

  /// Circle by circle, each lane paints its covered pixels. Bit i of `whole`: circle i covers the
  /// subtile.
  __device__ void paint_by_circle(Pixels& pixels, int count, unsigned whole) {
    int i = pixels.paint_alike(scratch.paints, count, whole);
    while (i < count) {
      if (i >= Policy::kFirstPoll && pixels.is_done()) return;
      const int end = min(i + Policy::kPollInterval, count);
      while (i < end) {
        for (; i < end && (whole & 1) != 0; ++i, whole >>= 1) {
          const Paint paint = scratch.paints[i];
#pragma unroll
          for (int k = 0; k < kPixelsPerLane; ++k)
            if (pixels.is_active(k)) blend_solid(pixels.state[k], paint);
        }
        if (i == end) break;
        const Paint paint = scratch.paints[i];
        const float4 disc = scratch.discs[i];
        const float dx = disc.x - pixels.center_x;
#pragma unroll
        for (int k = 0; k < kPixelsPerLane; ++k) {
          const float d2 = scalar::squared_distance<L>(dx, disc.y - pixels.center_y[k]);
          if (d2 <= disc.z && pixels.is_active(k)) blend_solid(pixels.state[k], paint);
        }
        ++i;
        whole >>= 1;
      }
    }
  }

  /// paint_by_circle() with falloff.
  __device__ void paint_falloff_by_circle(Pixels& pixels, int count) {
    pixels.are_alike = false;
    for (int i = 0; i < count; ++i) {
      const float4 disc = scratch.discs[i];
      const float dx = disc.x - pixels.center_x;
#pragma unroll
      for (int k = 0; k < kPixelsPerLane; ++k) {
        const float dy = disc.y - pixels.center_y[k];
        if (scalar::squared_distance<L>(dx, dy) <= disc.z && pixels.is_active(k))
          blend(pixels.state[k], dx * dx, dy * dy, disc.w, scratch.paints[i]);
      }
    }
  }

  __device__ void paint_covering(Pixels& pixels, std::uint32_t covering[kPixelsPerLane],
                                 bool any_falloff) {
    pixels.are_alike = false;
    __syncwarp();
    if (any_falloff) {
#pragma unroll
      for (int k = 0; k < kPixelsPerLane; ++k) {
        for (std::uint32_t left = covering[k]; (left != 0) & pixels.is_active(k);) {
          const int i = front_bit(left);
          left ^= 1u << i;
          const float4 disc = scratch.discs[i];
          const float dx = disc.x - pixels.center_x, dy = disc.y - pixels.center_y[k];
          if constexpr (kStyled)
            blend(pixels.state[k], dx * dx, dy * dy, disc.w, scratch.paints[i]);
          else
            blend_falloff(pixels.state[k], dx * dx, dy * dy, disc.w, disc.z, Paint(), false);
        }
      }
    } else {
#pragma unroll
      for (int k = 0; k < kPixelsPerLane; ++k)
        for (std::uint32_t left = covering[k]; (left != 0) & pixels.is_active(k);) {
          const int i = front_bit(left);
          left ^= 1u << i;
          blend_solid(pixels.state[k], scratch.paints[i]);
        }
    }
    __syncwarp();
  }

  __device__ static void blend_solid(typename Pixels::State& state, const Paint& paint) {
    scalar::composite<L>(state, mode_paint<kStyled>(paint), paint.alpha);
  }
  __device__ void blend_falloff(typename Pixels::State& state, float dx2, float dy2,
                                float inverse_r2, float peak_alpha, const Paint& paint,
                                bool soft) const {
    scalar::ModePaint<L> shown = mode_paint<kStyled>(paint);
    shown.blue = soft ? fabsf(shown.blue) : 1;
    if (!soft) scalar::snow_color<L>(ramp, (dx2 + dy2) * inverse_r2, shown.red, shown.green);
    scalar::composite<L>(state, shown,
                         scalar::falloff_alpha<L>(dx2, dy2, inverse_r2, peak_alpha, soft));
  }
  /// `last`: fourth number of the circle's disc.
  __device__ void blend(typename Pixels::State& state, float dx2, float dy2, float last,
                        const Paint& paint) const {
    if (has_falloff(paint))
      return blend_falloff(state, dx2, dy2, last, peak_alpha(paint), paint, is_soft(paint));
    if (kStyled && dx2 + dy2 <= last) return;  // in the hole
    blend_solid(state, paint);
  }
};

}  // namespace roundel::cuda
