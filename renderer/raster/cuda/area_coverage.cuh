#pragma once
#include "renderer/raster/cuda/blend_policy.cuh"
#include "renderer/raster/cuda/subtile_coverage.cuh"
#include "renderer/raster/cuda/subtile_pixels.cuh"
#include "renderer/raster/cuda/warp.cuh"

/// Finds the pixels that circles cover by area, and their shares, which equal scalar::pixel_share()
/// bit for bit.
namespace roundel::cuda {

/// Specks cover pixels up to two away from their centre's.
inline constexpr int kSpeckSide = 5;

/// A batch of circles in a warp's part of shared memory.
struct AreaScratch {
  /// Capacity for edges computed later.
  static constexpr std::uint32_t kMaxDeferred = 128;

  Paint paints[32];
  union {
    struct {
      float4 discs[32];    ///< in pixels: x, y, radius, radius²
      float4 factors[32];  ///< AreaDisc's arc and bend; a ring's hole or, with falloff, −1/r²; r:
                           ///< in frame space
      float2 centers[32];  ///< in frame space
      /// Edges, pairs of a circle and a pixel that it may partly cover: AreaEdge::numbers(), then
      /// shares.
      std::uint32_t shares[BlendPolicy::kMaxShares];
      std::uint32_t deferred[kMaxDeferred];  ///< edges that take longer
      std::uint8_t positions[32];            ///< in the batch
    };
    struct {
      float shares[kSpeckSide * kSpeckSide][32];  ///< row by row
      int first_pixels[32];  ///< x + kSpeckSide · y of the lower left pixel in the subtile
      std::uint32_t coverage[kSubtileWidth * kSubtileHeight];  ///< bit i: speck i covers the pixel
    } specks;
  };
};

/// Arithmetic for radii R >= kMinRadius pixels, where no root is taken of a small number except
/// 0: R − t is 0 or at least 2⁻²⁵·R, so half a chord is 0 or at least 2⁻²³, and its differences
/// from edges of pixels are 0 or at least 2⁻⁴⁷.
struct AreaLanes : ScalarLanes {
  static constexpr float kMinRadius = 0x1p-10f;  ///< pixels

  // Rounded as by ScalarLanes: tested for every number from 2⁻¹⁰⁰ (inverses: 2⁻¹¹⁸) to 2¹²⁵.
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
  /// 0 and negative numbers give NaN first, which fmaxf() drops.
  __device__ static float sqrt_or_0(float a) { return fmaxf(sqrt_of_positive(a), 0); }
  __device__ static float sqrt(float a) { return sqrt_or_0(a); }
};

/// Returns first + number, both whole and below 2²³, faster than conversions do.
inline __device__ float whole_number(std::uint32_t number, float first) {
  return __uint_as_float(__float_as_uint(0x1p23f) | number) - (0x1p23f - first);
}

inline __device__ scalar::AreaSpan<AreaLanes> area_span_of(float edge, float count, float center) {
  return scalar::area_span<AreaLanes>(edge - center, (edge + count) - center);
}

struct AreaSpans {
  scalar::AreaSpan<AreaLanes> x, y;

  /// `left`, `bottom`: the subtile's edges in pixels.
  __device__ AreaSpans(const ActiveBox& box, float left, float bottom,
                       const scalar::AreaDisc<AreaLanes>& disc)
      : x(span(left, box.first_column(), box.last_column(), disc.x)),
        y(span(bottom, box.first_row(), box.last_row(), disc.y)) {}

 private:
  __device__ static scalar::AreaSpan<AreaLanes> span(float edge, int first, int last,
                                                     float center) {
    const auto position = [edge](int number) {
      return whole_number(static_cast<std::uint32_t>(number), edge);
    };
    return scalar::area_span<AreaLanes>(position(first) - center, position(last + 1) - center);
  }
};

/// Finds the pixels of rows that a circle touches, and those that it covers. Approximate: may touch
/// one pixel too many, and count a covered pixel as an edge; shares are exact in both cases. Up to
/// radii of kMaxSpanRadius the exact test's rounding moves an end by less than the margins; for
/// larger ones all pixels are edges.
class AreaRows {
 public:
  /// Centre and radius are in pixels; `left`, `bottom`: edges of column and row 0.
  __device__ AreaRows(float center_x, float center_y, float radius, float left, float bottom)
      : center_y_(center_y), radius_(fmaxf(radius, AreaLanes::kMinRadius)), bottom_(bottom) {
    middle_row_ = __float2int_rd(center_y - bottom);
    // Columns ⌈x − chord − 1 − margin⌉ to ⌊x + chord + margin⌋ are touched, ⌈x − chord + margin⌉ to
    // ⌊x + chord − 1 − margin⌋ are inside. Rounding to nearest, not up or down, takes another half.
    // The exact test rounds by at most 3·2⁻²⁴·R². A chord of 0 grows by the root of that, R·2⁻¹¹.
    // Inside, chords have at least half a pixel, and grow by R²·2⁻²².
    const float x = center_x - left, touch_margin = 0x1p-7f + radius_ * 0x1p-11f;
    const float inside_margin = 0x1p-7f + radius_ * radius_ * 0x1p-22f;
    touch_left_ = (kLeft - 0.5f - touch_margin + x) * kPart;
    touch_right_ = (kLastColumn - kLeft + 0.5f - touch_margin - x) * kPart;
    inside_left_ = (kLeft + 0.5f + inside_margin + x) * kPart;
    inside_right_ = (kLastColumn - kLeft + 1.5f + inside_margin - x) * kPart;
  }

  /// For rows `row` and row + 1, 16 bits each.
  __device__ void find(int row, std::uint32_t& touched, std::uint32_t& inside) const {
    if (radius_ > kMaxSpanRadius) {
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
  /// Removes this disc, a ring's hole, from find()'s result for the ring.
  __device__ void subtract_hole(int row, std::uint32_t& touched, std::uint32_t& inside) const {
    std::uint32_t touched_by_hole, in_hole;
    find(row, touched_by_hole, in_hole);
    touched &= ~in_hole;
    inside &= ~touched_by_hole;
  }

 private:
  // A row is a word for columns −8 to 23, which a clamped end may take. The first one is counted
  // from the word's left end, the last one from its right end, in 31sts of the word, so that
  // clamping to [0, 1] is free.
  static constexpr int kLeft = 8, kLastColumn = 31;
  static constexpr float kPart = 1.0f / kLastColumn;
  static constexpr float kOutsideChord = -64;  // a chord that puts both ends outside the word

  /// Half the chord at the row's lower line.
  __device__ float half_chord_at(int row) const {
    const float y = (bottom_ + static_cast<float>(row)) - center_y_;
    const float square = (radius_ - y) * (radius_ + y);
    return square > 0 ? approximate_sqrt(square) : kOutsideChord;
  }
  __device__ static std::uint32_t columns(float chord, float from_left, float from_right) {
    // Adding 1.5·2²³ rounds to a whole number in the lowest bits.
    constexpr float kRound = 0x1.8p23f;
    const auto end = [&](float from) {
      return __float_as_uint(
          __fmaf_rn(__saturatef(__fmaf_rn(chord, -kPart, from)), kLastColumn, kRound));
    };
    // Funnel shifts use five bits of their count.
    return __funnelshift_l(0, ~0u, end(from_left)) & __funnelshift_r(~0u, 0, end(from_right));
  }

  float center_y_, radius_, bottom_;
  int middle_row_;
  float touch_left_, touch_right_, inside_left_, inside_right_;
};

/// A disc and a pixel that it may partly cover.
struct AreaEdge {
  int circle;
  float pixel_x, pixel_y;
  scalar::AreaDisc<AreaLanes> disc;
  scalar::AreaSpan<AreaLanes> x, y;

  /// Packs a circle's number above the pixel's number in the subtile.
  static constexpr std::uint32_t kAllNumbers = 32 * kSubtileWidth * kSubtileHeight - 1;
  __device__ static std::uint32_t numbers(int circle, int pixel) {
    return static_cast<std::uint32_t>(circle << kPixelBits | pixel);
  }
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
  /// True for radii that one or two rectangles are not enough for.
  __device__ static bool is_extreme(float radius) {
    return radius > scalar::kMaxAreaRadius || radius < AreaLanes::kMinRadius;
  }
  __device__ AreaEdge with(const scalar::AreaDisc<AreaLanes>& other) const {
    AreaEdge edge = *this;
    edge.disc = other;
    return edge;
  }
  __device__ bool is_all_covered() const { return scalar::is_all_covered<AreaLanes>(disc, x, y); }
  __device__ float share_of(float area) const {
    if (!touches()) return 0;
    return is_all_covered() ? 1.0f : AreaLanes::saturate(area);
  }
  /// True if an axis cuts the pixel.
  __device__ bool has_second_rectangle() const { return (x.other > 0) | (y.other > 0); }
  /// Area of the only rectangle, or of the one with the farthest corner.
  __device__ float area() const { return area(x_side(), y_side()); }
  /// Area of the rectangle on the axis' other side; requires has_second_rectangle().
  __device__ float second_area() const {
    const bool has_x = x.other > 0;
    const float far = has_x ? x.other : y.other;
    const float chord = scalar::half_chord<AreaLanes>(disc.radius, far);
    Side of_x = x_side(), of_y = y_side();  // as in area(), from which only one root differs
    (has_x ? of_x : of_y).far = far;
    (has_x ? of_x : of_y).far_chord = chord;
    return area(of_x, of_y);
  }
  /// Area beyond the horizontal axis, if both axes cut the pixel.
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
  /// scalar::area_side(); near lines are less than a radius away if the circle touches the pixel.
  __device__ Side side(float near, float far) const {
    return {near, far, AreaLanes::sqrt_of_positive((disc.radius - near) * (disc.radius + near)),
            scalar::half_chord<AreaLanes>(disc.radius, far)};
  }
};

/// Grid lines beside a speck's centre on its low and high side, and half the chords there; the
/// first is the centre's, the last one is outside.
struct SpeckLines {
  float distances[2][4], chords[2][4];

  __device__ SpeckLines(float center, float pixel, float radius) {
#pragma unroll
    for (int line = 0; line < 4; ++line) {
      const float beyond = static_cast<float>(line);
      distances[0][line] = line == 0 ? 0.0f : center - (pixel - (beyond - 1));
      distances[1][line] = line == 0 ? 0.0f : (pixel + beyond) - center;
#pragma unroll
      for (int side = 0; side < 2; ++side)
        chords[side][line] =
            line == 3 ? 0 : scalar::half_chord<AreaLanes>(radius, distances[side][line]);
    }
  }
  /// Side between `line` and `line` + 1.
  __device__ scalar::AreaSide<AreaLanes> side(int which, int line) const {
    return {distances[which][line], distances[which][line + 1], chords[which][line],
            chords[which][line + 1]};
  }
  /// Span of the pixel at `distance` from the centre's.
  __device__ scalar::AreaSpan<AreaLanes> span(int distance) const {
    if (distance == 0) return {0, AreaLanes::max(distances[0][1], distances[1][1]), 0};
    const int which = distance > 0 ? 1 : 0, line = distance > 0 ? distance : -distance;
    return {distances[which][line], distances[which][line + 1], 0};
  }
  /// Area in column dx and a side of a row, in the order of scalar::area_share().
  __device__ float area(const scalar::AreaDisc<AreaLanes>& disc, int dx,
                        const scalar::AreaSide<AreaLanes>& row) const {
    const auto area_in = [&](const scalar::AreaSide<AreaLanes>& column) {
      return scalar::area_in_rectangle<AreaLanes>(disc, column, row);
    };
    if (dx != 0) return area_in(side(dx > 0 ? 1 : 0, dx > 0 ? dx : -dx));
    return area_in(side(0, 0)) + area_in(side(1, 0));
  }
};

/// Returns snow's red and green, and alpha at (x, y) in frame space. Not inlined, to keep callers
/// short.
template <bool kIsSoft>
__noinline__ __device__ float3 shade_area_falloff(const SnowRamp& ramp, const AreaScratch& scratch,
                                                  int circle, float peak_alpha, float x, float y) {
  using L = ScalarLanes;
  const float2 center = scratch.centers[circle];
  const float dx = center.x - x, dy = center.y - y, inverse_r2 = -scratch.factors[circle].z;
  const auto of_circle = scalar::area_falloff<L>(scratch.discs[circle].z, peak_alpha, kIsSoft);
  float3 shade{0, 0, scalar::area_alpha<L>(of_circle, dx * dx, dy * dy, inverse_r2)};
  if (!kIsSoft)
    scalar::area_snow_color<L>(ramp, of_circle, dx * dx, dy * dy, inverse_r2, shade.x, shade.y);
  return shade;
}

}  // namespace roundel::cuda
