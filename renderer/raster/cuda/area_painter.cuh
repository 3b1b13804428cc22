#pragma once
#include "renderer/raster/cuda/blend_policy.cuh"
#include "renderer/raster/cuda/subtile_pixels.cuh"
#include "renderer/raster/cuda/warp.cuh"

/// How a warp paints a batch of circles that cover shares of its subtile's pixels. Device code
/// only.
namespace roundel::cuda {

/// A speck's pixels: that of its centre and those up to two away in columns or rows, but not in
/// both.
inline constexpr int kSpeckPixels = 21;
/// In the order of rows; dx and dy are −2 to 2.
inline __device__ int speck_pixel(int dx, int dy) {
  return 5 * dy + dx + 10 - (dy == 2) + (dy == -2);
}

/// A warp's part of shared memory: a batch of circles.
struct AreaScratch {
  union {
    struct {               // those that reach the subtile, front to back
      float4 discs[32];    ///< in pixels: x, y, radius, its square
      float4 factors[32];  ///< AreaDisc's arc and bend; 1/r² and r in frame space
      float2 centers[32];  ///< in frame space
    };
    float shares[kSpeckPixels][32];  ///< of specks
  };
  Paint paints[32];
  std::uint32_t flags[32];
  int2 middles[32];                                        ///< a speck's pixel in the subtile
  std::uint32_t coverage[kSubtileWidth * kSubtileHeight];  ///< bit i: speck i covers it
};

class AreaPainter {
 public:
  __device__ AreaPainter(SubtilePixels& pixels, const TileGrid& grid, const SnowRamp& ramp,
                         AreaScratch& scratch)
      : pixels_(pixels),
        grid_(grid),
        ramp_(ramp),
        scratch_(scratch),
        edge_x_(static_cast<float>(pixels.x())),
        edge_y_(static_cast<float>(pixels.y(0))) {}

  /// Paints the lanes' circles; those without a radius are none.
  __device__ void paint(const Shape& shape, const Paint& paint) {
    const Disc disc =
        scalar::area_disc<L>(shape.x, shape.y, shape.radius, static_cast<float>(grid_.height));
    bool is_whole = false;
    const bool reaches = shape.radius > 0 && reaches_subtile(shape, disc, is_whole);
    if (!__any_sync(kAllLanes, reaches && (disc.radius > kLargestSpeck || is_snow(paint)))) {
      paint_specks(disc, reaches, paint);
      return;
    }
    const unsigned reaching = __ballot_sync(kAllLanes, reaches);
    const int position = __popc(reaching & ((1u << lane()) - 1)), count = __popc(reaching);
    __syncwarp();
    if (reaches) {
      scratch_.discs[position] = {disc.x, disc.y, disc.radius, disc.r2};
      scratch_.factors[position] = {disc.arc, disc.bend, scalar::inverse_square(shape.radius),
                                    shape.radius};
      scratch_.centers[position] = {shape.x, shape.y};
      scratch_.paints[position] = paint;
      scratch_.flags[position] = is_whole ? 1 : 0;
    }
    __syncwarp();
    const unsigned whole = __ballot_sync(kAllLanes, lane() < count && scratch_.flags[lane()] != 0);
    for (int i = 0; i < count;) {
      if (i >= BlendPolicy::kFirstLook && pixels_.is_done()) break;
      const int end = min(i + BlendPolicy::kLookInterval, count);
      for (; i < end; ++i) paint_circle(i, (whole >> i & 1) != 0);
    }
    __syncwarp();
  }

 private:
  using L = ScalarLanes;
  using Disc = scalar::AreaDisc<L>;
  using Span = scalar::AreaSpan<L>;

  static constexpr float kLargestSpeck = 1.25f;  ///< pixels

  /// Along one axis the grid lines next to a speck's centre, on its low and on its high side, and
  /// half the chords there; the first one is the centre's own.
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
          chords[side][line] = scalar::half_chord<L>(radius, places[side][line]);
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
    for (int k = 0; k < kPixelsPerLane; ++k) scratch_.coverage[k * 32 + lane()] = 0;
    scratch_.paints[lane()] = paint;
    __syncwarp();
    if (reaches) {
      const int2 middle{static_cast<int>(middle_x) - pixels_.x0,
                        static_cast<int>(middle_y) - pixels_.y0};
      scratch_.middles[lane()] = middle;
      const Lines x(disc.x, middle_x, disc.radius), y(disc.y, middle_y, disc.radius);
#pragma unroll
      for (int dy = -2; dy <= 2; ++dy) {
#pragma unroll
        for (int dx = -2; dx <= 2; ++dx) {
          if (dx * dx + dy * dy > 5) continue;  // its corner is too far away
          const float area =
              dy != 0 ? area_of(disc, x, dx, y.side(dy > 0 ? 1 : 0, dy > 0 ? dy : -dy))
                      : area_of(disc, x, dx, y.side(0, 0)) + area_of(disc, x, dx, y.side(1, 0));
          const float share = scalar::share_of_area<L>(disc, x.span(dx), y.span(dy), area);
          const int column = middle.x + dx, row = middle.y + dy;
          scratch_.shares[speck_pixel(dx, dy)][lane()] = share;
          if (share > 0 && column >= 0 && column < kSubtileWidth && row >= 0 &&
              row < kSubtileHeight)
            atomicOr(&scratch_.coverage[row * kSubtileWidth + column], 1u << lane());
        }
      }
    }
    __syncwarp();
    const int column = lane() % kSubtileWidth;
#pragma unroll
    for (int k = 0; k < kPixelsPerLane; ++k) {
      const int row = lane() / kSubtileWidth + k * kRowStep;
      std::uint32_t left = scratch_.coverage[k * 32 + lane()];
      for (; left != 0 && pixels_.is_active(k); left &= left - 1) {
        const int i = __ffs(left) - 1;
        const int2 middle = scratch_.middles[i];
        const float share = scratch_.shares[speck_pixel(column - middle.x, row - middle.y)][i];
        const Paint of_speck = scratch_.paints[i];
        scalar::composite<L>(pixels_.state[k], of_speck.alpha * share, of_speck.red, of_speck.green,
                             of_speck.blue);
      }
    }
    __syncwarp();
  }

  /// From `edge` on, `count` pixels.
  __device__ static Span span_of(float edge, float count, float center) {
    return scalar::area_span<L>(edge - center, (edge + count) - center);
  }

  __device__ bool reaches_subtile(const Shape& shape, const Disc& disc, bool& is_whole) const {
    if (disc.radius > scalar::kLargestAreaRadius) {
      const PixelRect rect{pixels_.x0, pixels_.y0, pixels_.x0 + kSubtileWidth - 1,
                           pixels_.y0 + kSubtileHeight - 1};
      is_whole = covers_all(shape, rect, grid_.s);
      return may_cover(shape, rect, grid_.s);
    }
    // Rounding is monotonic: no pixel of the subtile has nearer or farther edges.
    const Span x = span_of(static_cast<float>(pixels_.x0), kSubtileWidth, disc.x);
    const Span y = span_of(static_cast<float>(pixels_.y0), kSubtileHeight, disc.y);
    is_whole = scalar::is_all_covered<L>(disc, x, y);
    return disc.r2 > x.near * x.near + y.near * y.near;
  }

  __device__ void paint_circle(int i, bool is_whole) {
    const float4 in_pixels = scratch_.discs[i], factors = scratch_.factors[i];
    const float2 center = scratch_.centers[i];
    const Paint paint = scratch_.paints[i];
    const Disc disc{in_pixels.x, in_pixels.y, in_pixels.z, in_pixels.w, factors.x, factors.y};
    const Span x = span_of(edge_x_, 1, disc.x);
    const float dx = center.x - pixels_.center_x;
#pragma unroll
    for (int k = 0; k < kPixelsPerLane; ++k) {
      if (!pixels_.is_active(k)) continue;
      const float dy = center.y - pixels_.center_y[k];
      const float share =
          is_whole ? 1.0f
          : disc.radius > scalar::kLargestAreaRadius
              ? (scalar::squared_distance<L>(dx, dy) <= factors.w * factors.w ? 1.0f : 0.0f)
              : share_of_pixel(disc, x, k);
      if (share > 0) blend(pixels_.state[k], share, disc, dx, dy, factors.z, paint);
    }
  }

  /// scalar::area_share() without the rectangles that there are not.
  __device__ float share_of_pixel(const Disc& disc, const Span& x, int k) const {
    const Span y = span_of(edge_y_ + static_cast<float>(k * kRowStep), 1, disc.y);
    if (!(disc.r2 > x.near * x.near + y.near * y.near)) return 0;
    if (scalar::is_all_covered<L>(disc, x, y)) return 1;
    if (x.other > 0 || y.other > 0) return scalar::area_share<L>(disc, x, y);
    return L::saturate(
        scalar::area_in_rectangle<L>(disc, scalar::area_side<L>(disc.radius, x.near, x.far),
                                     scalar::area_side<L>(disc.radius, y.near, y.far)));
  }

  __device__ void blend(SubtilePixels::State& state, float share, const Disc& disc, float dx,
                        float dy, float inverse_r2, const Paint& paint) const {
    if (!is_snow(paint)) {
      scalar::composite<L>(state, paint.alpha * share, paint.red, paint.green, paint.blue);
      return;
    }
    float alpha, red, green;
    scalar::shade_area_snow<L>(ramp_, scalar::area_snow<L>(disc.radius, peak_alpha(paint)), dx * dx,
                               dy * dy, inverse_r2, alpha, red, green);
    scalar::composite<L>(state, alpha * share, red, green, 1.0f);
  }

  SubtilePixels& pixels_;
  const TileGrid& grid_;
  const SnowRamp& ramp_;
  AreaScratch& scratch_;
  float edge_x_, edge_y_;  ///< of the lane's pixels
};

}  // namespace roundel::cuda
