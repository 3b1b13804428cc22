#pragma once
#include "renderer/raster/cuda/area_pass.cuh"
#include "renderer/raster/cuda/area_shares.cuh"
#include "renderer/raster/cuda/blend_policy.cuh"
#include "renderer/raster/cuda/subtile_pixels.cuh"
#include "renderer/raster/cuda/warp.cuh"

/// Paints a batch of circles with coverage by area, by a warp.
namespace roundel::cuda {

/// `kChoosesWay`: paints each batch in the best of several ways; else circle by circle.
template <bool kStyled, bool kChoosesWay>
class AreaBlender {
 public:
  using Pixels = SubtilePixels<kStyled>;

  __device__ AreaBlender(Pixels& pixels, const TileGrid& grid, const SnowRamp& ramp,
                         AreaScratch& scratch)
      : pixels_(pixels), grid_(grid), ramp_(ramp), scratch_(scratch) {}

  /// Paints one circle for each lane; lanes without one have radius 0. Pixels outside `box` are
  /// opaque.
  __device__ void paint(const Shape& shape, const Paint& paint, const ActiveBox& box) {
    const Disc disc = scalar::area_disc<Area>(shape.x, shape.y, shape.radius, grid_.scale);
    bool is_whole = false;
    bool reaches = shape.radius > 0 && reaches_box(box, shape, disc, is_whole);
    const bool has_hole = kStyled && inner_radius(shape, paint) > 0;
    if (has_hole) {
      reaches = reaches && !is_in_hole(box, shape);
      is_whole = false;
    }
    unsigned reaching = __ballot_sync(kAllLanes, reaches);
    const unsigned whole = __ballot_sync(kAllLanes, reaches && is_whole);
    if (reaching == 0) return;
    if (kChoosesWay && !__any_sync(kAllLanes, reaches && (disc.radius > kMaxSpeckRadius ||
                                                          disc.radius < Area::kMinRadius ||
                                                          has_falloff(paint) || has_hole))) {
      paint_specks(disc, reaches, paint);
      return;
    }
    const bool falls_off = has_falloff(paint);
    has_falloff_ = __any_sync(kAllLanes, reaches && falls_off);
    has_extreme_ = __any_sync(
        kAllLanes, reaches && (AreaEdge::is_extreme(disc.radius) ||
                               (has_hole && AreaEdge::is_extreme(shape.z * grid_.scale))));
    // Batches with falloff, or in which few circles cover the subtile, are painted by each lane for
    // its own pixels.
    const bool is_by_pixel = kChoosesWay && (has_falloff_ || 4 * __popc(whole) < __popc(reaching));
    // Circle by circle, the other circles are stored without gaps, front to back.
    const bool is_plain = !is_by_pixel && is_whole && !falls_off;
    if (!kStyled && !is_by_pixel) {
      const bool is_seen = !is_hidden(reaches && is_plain ? 1 - paint.alpha : 1);
      reaches = reaches && is_seen;
      reaching = __ballot_sync(kAllLanes, reaches);
    }
    const unsigned others = __ballot_sync(kAllLanes, reaches && !is_plain);
    const int number = is_by_pixel ? lane() : __popc(others >> lane() >> 1);
    __syncwarp();
    if (is_by_pixel || (reaches && !is_plain)) {
      scratch_.discs[number] = {disc.x, disc.y, disc.radius, disc.r2};
      scratch_.factors[number] = {disc.arc, disc.bend,
                                  falls_off  ? -scalar::inverse_square(shape.radius)
                                  : has_hole ? shape.z
                                             : 0,
                                  shape.radius};
      scratch_.centers[number] = {shape.x, shape.y};
    }
    if (is_by_pixel) {
      scratch_.paints[lane()] = paint;
      paint_by_pixel(disc, has_hole ? shape.z * grid_.scale : 0, reaches, is_whole);
    } else {
      const int position = __popc(reaching >> lane() >> 1);
      scratch_.deferred[lane()] = 0;
      __syncwarp();
      if (reaches) {
        scratch_.paints[position] = paint;
        scratch_.deferred[position] = is_plain;
        if (!is_plain) scratch_.positions[number] = position;
      }
      __syncwarp();
      const unsigned plain = __ballot_sync(kAllLanes, scratch_.deferred[lane()] != 0);
      paint_by_circle(__popc(reaching), plain, __popc(others));
    }
    __syncwarp();
  }

 private:
  using L = ScalarLanes;
  using Area = AreaLanes;
  using Disc = scalar::AreaDisc<Area>;
  using Span = scalar::AreaSpan<Area>;
  using Pass = AreaPass<kStyled>;

  static constexpr float kMaxSpeckRadius = 1.25f;  ///< pixels
  /// At higher transmittances few circles are hidden.
  static constexpr float kMaxHidingTransmittance = 0x1p-8f;
  static_assert(BlendPolicy::kMaxShares >= kSubtileWidth * kSubtileHeight, "a circle's");

  /// Paints solid specks: each lane finds the shares of its speck's pixels, then paints its own
  /// pixels.
  __device__ void paint_specks(const Disc& disc, bool reaches, const Paint& paint) {
    const float middle_x = floorf(disc.x), middle_y = floorf(disc.y);
    __syncwarp();
#pragma unroll
    for (int k = 0; k < kPixelsPerLane; ++k) scratch_.specks.coverage[k * 32 + lane()] = 0;
    scratch_.paints[lane()] = paint;
    __syncwarp();
    if (reaches) {
      const int2 middle{static_cast<int>(middle_x - left()), static_cast<int>(middle_y - bottom())};
      scratch_.specks.first_pixels[lane()] = middle.x - 2 + kSpeckSide * (middle.y - 2);
      const SpeckLines x(disc.x, middle_x, disc.radius), y(disc.y, middle_y, disc.radius);
#pragma unroll
      for (int dy = -2; dy <= 2; ++dy) {
#pragma unroll
        for (int dx = -2; dx <= 2; ++dx) {
          if (dx * dx + dy * dy > 5) continue;  // its corner is too far away
          const Span span_x = x.span(dx), span_y = y.span(dy);
          // Few circles reach these.
          if (dx * dx + dy * dy >= 4 && !scalar::is_touched<Area>(disc, span_x, span_y)) continue;
          const float area = dy != 0
                                 ? x.area(disc, dx, y.side(dy > 0 ? 1 : 0, dy > 0 ? dy : -dy))
                                 : x.area(disc, dx, y.side(0, 0)) + x.area(disc, dx, y.side(1, 0));
          const float share = scalar::share_of_area<Area>(disc, span_x, span_y, area);
          const int column = middle.x + dx, row = middle.y + dy;
          scratch_.specks.shares[dx + 2 + kSpeckSide * (dy + 2)][lane()] = share;
          if (share > 0 && column >= 0 && column < kSubtileWidth && row >= 0 &&
              row < kSubtileHeight)
            atomicOr(&scratch_.specks.coverage[row * kSubtileWidth + column], 1u << lane());
        }
      }
    }
    __syncwarp();
    pixels_.are_alike = false;
    const int column = lane() % kSubtileWidth;
#pragma unroll
    for (int k = 0; k < kPixelsPerLane; ++k) {
      const int pixel = column + kSpeckSide * (lane() / kSubtileWidth + k * kRowStep);
      std::uint32_t left = scratch_.specks.coverage[k * 32 + lane()];
      while (left != 0 && pixels_.is_active(k)) {
        const int i = front_bit(left);
        left ^= 1u << i;
        const float share = scratch_.specks.shares[pixel - scratch_.specks.first_pixels[i]][i];
        const Paint of_speck = scratch_.paints[i];
        scalar::composite<L>(pixels_.state[k], mode_paint<kStyled>(of_speck),
                             of_speck.alpha * share);
      }
    }
    __syncwarp();
  }

  /// The subtile's edges in pixels of the whole image: exact.
  __device__ float left() const {
    return static_cast<float>(pixels_.x0) + grid_.origin_x();
  }
  __device__ float bottom() const {
    return static_cast<float>(pixels_.y0) + grid_.origin_y();
  }

  __device__ AreaShares<kStyled> edge_shares() {
    return {grid_, scratch_, left(), bottom(), has_extreme_};
  }

  __device__ bool reaches_box(const ActiveBox& box, const Shape& shape, const Disc& disc,
                              bool& is_whole) const {
    if (disc.radius > scalar::kMaxAreaRadius) {
      const PixelRect rect = box.rect(pixels_);
      is_whole = covers_all(shape, rect, grid_);
      return may_cover(shape, rect, grid_);
    }
    // Rounding is monotonic: no pixel of the box has nearer or farther edges.
    const AreaSpans spans(box, left(), bottom(), disc);
    is_whole = scalar::is_all_covered<Area>(disc, spans.x, spans.y);
    return scalar::is_touched<Area>(disc, spans.x, spans.y);
  }

  /// True only if the circles in front of the lane's stop all light. `factor`: upper bound of the
  /// share that the lane's circle lets through.
  __device__ bool is_hidden(float factor) const {
    float most = 0;
#pragma unroll
    for (int k = 0; k < kPixelsPerLane; ++k)
      most = fmaxf(most, scalar::max_transmittance<L>(pixels_.state[k]));
    most = __uint_as_float(warp_max(__float_as_uint(most)));
    if (most > kMaxHidingTransmittance) return false;
    float in_front = __shfl_down_sync(kAllLanes, factor, 1);
    if (lane() == 31) in_front = 1;
    for (int distance = 1; distance < 32; distance *= 2) {
      const float other = __shfl_down_sync(kAllLanes, in_front, distance);
      if (lane() + distance < 32) in_front *= other;
    }
    // Exceeds the products' rounding.
    return most * in_front * 1.0001f <= scalar::kOpaqueTransmittance;
  }

  __device__ bool is_in_hole(const ActiveBox& box, const Shape& shape) const {
    const Disc hole = scalar::area_disc<Area>(shape.x, shape.y, shape.z, grid_.scale);
    const AreaSpans spans(box, left(), bottom(), hole);
    return hole.radius <= scalar::kMaxAreaRadius &&
           scalar::is_all_covered<Area>(hole, spans.x, spans.y);
  }

  /// Each lane paints its pixels with the circles that touch them. The arguments are the lane's
  /// circle, and its hole's radius in pixels, or 0.
  __device__ void paint_by_pixel(const Disc& disc, float hole, bool reaches, bool is_whole) {
    // For each pixel, a bit for each circle.
    std::uint32_t touching[kPixelsPerLane], inside[kPixelsPerLane];
    const AreaRows rows(disc.x, disc.y, disc.radius, left(), bottom());
#pragma unroll
    for (int k = 0; k < kPixelsPerLane; ++k) {
      touching[k] = inside[k] = is_whole ? ~0u : 0;
      if (reaches && !is_whole) rows.find(2 * k, touching[k], inside[k]);
    }
    if (kStyled && hole > 0) {
      const AreaRows of_hole(disc.x, disc.y, hole, left(), bottom());
#pragma unroll
      for (int k = 0; k < kPixelsPerLane; ++k) of_hole.subtract_hole(2 * k, touching[k], inside[k]);
    }
    transpose(touching);
    transpose(inside);
#pragma unroll
    for (int k = 0; k < kPixelsPerLane; ++k) {
      if (!pixels_.is_active(k)) touching[k] = 0;
      inside[k] &= touching[k];
    }
    // Mostly all 32 circles at once; else as many as fit.
    for (int left = 32, size = 0; left > 0; left -= size) {
      std::uint32_t group = 0, count = 0;
      for (size = left;; size /= 2) {
        group = ~0u >> (32 - size) << (left - size);
        count = 0;
#pragma unroll
        for (int k = 0; k < kPixelsPerLane; ++k) count += __popc((touching[k] ^ inside[k]) & group);
        if (warp_sum(count) <= BlendPolicy::kMaxShares) break;
      }
      // A lane's edges are contiguous, its first pixel's first, front to back.
      const std::uint32_t up_to_here = warp_inclusive_sum(count);
      std::uint32_t at = up_to_here - count;
#pragma unroll
      for (int k = 0; k < kPixelsPerLane; ++k)
        for (std::uint32_t edges = (touching[k] ^ inside[k]) & group; edges != 0;) {
          const int circle = front_bit(edges);
          edges ^= 1u << circle;
          scratch_.shares[at++] = AreaEdge::numbers(circle, k * 32 + lane());
        }
      edge_shares().template compute<true>(__shfl_sync(kAllLanes, up_to_here, 31));
      if (has_falloff_)
        blend_pixels<true>(touching, inside, group, up_to_here - count);
      else
        blend_pixels<false>(touching, inside, group, up_to_here - count);
      __syncwarp();
    }
  }

  /// Paints the lane's pixels with touching circles of `group`.
  template <bool kHasFalloff>
  __device__ void blend_pixels(const std::uint32_t (&touching)[kPixelsPerLane],
                               const std::uint32_t (&inside)[kPixelsPerLane], std::uint32_t group,
                               std::uint32_t first_share) {
    pixels_.are_alike = false;
    float2 first_center{};
    if (kHasFalloff) first_center = pixels_.first_center(grid_);
#pragma unroll
    for (int k = 0; k < kPixelsPerLane; ++k) {
      std::uint32_t left = touching[k] & group;
      SharedNumbers shares(scratch_.shares + first_share);
      first_share += __popc(left & ~inside[k]);
      while ((left != 0) & pixels_.is_active(k)) {
        const int circle = front_bit(left);
        const std::uint32_t bit = 1u << circle;
        left ^= bit;
        float share = 1;
        shares.take_if(~inside[k] & bit, share);
        const Paint paint = scratch_.paints[circle];
        if (kHasFalloff && has_falloff(paint))
          blend_falloff(paint, circle, k, first_center, share);
        else
          blend_solid(paint, k, share);
      }
    }
  }

  /// `count` circles, front to back: those in `plain` cover the subtile, num_others do not.
  __device__ void paint_by_circle(int count, unsigned plain, int num_others) {
    int i = pixels_.paint_alike(scratch_.paints, count, plain);
    std::uint32_t whole = __brev(plain);  // the sign is the next circle's bit
    for (int other = 0; i < count;) {
      int end = min(other + Pass::kMaxPassCircles, num_others);
      Pass pass(edge_shares(), pixels_, other, end);
      const int pass_end = end < num_others ? scratch_.positions[end] : count;
      for (int circle = other; i < pass_end;) {
        // In groups, so that a circle takes few branches.
        const int group_end = min(i + BlendPolicy::kAreaPollInterval, pass_end);
        do {
          const Paint paint = scratch_.paints[i++];
          const bool is_whole = static_cast<int>(whole) < 0;
          whole <<= 1;
          if (is_whole) {
            blend_whole(paint);
          } else {
            float shares[kPixelsPerLane];
            pass.take_shares(shares);
            blend_shares(paint, circle++, shares);
          }
        } while (i < group_end);
        if (pixels_.is_done()) return;
      }
      other = end;
      __syncwarp();
    }
  }

  __device__ void blend_whole(const Paint& paint) {
#pragma unroll
    for (int k = 0; k < kPixelsPerLane; ++k)
      if (pixels_.is_active(k))
        scalar::composite<L>(pixels_.state[k], mode_paint<kStyled>(paint), paint.alpha);
  }

  __device__ void blend_shares(const Paint& paint, int circle,
                               const float (&shares)[kPixelsPerLane]) {
    if (!kChoosesWay && has_falloff_ && has_falloff(paint)) {
      const float2 first_center = pixels_.first_center(grid_);
#pragma unroll
      for (int k = 0; k < kPixelsPerLane; ++k)
        if (pixels_.is_active(k)) blend_falloff(paint, circle, k, first_center, shares[k]);
    } else {
#pragma unroll
      for (int k = 0; k < kPixelsPerLane; ++k)
        if (pixels_.is_active(k)) blend_solid(paint, k, shares[k]);
    }
  }

  __device__ void blend_solid(const Paint& paint, int k, float share) {
    // Without styles a share of 0 changes no bit.
    if (!kStyled || share > 0)
      scalar::composite<L>(pixels_.state[k], mode_paint<kStyled>(paint), paint.alpha * share);
  }

  /// `first_center`: see SubtilePosition.
  __device__ void blend_falloff(const Paint& paint, int circle, int k, const float2& first_center,
                                float share) {
    if (!(share > 0)) return;
    scalar::ModePaint<L> shown = mode_paint<kStyled>(paint);
    const float y =
        scalar::pixel_center<L>(static_cast<float>(k * kRowStep), grid_.s, first_center.y);
    float3 shade;
    if (is_soft(paint)) {
      shade =
          shade_area_falloff<true>(ramp_, scratch_, circle, peak_alpha(paint), first_center.x, y);
      shown.blue = fabsf(shown.blue);
    } else {
      shade =
          shade_area_falloff<false>(ramp_, scratch_, circle, peak_alpha(paint), first_center.x, y);
      shown.red = shade.x;
      shown.green = shade.y;
      shown.blue = 1;
    }
    scalar::composite<L>(pixels_.state[k], shown, shade.z * share);
  }
  Pixels& pixels_;
  const TileGrid& grid_;
  const SnowRamp& ramp_;
  AreaScratch& scratch_;
  bool has_falloff_ = false, has_extreme_ = false;  // for circles that reach the subtile
};

}  // namespace roundel::cuda
