// All arithmetic that decides a pixel, written once over lanes `L` (ScalarLanes, or the vectors of
// a Highway target). Every function is a fixed sequence of binary32 operations; each of L's
// operations rounds once and is the same on every backend, so the results are, bit for bit.
//
// No include guard and no namespace: the file is included inside a namespace, once by
// scalar_pixel_math.h and once for each Highway target by cpu/blend_tiles.cpp, because a vector
// target's functions must be compiled with that target's instructions.

/// A pixel stops once its transmittance is at most this.
inline constexpr float kOpaqueTransmittance = 0x1p-20f;

/// Compositing is "over" (Porter & Duff 1984), front to back.
/// The pixels of L, front to back: colour so far and the share of light that still passes.
template <class L>
struct PixelState {
  typename L::Float red, green, blue, transmittance;
};

/// The same where each channel has a transmittance of its own: blend modes filter each by its
/// colour. Where the three are equal, all bits are PixelState's.
template <class L>
struct ChannelState {
  typename L::Float red, green, blue;
  typename L::Float red_transmittance, green_transmittance, blue_transmittance;
};

/// What still passes, of the channel of which most does. A pixel stops where this says so.
template <class L>
ROUNDEL_HOST_DEVICE typename L::Float most_transmittance(const PixelState<L>& pixel) {
  return pixel.transmittance;
}
template <class L>
ROUNDEL_HOST_DEVICE typename L::Float most_transmittance(const ChannelState<L>& pixel) {
  return L::max(L::max(pixel.red_transmittance, pixel.green_transmittance),
                pixel.blue_transmittance);
}

/// Centre of pixel column or row i (counted from the left or the bottom); s = 1/height.
/// In a part of a picture i counts from there, and `half` is 1/2 and the columns or rows before it:
/// all these sums are exact.
template <class L>
ROUNDEL_HOST_DEVICE typename L::Float pixel_center(typename L::Float i, float s,
                                                   float half = 0.5f) {
  return L::mul(L::set(s), L::add(i, L::set(half)));
}

/// dx² + dy², the left side of the coverage test dx·dx + dy·dy <= r·r.
template <class L>
ROUNDEL_HOST_DEVICE typename L::Float squared_distance(typename L::Float dx, typename L::Float dy) {
  return L::add(L::mul(dx, dx), L::mul(dy, dy));
}

/// Puts a circle behind what a pixel has so far: w = T·alpha; C = fma(w, c, C); T = T·(1 − alpha).
/// alpha 0 leaves the state as it is, bit for bit, so lanes outside the circle are given 0.
template <class L>
ROUNDEL_HOST_DEVICE void composite(PixelState<L>& pixel, typename L::Float alpha,
                                   typename L::Float red, typename L::Float green,
                                   typename L::Float blue) {
  const typename L::Float weight = L::mul(pixel.transmittance, alpha);
  pixel.red = L::fma(weight, red, pixel.red);
  pixel.green = L::fma(weight, green, pixel.green);
  pixel.blue = L::fma(weight, blue, pixel.blue);
  pixel.transmittance = L::mul(pixel.transmittance, L::sub(L::set(1.0f), alpha));
}

/// composite() where `painted`, with one alpha for all lanes: `one_minus_alpha` is 1 − alpha. Bit
/// for bit what composite() does with an alpha of 0 in the other lanes, in fewer operations.
template <class L>
ROUNDEL_HOST_DEVICE void composite_solid(PixelState<L>& pixel, typename L::Mask painted,
                                         typename L::Float alpha, typename L::Float one_minus_alpha,
                                         typename L::Float red, typename L::Float green,
                                         typename L::Float blue) {
  const typename L::Float weight = L::zero_unless(painted, L::mul(pixel.transmittance, alpha));
  pixel.red = L::fma(weight, red, pixel.red);
  pixel.green = L::fma(weight, green, pixel.green);
  pixel.blue = L::fma(weight, blue, pixel.blue);
  pixel.transmittance =
      L::choose(painted, L::mul(pixel.transmittance, one_minus_alpha), pixel.transmittance);
}

/// composite_solid() where a vector holds each pixel's channels side by side: red, green, blue and
/// transmittance, which is_transmittance marks. `transmittance` has a pixel's transmittance in all
/// its channels, `color` red, green, blue and 1 − alpha.
template <class L>
ROUNDEL_HOST_DEVICE typename L::Float composite_channels(
    typename L::Float channels, typename L::Float transmittance, typename L::Mask painted,
    typename L::Mask is_transmittance, typename L::Float alpha, typename L::Float color) {
  const typename L::Float colored = L::fma(L::mul(transmittance, alpha), color, channels);
  const typename L::Float blended =
      L::choose(is_transmittance, L::mul(transmittance, color), colored);
  return L::choose(painted, blended, channels);
}

/// A circle's colour and blend mode.
template <class L>
struct ModePaint {
  BlendMode mode;
  typename L::Float red, green, blue;
};

/// Puts a channel of a circle behind what the pixel has so far, in a blend mode, as an affine step:
/// what lies below counts 1 − alpha·stopped times. alpha 0 leaves the state as it is.
template <class L>
ROUNDEL_INLINE_HOST_DEVICE void composite_channel(typename L::Float& so_far,
                                                  typename L::Float& transmittance, BlendMode mode,
                                                  typename L::Float alpha,
                                                  typename L::Float color) {
  const typename L::Float one = L::set(1.0f);
  if (mode != BlendMode::kMultiply) so_far = L::fma(L::mul(transmittance, alpha), color, so_far);
  if (mode == BlendMode::kAdd) return;
  const typename L::Float stopped = mode == BlendMode::kOver ? alpha
                                    : mode == BlendMode::kMultiply
                                        ? L::mul(alpha, L::sub(one, color))
                                        : L::mul(alpha, color);
  transmittance = L::mul(transmittance, L::sub(one, stopped));
}

/// composite() in a blend mode.
template <class L>
ROUNDEL_HOST_DEVICE void composite(ChannelState<L>& pixel, const ModePaint<L>& paint,
                                   typename L::Float alpha) {
  composite_channel<L>(pixel.red, pixel.red_transmittance, paint.mode, alpha, paint.red);
  composite_channel<L>(pixel.green, pixel.green_transmittance, paint.mode, alpha, paint.green);
  composite_channel<L>(pixel.blue, pixel.blue_transmittance, paint.mode, alpha, paint.blue);
}
/// The only one that such a state knows is over.
template <class L>
ROUNDEL_HOST_DEVICE void composite(PixelState<L>& pixel, const ModePaint<L>& paint,
                                   typename L::Float alpha) {
  composite<L>(pixel, alpha, paint.red, paint.green, paint.blue);
}

/// e^(−4t) for t in [0, 1], within 4e-7: a polynomial of degree 5 for e^(−t/2), which interpolates
/// (e^(−t/2) − 1)/t at the Chebyshev nodes, squared three times. 1 at 0.
template <class L>
ROUNDEL_HOST_DEVICE typename L::Float snow_falloff(typename L::Float t) {
  typename L::Float p = L::set(-0x1.bc858cp-13f);
  p = L::fma(p, t, L::set(0x1.4ffafp-9f));
  p = L::fma(p, t, L::set(-0x1.55192ep-6f));
  p = L::fma(p, t, L::set(0x1.fffe22p-4f));
  p = L::fma(p, t, L::set(-0x1.fffffep-2f));
  p = L::fma(p, t, L::set(1.0f));
  p = L::mul(p, p);
  p = L::mul(p, p);
  return L::mul(p, p);
}

/// Alpha of shader snow is peak·exp(−4·(dx² + dy²)/r²), computed as the product of two
/// exponentials, one for all pixels of a column and one for all of a row, so that few are needed.
template <class L>
ROUNDEL_HOST_DEVICE typename L::Float snow_row_alpha(typename L::Float dy2,
                                                     typename L::Float inverse_r2,
                                                     typename L::Float peak_alpha) {
  return L::mul(peak_alpha, snow_falloff<L>(L::mul(dy2, inverse_r2)));
}

/// 1/r²: one division a circle, so that pixels need none. So small for every radius that times the
/// squared distance of any pixel near the circle it is finite.
inline ROUNDEL_HOST_DEVICE float inverse_square(float radius) {
  const float r2 = radius * radius;
  return 1.0f / (r2 > 0x1p-120f ? r2 : 0x1p-120f);
}

/// √t for t >= 0, within 1.2e-6 of it: where hardware has a square root it is slow, and estimates
/// of it differ. L's estimate of 1/√t is within 3.5 % of it; with g = t·estimate and e = 1 −
/// g·estimate, √t = g/√(1 − e), a polynomial of e that leaves a millionth.
template <class L>
ROUNDEL_HOST_DEVICE typename L::Float near_sqrt(typename L::Float t) {
  const typename L::Float estimate = L::inverse_sqrt_estimate(t);
  const typename L::Float g = L::mul(t, estimate);
  const typename L::Float e = L::negative_fma(g, estimate, L::set(1.0f));
  typename L::Float p = L::fma(e, L::set(0x1.416314p-2f), L::set(0x1.81146ep-2f));
  p = L::fma(e, p, L::set(0x1.ffffbp-2f));
  return L::fma(L::mul(g, e), p, g);
}

/// The colours of shader snow; blue is 1. With d = distance/radius they go, linearly, from white
/// (d <= 1/4) to `middle` (1/2 <= d <= 3/4) to `rim` (d = 1). `t` is d², and finite beyond the rim
/// too.
template <class L>
ROUNDEL_HOST_DEVICE void snow_color(const SnowRamp& ramp, typename L::Float t,
                                    typename L::Float& red, typename L::Float& green) {
  const typename L::Float d = near_sqrt<L>(t);
  const typename L::Float inner = L::clamp(d, 0.25f, 0.5f), outer = L::at_least(d, 0.75f);
  red = L::fma(inner, L::set(ramp.red_slope), L::set(ramp.red_start));
  green = L::fma(inner, L::set(ramp.green_slope), L::set(ramp.green_start));
  green = L::fma(outer, L::set(ramp.rim_slope), green);
}

/// Shader snow where the squared distances are dx2 and dy2 and 1/r² is `inverse_r2`: colour, but
/// for blue, and alpha.
template <class L>
ROUNDEL_HOST_DEVICE void shade_snow(const SnowRamp& ramp, typename L::Float dx2,
                                    typename L::Float dy2, typename L::Float inverse_r2,
                                    typename L::Float peak_alpha, typename L::Float& alpha,
                                    typename L::Float& red, typename L::Float& green) {
  snow_color<L>(ramp, L::mul(L::add(dx2, dy2), inverse_r2), red, green);
  alpha = L::mul(snow_row_alpha<L>(dy2, inverse_r2, peak_alpha),
                 snow_falloff<L>(L::mul(dx2, inverse_r2)));
}

// Coverage by area (antialias: true): the share of a pixel that lies in the circle.

/// Above so many pixels of radius the coverage test decides, as without it: binary32 has no finer
/// places there.
inline constexpr float kLargestAreaRadius = 0x1p17f;

/// A circle in pixels, and what follows from its radius. `arc` and `bend` are 1/(12·R) and
/// 1/(4·R²).
template <class L>
struct AreaDisc {
  typename L::Float x, y, radius, r2, arc, bend;
};

template <class L>
ROUNDEL_HOST_DEVICE AreaDisc<L> area_disc(typename L::Float x, typename L::Float y,
                                          typename L::Float radius, float height) {
  const typename L::Float scale = L::set(height), in_pixels = L::mul(radius, scale);
  // Finite where the radius is next to nothing, and then times nothing.
  const typename L::Float divisor = L::at_least(in_pixels, 0x1p-60f);
  return {L::mul(x, scale),
          L::mul(y, scale),
          in_pixels,
          L::mul(in_pixels, in_pixels),
          L::inverse(L::mul(L::set(12.0f), divisor)),
          L::inverse(L::mul(L::set(4.0f), L::mul(divisor, divisor)))};
}

/// Half the chord at distance t >= 0 from the centre of a circle; 0 outside.
template <class L>
ROUNDEL_INLINE_HOST_DEVICE typename L::Float half_chord(typename L::Float radius,
                                                        typename L::Float t) {
  return L::sqrt_or_0(L::mul(L::sub(radius, t), L::add(radius, t)));
}

/// What a pixel has of one side of a circle's axis: distances 0 <= near <= far from it, and half
/// the chords there.
template <class L>
struct AreaSide {
  typename L::Float near, far, near_chord, far_chord;
};

template <class L>
ROUNDEL_INLINE_HOST_DEVICE AreaSide<L> area_side(typename L::Float radius, typename L::Float near,
                                                 typename L::Float far) {
  return {near, far, half_chord<L>(radius, near), half_chord<L>(radius, far)};
}

/// A pixel's column or row cut by the axis through a circle's centre: `main` has its farthest edge;
/// `other` is what lies on the axis' other side, mirrored: where there is nothing it is [0, 0], of
/// which no rectangle has an area.
template <class L>
struct AreaSpan {
  typename L::Float near, far, other;
};

/// From edge0 to edge1, both counted from the centre.
template <class L>
ROUNDEL_INLINE_HOST_DEVICE AreaSpan<L> area_span(typename L::Float edge0, typename L::Float edge1) {
  const typename L::Float left = L::neg(edge0), right = edge1;
  return {L::at_least(L::max(edge0, L::neg(edge1)), 0.0f), L::max(left, right),
          L::at_least(L::min(left, right), 0.0f)};
}

/// The area of the disc's part in a rectangle that lies on one side of both axes, mirrored to x and
/// y >= 0. The arc starts on the right edge, or on the lower one, and ends on the upper edge, or on
/// the left one. The area is a rectangle up to where it ends, a trapezium under its chord, and its
/// segment. A cubic stands for the segment's ratio to c³/(12·R), (3/4)·(θ − sin θ)/sin³(θ/2) of
/// sin²(θ/2) in [0, ½], within 1.3·10⁻⁴ of it. Exactly 0 where a side is [0, 0].
template <class L>
ROUNDEL_INLINE_HOST_DEVICE typename L::Float area_in_rectangle(const AreaDisc<L>& disc,
                                                               const AreaSide<L>& x,
                                                               const AreaSide<L>& y) {
  using Float = typename L::Float;
  const Float start_x = L::min(y.near_chord, x.far), start_y = L::max(x.far_chord, y.near);
  const Float end_x = L::min(L::max(y.far_chord, x.near), x.far);
  const Float end_y = L::min(x.near_chord, y.far);
  const Float dx = L::at_least(L::sub(start_x, end_x), 0.0f);
  const Float dy = L::at_least(L::sub(end_y, start_y), 0.0f);
  const Float chord2 = L::fma(dx, dx, L::mul(dy, dy));
  const Float t = L::mul(chord2, disc.bend);
  Float p = L::fma(t, L::set(0x1.f9ba92p-3f), L::set(0x1.c26bb6p-4f));
  p = L::fma(t, p, L::set(0x1.37f9ecp-2f));
  p = L::fma(t, p, L::set(1.0f));
  const Float segment = L::mul(L::mul(L::mul(chord2, L::sqrt(chord2)), disc.arc), p);
  const Float trapezium = L::fma(dy, L::set(0.5f), L::sub(start_y, y.near));
  return L::fma(L::sub(end_x, x.near), L::sub(end_y, y.near), L::fma(dx, trapezium, segment));
}

/// A part of a pixel lies in the disc: its nearest corner.
template <class L>
ROUNDEL_INLINE_HOST_DEVICE typename L::Mask is_touched(const AreaDisc<L>& disc,
                                                       const AreaSpan<L>& x, const AreaSpan<L>& y) {
  return L::greater(disc.r2, L::add(L::mul(x.near, x.near), L::mul(y.near, y.near)));
}

/// All of a pixel lies in the disc.
template <class L>
ROUNDEL_INLINE_HOST_DEVICE typename L::Mask is_all_covered(const AreaDisc<L>& disc,
                                                           const AreaSpan<L>& x,
                                                           const AreaSpan<L>& y) {
  return L::less_equal(L::add(L::mul(x.far, x.far), L::mul(y.far, y.far)), disc.r2);
}

/// A share from the area: 1 where all of the pixel is covered, 0 where its nearest corner is not.
template <class L>
ROUNDEL_INLINE_HOST_DEVICE typename L::Float share_of_area(const AreaDisc<L>& disc,
                                                           const AreaSpan<L>& x,
                                                           const AreaSpan<L>& y,
                                                           typename L::Float area) {
  return L::zero_unless(is_touched<L>(disc, x, y),
                        L::choose(is_all_covered<L>(disc, x, y), L::set(1.0f), L::saturate(area)));
}

/// The share of a pixel that a disc covers. The order of the sum is fixed, up to what changes no
/// bit.
template <class L>
ROUNDEL_HOST_DEVICE typename L::Float area_share(const AreaDisc<L>& disc, const AreaSpan<L>& x,
                                                 const AreaSpan<L>& y) {
  const typename L::Float zero = L::set(0.0f);
  const auto row = [&](const AreaSide<L>& side) {
    return L::add(area_in_rectangle<L>(disc, area_side<L>(disc.radius, x.near, x.far), side),
                  area_in_rectangle<L>(disc, area_side<L>(disc.radius, zero, x.other), side));
  };
  return share_of_area<L>(disc, x, y,
                          L::add(row(area_side<L>(disc.radius, y.near, y.far)),
                                 row(area_side<L>(disc.radius, zero, y.other))));
}

/// The share of pixel (i, j) for circles of all sizes. `is_inside` is the coverage test of its
/// centre.
template <class L>
ROUNDEL_HOST_DEVICE typename L::Float pixel_share(const AreaDisc<L>& disc, typename L::Float i,
                                                  typename L::Float j, typename L::Mask is_inside) {
  const auto span = [](typename L::Float edge, typename L::Float center) {
    return area_span<L>(L::sub(edge, center), L::sub(L::add(edge, L::set(1.0f)), center));
  };
  const typename L::Float share = area_share<L>(disc, span(i, disc.x), span(j, disc.y));
  return L::choose(L::greater(disc.radius, L::set(kLargestAreaRadius)),
                   L::zero_unless(is_inside, L::set(1.0f)), share);
}

/// The share of a ring: its disc's less its hole's.
template <class L>
ROUNDEL_INLINE_HOST_DEVICE typename L::Float ring_share(typename L::Float disc,
                                                        typename L::Float hole) {
  return L::at_least(L::sub(disc, hole), 0.0f);
}

/// Where the area of a pixel counts for snow: flakes of less than three pixels fade to an even disc
/// of the same light, so that those that move do not flicker.
template <class L>
struct AreaSnow {
  typename L::Float peak;   ///< of the falling part of alpha
  typename L::Float least;  ///< of that
  typename L::Float even;   ///< the rest
  typename L::Float ramp;   ///< of the colour ramp, squared: what is left
};

template <class L>
ROUNDEL_HOST_DEVICE AreaSnow<L> area_snow(typename L::Float radius_in_pixels,
                                          typename L::Float peak_alpha) {
  const typename L::Float one = L::set(1.0f);
  const typename L::Float share = L::clamp(L::sub(L::set(3.0f), radius_in_pixels), 0.0f, 1.0f);
  const typename L::Float rest = L::sub(one, share), peak = L::mul(peak_alpha, rest);
  return {peak, L::mul(peak, snow_falloff<L>(one)),
          L::mul(peak_alpha, L::mul(share, L::set(0.24542f))), L::mul(rest, rest)};
}

/// Alpha of snow that covers all of a pixel, from the falloffs along both axes: e^(−4·t) is their
/// product, and e^(−4) where the pixel's centre lies outside.
template <class L>
ROUNDEL_HOST_DEVICE typename L::Float area_snow_alpha(const AreaSnow<L>& snow,
                                                      typename L::Float row_alpha,
                                                      typename L::Float column_falloff) {
  return L::add(L::max(L::mul(row_alpha, column_falloff), snow.least), snow.even);
}

/// shade_snow() for shares of pixels, whose centres may lie outside.
template <class L>
ROUNDEL_HOST_DEVICE void shade_area_snow(const SnowRamp& ramp, const AreaSnow<L>& snow,
                                         typename L::Float dx2, typename L::Float dy2,
                                         typename L::Float inverse_r2, typename L::Float& alpha,
                                         typename L::Float& red, typename L::Float& green) {
  const typename L::Float one = L::set(1.0f);
  const auto part = [&](typename L::Float d2) { return L::min(L::mul(d2, inverse_r2), one); };
  snow_color<L>(ramp, L::mul(part(L::add(dx2, dy2)), snow.ramp), red, green);
  alpha = area_snow_alpha<L>(snow, L::mul(snow.peak, snow_falloff<L>(part(dy2))),
                             snow_falloff<L>(part(dx2)));
}

/// Columns (or rows) 0..count−1 of an image of height `height` whose centres lie within `radius` of
/// `center`: the whole numbers from `low` to `high`, none when low > high. With a margin for the
/// rounding of the coverage test and of these lines: `pixel_margin`, 1/64 at least, and 2⁻²⁰ of
/// the numbers involved. `half` is as for pixel_center().
template <class L>
ROUNDEL_HOST_DEVICE void covered_pixels(typename L::Float center, typename L::Float radius,
                                        float height, float count, float half, float pixel_margin,
                                        typename L::Float& low, typename L::Float& high) {
  const typename L::Float middle = L::sub(L::mul(center, L::set(height)), L::set(half));
  const typename L::Float reach = L::mul(radius, L::set(height));
  const typename L::Float magnitude =
      L::add(L::add(L::abs(middle), reach), L::set(count + (half - 0.5f)));
  const typename L::Float margin =
      L::add(L::set(pixel_margin), L::mul(magnitude, L::set(0x1p-20f)));
  const typename L::Float wide = L::add(reach, margin);
  low = L::clamp(L::sub(middle, wide), 0.0f, count);
  high = L::clamp(L::add(middle, wide), -1.0f, count - 1.0f);
}

/// Lets the rest of the light fall on the background: C = fma(T, background, C).
template <class L>
ROUNDEL_HOST_DEVICE void add_background(PixelState<L>& pixel, const BlendColor& background) {
  pixel.red = L::fma(pixel.transmittance, L::set(background.red), pixel.red);
  pixel.green = L::fma(pixel.transmittance, L::set(background.green), pixel.green);
  pixel.blue = L::fma(pixel.transmittance, L::set(background.blue), pixel.blue);
}
template <class L>
ROUNDEL_HOST_DEVICE void add_background(ChannelState<L>& pixel, const BlendColor& background) {
  pixel.red = L::fma(pixel.red_transmittance, L::set(background.red), pixel.red);
  pixel.green = L::fma(pixel.green_transmittance, L::set(background.green), pixel.green);
  pixel.blue = L::fma(pixel.blue_transmittance, L::set(background.blue), pixel.blue);
}

#include "renderer/pixels/quantize_math.h"
