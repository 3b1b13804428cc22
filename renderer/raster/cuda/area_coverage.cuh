#pragma once
#include "renderer/raster/cuda/blend_policy.cuh"
#include "renderer/raster/cuda/subtile_coverage.cuh"
#include "renderer/raster/cuda/subtile_pixels.cuh"
#include "renderer/raster/cuda/warp.cuh"

/// Which pixels of a subtile circles cover by area, and what share of each. Device code only. The
/// shares are scalar::pixel_share()'s, bit for bit.
namespace roundel::cuda {

/// Around the pixel of a speck's centre it may cover those up to two away.
inline constexpr int kSpeckSide = 5;

/// A warp's part of shared memory: a batch of circles.
struct AreaScratch {
  /// Edges that are put off, at most.
  static constexpr std::uint32_t kMostLate = 128;

  Paint paints[32];
  union {
    struct {
      float4 discs[32];    ///< in pixels: x, y, radius, its square
      float4 factors[32];  ///< AreaDisc's arc and bend; of rings the hole's radius, of snow −1/r²;
                           ///< r: in frame space
      float2 centers[32];  ///< in frame space
      /// Of edges, which are circles and pixels that they may cover in part: AreaEdge::numbers(),
      /// then the shares.
      std::uint32_t shares[BlendPolicy::kMostShares];
      std::uint32_t late_shares[kMostLate];  ///< of these, that take longer
      std::uint8_t places[32];  ///< among the batch's circles, of those that are not wholly inside
    };
    struct {
      float shares[kSpeckSide * kSpeckSide][32];  ///< row by row
      int first_pixels[32];  ///< x + kSpeckSide · y of those at the lower left, in the subtile
      std::uint32_t coverage[kSubtileWidth * kSubtileHeight];  ///< bit i: speck i covers it
    } specks;
  };
};

/// What shares are computed with here, for radii R of at least kLeastRadius pixels, of which no
/// root is of a small number but 0: R − t is 0 or at least 2⁻²⁵·R, so half a chord is 0 or at least
/// 2⁻²³, and what such numbers and edges of pixels differ by is 0 or at least 2⁻⁴⁷.
struct AreaLanes : ScalarLanes {
  static constexpr float kLeastRadius = 0x1p-10f;  ///< pixels

  // Rounded as by ScalarLanes: every number to 2¹²⁵ was tried, from 2⁻¹⁰⁰ on, for inverses 2⁻¹¹⁸.
  __device__ static float inverse(float a) {
    float estimate;
    asm("rcp.approx.ftz.f32 %0, %1;" : "=f"(estimate) : "f"(a));
    return ::fmaf(estimate, ::fmaf(-a, estimate, 1), estimate);
  }
  __device__ static float sqrt_of_positive(float a) {
    float estimate;
    asm("rsqrt.approx.ftz.f32 %0, %1;" : "=f"(estimate) : "f"(a));
    const float root = a * estimate;
    return ::fmaf(::fmaf(-root, root, a), 0.5f * estimate, root);
  }
  /// Of 0, and of less, that is no number, which fmaxf() drops.
  __device__ static float sqrt_or_0(float a) { return fmaxf(sqrt_of_positive(a), 0); }
  __device__ static float sqrt(float a) { return sqrt_or_0(a); }
};

/// `first` + `number`, both whole and below 2²³: in a float's lowest bits, since conversions take
/// longer.
inline __device__ float whole_number(std::uint32_t number, float first) {
  return __uint_as_float(__float_as_uint(0x1p23f) | number) - (0x1p23f - first);
}

/// From `edge` on, `count` pixels.
inline __device__ scalar::AreaSpan<AreaLanes> area_span_of(float edge, float count, float center) {
  return scalar::area_span<AreaLanes>(edge - center, (edge + count) - center);
}

/// Of all pixels of a box and a disc.
struct AreaSpans {
  scalar::AreaSpan<AreaLanes> x, y;

  /// `left`, `bottom`: edges of the subtile, in pixels.
  __device__ AreaSpans(const ActiveBox& box, float left, float bottom,
                       const scalar::AreaDisc<AreaLanes>& disc)
      : x(span(left, box.first_column(), box.last_column(), disc.x)),
        y(span(bottom, box.first_row(), box.last_row(), disc.y)) {}

 private:
  __device__ static scalar::AreaSpan<AreaLanes> span(float edge, int first, int last,
                                                     float center) {
    const auto place = [edge](int number) {
      return whole_number(static_cast<std::uint32_t>(number), edge);
    };
    return scalar::area_span<AreaLanes>(place(first) - center, place(last + 1) - center);
  }
};

/// Finds the pixels of rows that a circle touches, and those of them that it covers wholly.
/// Approximate: a pixel too many is touched, and one that is wholly covered may count as an edge;
/// shares are exact either way. Up to radii of kMostSpanRadius the rounding of the exact test
/// moves an end by less than the margins; for larger ones all pixels are edges.
class AreaRows {
 public:
  /// The centre and the radius in pixels; `left`, `bottom`: of column and row 0.
  __device__ AreaRows(float center_x, float center_y, float radius, float left, float bottom)
      : center_y_(center_y), radius_(fmaxf(radius, AreaLanes::kLeastRadius)), bottom_(bottom) {
    middle_row_ = __float2int_rd(center_y - bottom);
    // Columns from ⌈x − chord − 1 − margin⌉ to ⌊x + chord + margin⌋ are touched; inside are those
    // from ⌈x − chord + margin⌉ to ⌊x + chord − 1 − margin⌋. Rounding to the nearest number, not
    // up or down, takes another half.
    // The exact test rounds by 3·2⁻²⁴·R² at most. A chord of no length grows by the root of that,
    // R·2⁻¹¹; inside of the circle are only chords of half a pixel and more, which grow by R²·2⁻²².
    const float x = center_x - left, touch_margin = 0x1p-7f + radius_ * 0x1p-11f;
    const float inside_margin = 0x1p-7f + radius_ * radius_ * 0x1p-22f;
    touch_left_ = (kLeft - 0.5f - touch_margin + x) * kPart;
    touch_right_ = (kMost - kLeft + 0.5f - touch_margin - x) * kPart;
    inside_left_ = (kLeft + 0.5f + inside_margin + x) * kPart;
    inside_right_ = (kMost - kLeft + 1.5f + inside_margin - x) * kPart;
  }

  /// Of rows `row` and `row` + 1, 16 bits each.
  __device__ void find(int row, std::uint32_t& touched, std::uint32_t& inside) const {
    if (radius_ > kMostSpanRadius) {
      touched = ~0u;
      inside = 0;
      return;
    }
    const float chords[3] = {half_chord_at(row), half_chord_at(row + 1), half_chord_at(row + 2)};
    std::uint32_t touches[2], insides[2];
#pragma unroll
    for (int i = 0; i < 2; ++i) {
      const float longer = row + i == middle_row_ ? radius_ : fmaxf(chords[i], chords[i + 1]);
      const float shorter = fminf(chords[i], chords[i + 1]);
      touches[i] = columns(longer, touch_left_, touch_right_);
      insides[i] = columns(shorter, inside_left_, inside_right_);
    }
    touched = __byte_perm(touches[0], touches[1], 0x6521);  // columns 0 to 15 of both
    inside = __byte_perm(insides[0], insides[1], 0x6521);
  }
  /// Takes this disc, a ring's hole, out of what find() tells of the whole one.
  __device__ void take_out(int row, std::uint32_t& touched, std::uint32_t& inside) const {
    std::uint32_t touched_by_hole, in_hole;
    find(row, touched_by_hole, in_hole);
    touched &= ~in_hole;
    inside &= ~touched_by_hole;
  }

 private:
  // A row is a word for columns −8 to 23, all that an end's place, clamped, may be: kLeft columns
  // are to the left of the subtile's. The first one is counted from the word's left end, the last
  // one from its right end, in 31sts of the word, so that clamping to [0, 1] costs nothing.
  static constexpr int kLeft = 8, kMost = 31;
  static constexpr float kPart = 1.0f / kMost;
  static constexpr float kNowhere = -64;  // a chord that takes both ends out of the word

  /// Of the line below the row.
  __device__ float half_chord_at(int row) const {
    const float y = (bottom_ + static_cast<float>(row)) - center_y_;
    const float square = (radius_ - y) * (radius_ + y);
    return square > 0 ? approximate_sqrt(square) : kNowhere;
  }
  __device__ static std::uint32_t columns(float chord, float from_left, float from_right) {
    // Adding 1.5·2²³ rounds to a whole number, which the lowest bits then are.
    constexpr float kRound = 0x1.8p23f;
    const auto end = [&](float from) {
      return __float_as_uint(__fmaf_rn(__saturatef(__fmaf_rn(chord, -kPart, from)), kMost, kRound));
    };
    // Funnel shifts take the lowest five bits of their count.
    return __funnelshift_l(0, ~0u, end(from_left)) & __funnelshift_r(~0u, 0, end(from_right));
  }

  float center_y_, radius_, bottom_;
  int middle_row_;
  float touch_left_, touch_right_, inside_left_, inside_right_;
};

/// Of a disc and a pixel that it may cover in part.
struct AreaEdge {
  int circle;
  float pixel_x, pixel_y;
  scalar::AreaDisc<AreaLanes> disc;
  scalar::AreaSpan<AreaLanes> x, y;

  /// The number of a circle in the batch, above that of a pixel in the subtile, row by row.
  static constexpr std::uint32_t kAllNumbers = 32 * kSubtileWidth * kSubtileHeight - 1;
  __device__ static std::uint32_t numbers(int circle, int pixel) {
    return static_cast<std::uint32_t>(circle << kPixelBits | pixel);
  }
  /// `left`, `bottom`: edges of the subtile, in pixels.
  __device__ AreaEdge(const AreaScratch& scratch, float left, float bottom, std::uint32_t numbers)
      : circle(static_cast<int>(numbers >> kPixelBits)) {
    pixel_x = whole_number(numbers & (kSubtileWidth - 1), left);
    pixel_y = whole_number(numbers / kSubtileWidth & (kSubtileHeight - 1), bottom);
    const float4 in_pixels = scratch.discs[circle];
    const float2 factors = reinterpret_cast<const float2&>(scratch.factors[circle]);
    disc = {in_pixels.x, in_pixels.y, in_pixels.z, in_pixels.w, factors.x, factors.y};
    x = area_span_of(pixel_x, 1, disc.x);
    y = area_span_of(pixel_y, 1, disc.y);
  }
  /// A circle, or a hole, of a size for which one or two rectangles do not do.
  __device__ static bool is_odd(float radius) {
    return radius > scalar::kLargestAreaRadius || radius < AreaLanes::kLeastRadius;
  }
  /// The same pixel with another disc about the same centre.
  __device__ AreaEdge with(const scalar::AreaDisc<AreaLanes>& other) const {
    AreaEdge edge = *this;
    edge.disc = other;
    return edge;
  }
  __device__ bool is_all_covered() const { return scalar::is_all_covered<AreaLanes>(disc, x, y); }
  /// From the disc's area in the pixel.
  __device__ float share_of(float area) const {
    if (!touches()) return 0;
    return is_all_covered() ? 1.0f : AreaLanes::saturate(area);
  }
  /// An axis of the circle goes through the pixel.
  __device__ bool has_second() const { return (x.other > 0) | (y.other > 0); }
  /// The area of the one rectangle, or of that with the pixel's farthest corner.
  __device__ float area() const { return area(x_side(), y_side()); }
  /// The area of the other one, on the other side of the axis; to be called where there is one.
  __device__ float second_area() const {
    const bool has_x = x.other > 0;
    const float far = has_x ? x.other : y.other;
    const float chord = scalar::half_chord<AreaLanes>(disc.radius, far);
    Side of_x = x_side(), of_y = y_side();  // of area(), from which only one root differs
    (has_x ? of_x : of_y).far = far;
    (has_x ? of_x : of_y).far_chord = chord;
    return area(of_x, of_y);
  }
  /// The area beyond the horizontal axis, where both axes go through the pixel.
  __device__ float other_row_area() const {
    const auto beyond = [&](float far) {  // on an axis half the chord is the radius
      return Side{0, far, disc.radius, scalar::half_chord<AreaLanes>(disc.radius, far)};
    };
    const Side of_y = beyond(y.other);
    return area(x_side(), of_y) + area(beyond(x.other), of_y);
  }
  __device__ bool touches() const { return scalar::is_touched<AreaLanes>(disc, x, y); }

 private:
  static constexpr int kPixelBits = 7;
  static_assert(1 << kPixelBits == kSubtileWidth * kSubtileHeight);

  using Side = scalar::AreaSide<AreaLanes>;

  __device__ float area(const Side& of_x, const Side& of_y) const {
    return scalar::area_in_rectangle<AreaLanes>(disc, of_x, of_y);
  }
  __device__ Side x_side() const { return side(x.near, x.far); }
  __device__ Side y_side() const { return side(y.near, y.far); }
  /// scalar::area_side(); where the circle touches the pixel its near lines are less than a radius
  /// away.
  __device__ Side side(float near, float far) const {
    return {near, far, AreaLanes::sqrt_of_positive((disc.radius - near) * (disc.radius + near)),
            scalar::half_chord<AreaLanes>(disc.radius, far)};
  }
};

/// Along one axis the grid lines next to a speck's centre, on its low and on its high side, and
/// half the chords there; the first one is the centre's own, the last one is outside.
struct SpeckLines {
  float places[2][4], chords[2][4];

  __device__ SpeckLines(float center, float pixel, float radius) {
#pragma unroll
    for (int line = 0; line < 4; ++line) {
      const float beyond = static_cast<float>(line);
      places[0][line] = line == 0 ? 0.0f : center - (pixel - (beyond - 1));
      places[1][line] = line == 0 ? 0.0f : (pixel + beyond) - center;
#pragma unroll
      for (int side = 0; side < 2; ++side)
        chords[side][line] =
            line == 3 ? 0 : scalar::half_chord<AreaLanes>(radius, places[side][line]);
    }
  }
  /// Between lines `line` and `line` + 1 on a side.
  __device__ scalar::AreaSide<AreaLanes> side(int which, int line) const {
    return {places[which][line], places[which][line + 1], chords[which][line],
            chords[which][line + 1]};
  }
  /// Of the pixel that is so far from the centre's.
  __device__ scalar::AreaSpan<AreaLanes> span(int distance) const {
    if (distance == 0) return {0, AreaLanes::max(places[0][1], places[1][1]), 0};
    const int which = distance > 0 ? 1 : 0, line = distance > 0 ? distance : -distance;
    return {places[which][line], places[which][line + 1], 0};
  }
  /// Of column dx within one side of a row; added up as scalar::area_share() does.
  __device__ float area(const scalar::AreaDisc<AreaLanes>& disc, int dx,
                        const scalar::AreaSide<AreaLanes>& row) const {
    const auto area_in = [&](const scalar::AreaSide<AreaLanes>& column) {
      return scalar::area_in_rectangle<AreaLanes>(disc, column, row);
    };
    if (dx != 0) return area_in(side(dx > 0 ? 1 : 0, dx > 0 ? dx : -dx));
    return area_in(side(0, 0)) + area_in(side(1, 0));
  }
};

/// Red, green and alpha of snow of a batch at (x, y) in frame space; not inlined either.
__noinline__ __device__ inline float3 shade_area_snow(const SnowRamp& ramp,
                                                      const AreaScratch& scratch, int circle,
                                                      float peak, float x, float y) {
  using L = ScalarLanes;
  const float2 center = scratch.centers[circle];
  const float dx = center.x - x, dy = center.y - y;
  float3 snow;
  scalar::shade_area_snow<L>(ramp, scalar::area_snow<L>(scratch.discs[circle].z, peak), dx * dx,
                             dy * dy, -scratch.factors[circle].z, snow.z, snow.x, snow.y);
  return snow;
}

}  // namespace roundel::cuda
