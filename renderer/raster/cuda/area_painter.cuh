#pragma once
#include "renderer/raster/cuda/blend_policy.cuh"
#include "renderer/raster/cuda/subtile_coverage.cuh"
#include "renderer/raster/cuda/subtile_pixels.cuh"
#include "renderer/raster/cuda/warp.cuh"

/// How a warp paints a batch of circles that cover shares of its subtile's pixels. Device code
/// only.
namespace roundel::cuda {

/// Around the pixel of a speck's centre it may cover those up to two away.
inline constexpr int kSpeckSide = 5;

/// A warp's part of shared memory: a batch of circles.
struct AreaScratch {
  Paint paints[32];
  union {
    struct {
      float4 discs[32];    ///< in pixels: x, y, radius, its square
      float4 factors[32];  ///< AreaDisc's arc and bend; of snow 1/r², of rings the hole's radius;
                           ///< r: in frame space
      float2 centers[32];  ///< in frame space
      /// Of circles and pixels that they may cover in part: both their numbers, then the shares. A
      /// lane's are side by side, those of its first pixel first, front to back.
      std::uint32_t shares[BlendPolicy::kMostShares];
      std::uint16_t late_shares[BlendPolicy::kMostShares];  ///< of these, that take longer
    };
    struct {
      float shares[kSpeckSide * kSpeckSide][32];  ///< row by row
      int first_pixels[32];  ///< x + kSpeckSide · y of those at the lower left, in the subtile
      std::uint32_t coverage[kSubtileWidth * kSubtileHeight];  ///< bit i: speck i covers it
    } specks;
  };
};

/// `kHasSpecks`: many may be small, for which there is a quicker way.
template <bool kLooks, bool kHasSpecks>
class AreaPainter {
 public:
  using Pixels = SubtilePixels<kLooks>;

  __device__ AreaPainter(Pixels& pixels, const TileGrid& grid, const SnowRamp& ramp,
                         AreaScratch& scratch)
      : pixels_(pixels), grid_(grid), ramp_(ramp), scratch_(scratch) {}

  /// Paints the lanes' circles; those without a radius are none.
  __device__ void paint(const Shape& shape, const Paint& paint) {
    const Disc disc = scalar::area_disc<L>(shape.x, shape.y, shape.radius, grid_.scale);
    bool is_whole = false;
    bool reaches = shape.radius > 0 && reaches_subtile(shape, disc, is_whole);
    const bool has_hole = kLooks && inner_radius(shape, paint) > 0;
    if (has_hole) {
      reaches = reaches && !is_in_hole(shape);
      is_whole = false;
    }
    const unsigned reaching = __ballot_sync(kAllLanes, reaches);
    const unsigned whole = __ballot_sync(kAllLanes, reaches && is_whole);
    if (reaching == 0) return;
    if (kHasSpecks && !__any_sync(kAllLanes, reaches && (disc.radius > kLargestSpeck ||
                                                         is_snow(paint) || has_hole))) {
      paint_specks(disc, reaches, paint);
      return;
    }
    __syncwarp();
    scratch_.discs[lane()] = {disc.x, disc.y, disc.radius, disc.r2};
    scratch_.factors[lane()] = {disc.arc, disc.bend,
                                is_snow(paint) ? scalar::inverse_square(shape.radius)
                                : has_hole     ? shape.z
                                               : 0,
                                shape.radius};
    scratch_.centers[lane()] = {shape.x, shape.y};
    scratch_.paints[lane()] = paint;
    find_pixels(disc, reaches, is_whole, has_hole);
    __syncwarp();
    // All at once, mostly; else as many as there is room for shares in any case.
    const bool is_crowded = num_shares(~0u) > BlendPolicy::kMostShares;
    for (std::uint32_t left = reaching, group = is_crowded ? kLeastGroup : ~0u; left != 0;
         left &= ~group, group >>= kCirclesOfLeastGroup) {
      compute_shares(group);
      if (4 * __popc(whole) < __popc(reaching))
        paint_by_pixel(group);
      else
        paint_by_circle(left & group, whole, group);
      __syncwarp();
    }
  }

 private:
  using L = ScalarLanes;
  using Disc = scalar::AreaDisc<L>;
  using Span = scalar::AreaSpan<L>;

  static constexpr float kLargestSpeck = 1.25f;  ///< pixels
  static constexpr int kCirclesOfLeastGroup =
      BlendPolicy::kMostShares / (kSubtileWidth * kSubtileHeight);
  static constexpr std::uint32_t kLeastGroup = ~0u << (32 - kCirclesOfLeastGroup);

  /// Along one axis the grid lines next to a speck's centre, on its low and on its high side, and
  /// half the chords there; the first one is the centre's own, the last one is outside.
  struct Lines {
    float places[2][4], chords[2][4];

    __device__ Lines(float center, float pixel, float radius) {
#pragma unroll
      for (int line = 0; line < 4; ++line) {
        const float beyond = static_cast<float>(line);
        places[0][line] = line == 0 ? 0.0f : center - (pixel - (beyond - 1));
        places[1][line] = line == 0 ? 0.0f : (pixel + beyond) - center;
#pragma unroll
        for (int side = 0; side < 2; ++side)
          chords[side][line] = line == 3 ? 0 : scalar::half_chord<L>(radius, places[side][line]);
      }
    }
    /// Between lines `line` and `line` + 1 on a side.
    __device__ scalar::AreaSide<L> side(int which, int line) const {
      return {places[which][line], places[which][line + 1], chords[which][line],
              chords[which][line + 1]};
    }
    /// Of the pixel that is so far from the centre's.
    __device__ Span span(int distance) const {
      if (distance == 0) return {0, L::max(places[0][1], places[1][1]), 0};
      const int which = distance > 0 ? 1 : 0, line = distance > 0 ? distance : -distance;
      return {places[which][line], places[which][line + 1], 0};
    }
  };

  /// Of column dx within one side of a row; added up as scalar::area_share() does.
  __device__ static float area_of(const Disc& disc, const Lines& x, int dx,
                                  const scalar::AreaSide<L>& side) {
    if (dx != 0)
      return scalar::area_in_rectangle<L>(disc, x.side(dx > 0 ? 1 : 0, dx > 0 ? dx : -dx), side);
    return scalar::area_in_rectangle<L>(disc, x.side(0, 0), side) +
           scalar::area_in_rectangle<L>(disc, x.side(1, 0), side);
  }

  /// Paints the lanes' circles where all are specks of one colour: a lane a circle finds its
  /// pixels' shares, then a lane a pixel takes those of the circles that cover it.
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
      const Lines x(disc.x, middle_x, disc.radius), y(disc.y, middle_y, disc.radius);
#pragma unroll
      for (int dy = -2; dy <= 2; ++dy) {
#pragma unroll
        for (int dx = -2; dx <= 2; ++dx) {
          if (dx * dx + dy * dy > 5) continue;  // its corner is too far away
          const Span span_x = x.span(dx), span_y = y.span(dy);
          // Few circles come as far.
          if (dx * dx + dy * dy >= 4 &&
              !(disc.r2 > span_x.near * span_x.near + span_y.near * span_y.near))
            continue;
          const float area =
              dy != 0 ? area_of(disc, x, dx, y.side(dy > 0 ? 1 : 0, dy > 0 ? dy : -dy))
                      : area_of(disc, x, dx, y.side(0, 0)) + area_of(disc, x, dx, y.side(1, 0));
          const float share = scalar::share_of_area<L>(disc, span_x, span_y, area);
          const int column = middle.x + dx, row = middle.y + dy;
          scratch_.specks.shares[dx + 2 + kSpeckSide * (dy + 2)][lane()] = share;
          if (share > 0 && column >= 0 && column < kSubtileWidth && row >= 0 &&
              row < kSubtileHeight)
            atomicOr(&scratch_.specks.coverage[row * kSubtileWidth + column], 1u << lane());
        }
      }
    }
    __syncwarp();
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
        scalar::composite<L>(pixels_.state[k], mode_paint<kLooks>(of_speck),
                             of_speck.alpha * share);
      }
    }
    __syncwarp();
  }

  /// Of the subtile, in pixels of the whole image: exact.
  __device__ float left() const {
    return static_cast<float>(pixels_.x0) + grid_.origin_x();
  }
  __device__ float bottom() const {
    return static_cast<float>(pixels_.y0) + grid_.origin_y();
  }

  /// From `edge` on, `count` pixels.
  __device__ static Span span_of(float edge, float count, float center) {
    return scalar::area_span<L>(edge - center, (edge + count) - center);
  }

  __device__ bool reaches_subtile(const Shape& shape, const Disc& disc, bool& is_whole) const {
    if (disc.radius > scalar::kLargestAreaRadius) {
      const PixelRect rect{pixels_.x0, pixels_.y0, pixels_.x0 + kSubtileWidth - 1,
                           pixels_.y0 + kSubtileHeight - 1};
      is_whole = covers_all(shape, rect, grid_);
      return may_cover(shape, rect, grid_);
    }
    // Rounding is monotonic: no pixel of the subtile has nearer or farther edges.
    const Span x = span_of(left(), kSubtileWidth, disc.x);
    const Span y = span_of(bottom(), kSubtileHeight, disc.y);
    is_whole = scalar::is_all_covered<L>(disc, x, y);
    return disc.r2 > x.near * x.near + y.near * y.near;
  }

  /// All of the subtile lies in the hole of a ring.
  __device__ bool is_in_hole(const Shape& shape) const {
    const Disc hole = scalar::area_disc<L>(shape.x, shape.y, shape.z, grid_.scale);
    return hole.radius <= scalar::kLargestAreaRadius &&
           scalar::is_all_covered<L>(hole, span_of(left(), kSubtileWidth, hole.x),
                                     span_of(bottom(), kSubtileHeight, hole.y));
  }

  /// Columns ⌈first⌉ to ⌊last⌋ of the subtile, a bit each.
  __device__ static std::uint32_t columns(float first, float last) {
    const int low = __float2int_ru(fmaxf(first, 0.0f));
    const int high = __float2int_rd(fminf(last, kSubtileWidth - 1.0f));
    return low <= high ? (2u << high) - (1u << low) : 0;
  }

  /// Finds, a lane a circle, then a lane its pixels, the circles that touch each pixel, and those
  /// of them that cover all of it. Approximate: a pixel too many is touched, and one that is wholly
  /// covered may count as an edge; shares are exact either way. Up to radii of kMostSpanRadius the
  /// rounding of the exact test moves an end by less than the margins; for larger ones all pixels
  /// are edges, and all of a ring's.
  __device__ void find_pixels(const Disc& disc, bool reaches, bool is_whole, bool has_hole) {
    constexpr float kInsideMargin = 0.0625f;
    const float touch_margin = 0.0625f + disc.radius * 0x1p-11f;
    const bool has_spans = disc.radius <= kMostSpanRadius;
    const std::uint32_t none_or_all = !reaches ? 0 : ~0u, all = is_whole ? none_or_all : 0;
    const float x = disc.x - left(), y0 = bottom();
#pragma unroll
    for (int k = 0; k < kPixelsPerLane; ++k) {
      touching_[k] = none_or_all;
      inside_[k] = all;
    }
    if (reaches && !is_whole && has_spans) {
#pragma unroll
      for (int row = 0; row < kSubtileHeight; ++row) {
        const float edge0 = (y0 + static_cast<float>(row)) - disc.y;
        const float edge1 = (y0 + static_cast<float>(row + 1)) - disc.y;
        const float near = fmaxf(fmaxf(edge0, -edge1), 0.0f), far = fmaxf(-edge0, edge1);
        const float outer =
            approximate_sqrt(fmaxf((disc.radius - near) * (disc.radius + near), 0.0f)) +
            touch_margin;
        const float inner =
            approximate_sqrt(fmaxf((disc.radius - far) * (disc.radius + far), 0.0f)) -
            kInsideMargin;
        const std::uint32_t touches = near < disc.radius ? columns(x - outer - 1, x + outer) : 0;
        const std::uint32_t is_inside =
            far < disc.radius && !has_hole ? columns(x - inner, x + inner - 1) : 0;
        const int shift = row % 2 * 16;
        touching_[row / 2] = (row % 2 == 0 ? 0 : touching_[row / 2]) | touches << shift;
        inside_[row / 2] = (row % 2 == 0 ? 0 : inside_[row / 2]) | is_inside << shift;
      }
    }
    transpose(touching_);
    transpose(inside_);
#pragma unroll
    for (int k = 0; k < kPixelsPerLane; ++k) {
      if (!pixels_.is_active(k)) touching_[k] = 0;
      inside_[k] &= touching_[k];
    }
  }

  /// Edges of the lane's pixels with the circles of `group`.
  __device__ std::uint32_t num_shares_of_lane(std::uint32_t group) const {
    std::uint32_t count = 0;
#pragma unroll
    for (int k = 0; k < kPixelsPerLane; ++k) count += __popc(edges(k) & group);
    return count;
  }
  /// The same of the warp.
  __device__ std::uint32_t num_shares(std::uint32_t group) const {
    return warp_sum(num_shares_of_lane(group));
  }
  __device__ std::uint32_t edges(int k) const {
    return touching_[k] & ~inside_[k];
  }

  /// The shares of the pixels' edges with the circles of `group`, a lane one of any pixel, so that
  /// no lane waits for others. Those that take longer come last, together.
  __device__ void compute_shares(std::uint32_t group) {
    const std::uint32_t count = num_shares_of_lane(group);
    const std::uint32_t up_to_here = warp_inclusive_sum(count);
    const std::uint32_t total = __shfl_sync(kAllLanes, up_to_here, 31);
    first_share_ = up_to_here - count;
    std::uint32_t at = first_share_;
#pragma unroll
    for (int k = 0; k < kPixelsPerLane; ++k)
      for (std::uint32_t left = edges(k) & group; left != 0;) {
        const int circle = front_bit(left);
        left ^= 1u << circle;
        scratch_.shares[at++] = (k * 32 + lane()) << 5 | circle;
      }
    __syncwarp();
    std::uint32_t num_late = 0;
    for (std::uint32_t first = 0; first < total; first += 32) {
      const std::uint32_t i = first + lane();
      const Edge edge(*this, i < total ? scratch_.shares[i] : 0);
      const bool is_late = i < total && edge.takes_long();
      if (i < total && !is_late) scratch_.shares[i] = __float_as_uint(edge.share());
      const unsigned late = __ballot_sync(kAllLanes, is_late);
      if (is_late) scratch_.late_shares[num_late + num_before(late)] = i;
      num_late += __popc(late);
    }
    __syncwarp();
    for (std::uint32_t i = lane(); i < num_late; i += 32) {
      std::uint32_t& share = scratch_.shares[scratch_.late_shares[i]];
      share = __float_as_uint(Edge(*this, share).long_share());
    }
    __syncwarp();
  }

  /// Of a disc and a pixel that it may cover in part.
  struct Edge {
    const AreaPainter& painter;
    int circle;
    float pixel_x, pixel_y;
    Disc disc;
    Span x, y;

    /// `numbers`: as in AreaScratch::shares.
    __device__ Edge(const AreaPainter& of, std::uint32_t numbers)
        : painter(of), circle(static_cast<int>(numbers & 31)) {
      const std::uint32_t pixel = numbers >> 5;
      pixel_x = painter.left() + static_cast<float>(pixel % kSubtileWidth);
      pixel_y = painter.bottom() + static_cast<float>(pixel / kSubtileWidth);
      const float4 in_pixels = painter.scratch_.discs[circle];
      const float4 factors = painter.scratch_.factors[circle];
      disc = {in_pixels.x, in_pixels.y, in_pixels.z, in_pixels.w, factors.x, factors.y};
      x = span_of(pixel_x, 1, disc.x);
      y = span_of(pixel_y, 1, disc.y);
    }
    /// Beside the circle's axes there is one rectangle to look at, not two or four.
    __device__ bool takes_long() const {
      return x.other > 0 || y.other > 0 || disc.radius > scalar::kLargestAreaRadius ||
             (kLooks && is_ring(painter.scratch_.paints[circle]));
    }
    /// scalar::pixel_share() without the rectangles that there are not.
    __device__ float share() const {
      const float area =
          scalar::area_in_rectangle<L>(disc, scalar::area_side<L>(disc.radius, x.near, x.far),
                                       scalar::area_side<L>(disc.radius, y.near, y.far));
      return scalar::share_of_area<L>(disc, x, y, area);
    }
    __device__ float long_share() const {
      const float2 center = painter.scratch_.centers[circle];
      const float4 factors = painter.scratch_.factors[circle];
      const float share =
          scalar::pixel_share<L>(disc, pixel_x, pixel_y, is_in_disc(center, factors.w));
      if (!kLooks || !(share > 0) || !is_ring(painter.scratch_.paints[circle])) return share;
      const Disc hole = scalar::area_disc<L>(center.x, center.y, factors.z, painter.grid_.scale);
      return scalar::ring_share<L>(
          share, scalar::pixel_share<L>(hole, pixel_x, pixel_y, is_in_disc(center, factors.z)));
    }
    /// The coverage test of the pixel's centre.
    __device__ bool is_in_disc(float2 center, float radius) const {
      const float s = painter.grid_.s;
      const float dx = center.x - scalar::pixel_center<L>(pixel_x, s);
      const float dy = center.y - scalar::pixel_center<L>(pixel_y, s);
      return scalar::squared_distance<L>(dx, dy) <= radius * radius;
    }
  };

  /// Of a circle that touches the lane's pixel k; `at` goes through the lane's shares.
  __device__ float next_share(int circle, int k, std::uint32_t& at) const {
    return (inside_[k] >> circle & 1) != 0 ? 1.0f : __uint_as_float(scratch_.shares[at++]);
  }

  __device__ void paint_by_pixel(std::uint32_t group) {
    std::uint32_t first = first_share_;
#pragma unroll
    for (int k = 0; k < kPixelsPerLane; ++k) {
      std::uint32_t at = first;
      std::uint32_t left = touching_[k] & group;
      while (left != 0 && pixels_.is_active(k)) {
        const int circle = front_bit(left);
        left ^= 1u << circle;
        blend(scratch_.paints[circle], circle, k, next_share(circle, k, at));
      }
      first += __popc(edges(k) & group);
    }
  }

  /// Where many circles cover the whole subtile.
  __device__ void paint_by_circle(unsigned reaching, unsigned whole, std::uint32_t group) {
    std::uint32_t at[kPixelsPerLane];
    at[0] = first_share_;
#pragma unroll
    for (int k = 1; k < kPixelsPerLane; ++k) at[k] = at[k - 1] + __popc(edges(k - 1) & group);
    for (int i = 0; reaching != 0; ++i) {
      if (i >= BlendPolicy::kFirstLook && i % BlendPolicy::kLookInterval == 0 && pixels_.is_done())
        return;
      const int circle = front_bit(reaching);
      reaching ^= 1u << circle;
      const Paint paint = scratch_.paints[circle];
      if ((whole >> circle & 1) != 0 && !is_snow(paint)) {
#pragma unroll
        for (int k = 0; k < kPixelsPerLane; ++k)
          if (pixels_.is_active(k))
            scalar::composite<L>(pixels_.state[k], mode_paint<kLooks>(paint), paint.alpha);
        continue;
      }
#pragma unroll
      for (int k = 0; k < kPixelsPerLane; ++k)
        if (pixels_.is_active(k) && (touching_[k] >> circle & 1) != 0)
          blend(paint, circle, k, next_share(circle, k, at[k]));
    }
  }

  __device__ void blend(const Paint& paint, int circle, int k, float share) {
    scalar::ModePaint<L> shown = mode_paint<kLooks>(paint);
    if (!is_snow(paint)) {
      // Without looks a share of 0 changes no bit.
      if (!kLooks || share > 0) scalar::composite<L>(pixels_.state[k], shown, paint.alpha * share);
      return;
    }
    if (!(share > 0)) return;
    const float2 center = scratch_.centers[circle];
    const float dx = center.x - pixels_.center_x, dy = center.y - pixels_.center_y[k];
    const float3 snow = shade_snow(ramp_, scratch_.discs[circle].z, peak_alpha(paint), dx * dx,
                                   dy * dy, scratch_.factors[circle].z);
    shown.red = snow.x;
    shown.green = snow.y;
    shown.blue = 1;
    scalar::composite<L>(pixels_.state[k], shown, snow.z * share);
  }
  /// Red, green and alpha.
  __noinline__ __device__ static float3 shade_snow(const SnowRamp& ramp, float radius, float peak,
                                                   float dx2, float dy2, float inverse_r2) {
    float3 snow;
    scalar::shade_area_snow<L>(ramp, scalar::area_snow<L>(radius, peak), dx2, dy2, inverse_r2,
                               snow.z, snow.x, snow.y);
    return snow;
  }

  Pixels& pixels_;
  const TileGrid& grid_;
  const SnowRamp& ramp_;
  AreaScratch& scratch_;
  /// Of the lane's pixels, a bit a circle.
  std::uint32_t touching_[kPixelsPerLane], inside_[kPixelsPerLane];
  std::uint32_t first_share_ = 0;
};

}  // namespace roundel::cuda
