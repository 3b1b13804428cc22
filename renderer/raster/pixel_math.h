// All arithmetic that decides a pixel, over lanes `L` (ScalarLanes, or a Highway target's vectors).
// Every function is a fixed sequence of binary32 operations, each rounded once and equal on every
// backend, so results are equal bit for bit.
//
// No include guard or namespace: scalar_pixel_math.h includes it, and cpu/blend_tiles.cpp for each
// Highway target, since a target's functions need its instructions.

/// A pixel is opaque if its transmittance is at most this.
inline constexpr float kOpaqueTransmittance = 0x1p-20f;

/// Colour and transmittance of L's pixels. Compositing is "over" (Porter & Duff 1984), front to
/// back.
template <class L>
struct PixelState {
  typename L::Float red, green, blue, transmittance;
};

/// A PixelState with a transmittance for each channel, since blend modes filter by colour. If the
/// three are equal, all bits are PixelState's.
template <class L>
struct ChannelState {
  typename L::Float red, green, blue;
  typename L::Float red_transmittance, green_transmittance, blue_transmittance;
};

/// Returns the largest channel's transmittance, which decides whether a pixel is opaque.
template <class L>
ROUNDEL_HOST_DEVICE typename L::Float max_transmittance(const PixelState<L>& pixel) {
  return pixel.transmittance;
}
template <class L>
ROUNDEL_HOST_DEVICE typename L::Float max_transmittance(const ChannelState<L>& pixel) {
  return L::max(L::max(pixel.red_transmittance, pixel.green_transmittance),
                pixel.blue_transmittance);
}

/// Returns the centre of column or row i (from the left or the bottom); s = 1/height. In a part of
/// a picture i counts from its edge, and `half` is ½ plus the columns or rows before it: all these
/// sums are exact.
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

/// Composites a circle under the pixel: w = T·alpha; C = fma(w, c, C); T = T·(1 − alpha). alpha 0,
/// for lanes outside the circle, changes no bit.
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

/// composite() for the `painted` lanes, with one alpha for all of them: bit for bit equal to alpha
/// 0 in the other lanes, in fewer operations.
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

/// composite_solid() for vectors with each pixel's channels side by side: red, green, blue,
/// transmittance (marked by is_transmittance). `transmittance` has it in all channels; `color` has
/// red, green, blue, 1 − alpha.
template <class L>
ROUNDEL_HOST_DEVICE typename L::Float composite_channels(
    typename L::Float channels, typename L::Float transmittance, typename L::Mask painted,
    typename L::Mask is_transmittance, typename L::Float alpha, typename L::Float color) {
  const typename L::Float colored = L::fma(L::mul(transmittance, alpha), color, channels);
  const typename L::Float blended =
      L::choose(is_transmittance, L::mul(transmittance, color), colored);
  return L::choose(painted, blended, channels);
}

template <class L>
struct ModePaint {
  BlendMode mode;
  typename L::Float red, green, blue;
};

/// Composites a channel in a blend mode, as an affine step: light from below counts 1 −
/// alpha·stopped times. alpha 0 keeps the state.
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

template <class L>
ROUNDEL_HOST_DEVICE void composite(ChannelState<L>& pixel, const ModePaint<L>& paint,
                                   typename L::Float alpha) {
  composite_channel<L>(pixel.red, pixel.red_transmittance, paint.mode, alpha, paint.red);
  composite_channel<L>(pixel.green, pixel.green_transmittance, paint.mode, alpha, paint.green);
  composite_channel<L>(pixel.blue, pixel.blue_transmittance, paint.mode, alpha, paint.blue);
}
/// PixelState supports only mode kOver.
template <class L>
ROUNDEL_HOST_DEVICE void composite(PixelState<L>& pixel, const ModePaint<L>& paint,
                                   typename L::Float alpha) {
  composite<L>(pixel, alpha, paint.red, paint.green, paint.blue);
}

/// e^(−4t) for t in [0, 1], within 4e-7, 1 at 0: a polynomial of degree 5 for e^(−t/2), which
/// interpolates (e^(−t/2) − 1)/t at the Chebyshev nodes, squared three times.
template <class L>
ROUNDEL_HOST_DEVICE typename L::Float falloff(typename L::Float t) {
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

/// Alpha of snow is peak·exp(−4·(dx² + dy²)/r²): the product of one exponential a column and one a
/// row, so that few are needed.
template <class L>
ROUNDEL_HOST_DEVICE typename L::Float row_alpha(typename L::Float dy2, typename L::Float inverse_r2,
                                                typename L::Float peak) {
  return L::mul(peak, falloff<L>(L::mul(dy2, inverse_r2)));
}

/// falloff() at the rim.
inline constexpr float kRimFalloff = 0x1.2c1552p-6f;
/// 1/(1 − e⁻⁴), rounded down: no alpha of a soft circle exceeds its centre's.
inline constexpr float kSoftPeak = 0x1.04c6b8p0f;

/// Peak of soft's exponential, for α at the centre.
inline ROUNDEL_HOST_DEVICE float soft_peak(float peak_alpha) {
  return peak_alpha * kSoftPeak;
}
/// Alpha of soft is α·(e^(−4t) − e^(−4))/(1 − e^(−4)). `exponential` is soft_peak()·e^(−4t), `rim`
/// soft_peak()·kRimFalloff.
template <class L>
ROUNDEL_HOST_DEVICE typename L::Float soft_alpha(typename L::Float exponential,
                                                 typename L::Float rim) {
  return L::sub(L::max(exponential, rim), rim);
}

/// 1/r²: one division a circle. Its product with the squared distance of any nearby pixel is
/// finite.
inline ROUNDEL_HOST_DEVICE float inverse_square(float radius) {
  const float r2 = radius * radius;
  return 1.0f / (r2 > 0x1p-120f ? r2 : 0x1p-120f);
}

/// √t for t >= 0, within 1.2e-6 of it: hardware's root is slow, and its estimates differ. L's
/// estimate of 1/√t is within 3.5 %; with g = t·estimate and e = 1 − g·estimate, √t = g/√(1 − e), a
/// polynomial of e within a millionth.
template <class L>
ROUNDEL_HOST_DEVICE typename L::Float near_sqrt(typename L::Float t) {
  const typename L::Float estimate = L::inverse_sqrt_estimate(t);
  const typename L::Float g = L::mul(t, estimate);
  const typename L::Float e = L::negative_fma(g, estimate, L::set(1.0f));
  typename L::Float p = L::fma(e, L::set(0x1.416314p-2f), L::set(0x1.81146ep-2f));
  p = L::fma(e, p, L::set(0x1.ffffbp-2f));
  return L::fma(L::mul(g, e), p, g);
}

/// Colours of snow; blue is 1. With d = distance/radius they go linearly from white (d <= 1/4) to
/// `middle` (1/2 <= d <= 3/4) to `rim` (d = 1). `t` is d², finite also beyond the rim.
template <class L>
ROUNDEL_HOST_DEVICE void snow_color(const SnowRamp& ramp, typename L::Float t,
                                    typename L::Float& red, typename L::Float& green) {
  const typename L::Float d = near_sqrt<L>(t);
  const typename L::Float inner = L::clamp(d, 0.25f, 0.5f), outer = L::at_least(d, 0.75f);
  red = L::fma(inner, L::set(ramp.red_slope), L::set(ramp.red_start));
  green = L::fma(inner, L::set(ramp.green_slope), L::set(ramp.green_start));
  green = L::fma(outer, L::set(ramp.rim_slope), green);
}

/// Alpha of snow and soft at a pixel inside the circle.
template <class L>
ROUNDEL_HOST_DEVICE typename L::Float falloff_alpha(typename L::Float dx2, typename L::Float dy2,
                                                    typename L::Float inverse_r2, float peak_alpha,
                                                    bool is_soft) {
  const typename L::Float peak = L::set(is_soft ? soft_peak(peak_alpha) : peak_alpha);
  const typename L::Float exponential =
      L::mul(row_alpha<L>(dy2, inverse_r2, peak), falloff<L>(L::mul(dx2, inverse_r2)));
  return is_soft ? soft_alpha<L>(exponential, L::mul(peak, L::set(kRimFalloff))) : exponential;
}

// Coverage by area (antialias: true): the share of a pixel in the circle.

/// For radii above this many pixels the coverage test decides: binary32 is too coarse for areas.
inline constexpr float kMaxAreaRadius = 0x1p17f;

/// A circle in pixels; arc = 1/(12·R), bend = 1/(4·R²).
template <class L>
struct AreaDisc {
  typename L::Float x, y, radius, r2, arc, bend;
};

template <class L>
ROUNDEL_HOST_DEVICE AreaDisc<L> area_disc(typename L::Float x, typename L::Float y,
                                          typename L::Float radius, float height) {
  const typename L::Float scale = L::set(height), in_pixels = L::mul(radius, scale);
  // Keeps quotients finite for tiny radii; their factor is 0.
  const typename L::Float divisor = L::at_least(in_pixels, 0x1p-60f);
  return {L::mul(x, scale),
          L::mul(y, scale),
          in_pixels,
          L::mul(in_pixels, in_pixels),
          L::inverse(L::mul(L::set(12.0f), divisor)),
          L::inverse(L::mul(L::set(4.0f), L::mul(divisor, divisor)))};
}

/// Half the chord at distance t >= 0 from the centre; 0 outside.
template <class L>
ROUNDEL_INLINE_HOST_DEVICE typename L::Float half_chord(typename L::Float radius,
                                                        typename L::Float t) {
  return L::sqrt_or_0(L::mul(L::sub(radius, t), L::add(radius, t)));
}

/// A pixel's part on one side of an axis: distances 0 <= near <= far, and half the chords there.
template <class L>
struct AreaSide {
  typename L::Float near, far, near_chord, far_chord;
};

template <class L>
ROUNDEL_INLINE_HOST_DEVICE AreaSide<L> area_side(typename L::Float radius, typename L::Float near,
                                                 typename L::Float far) {
  return {near, far, half_chord<L>(radius, near), half_chord<L>(radius, far)};
}

/// A pixel's column or row: distances of its `near` and `far` edge on the main side of the circle's
/// axis, and its extent on the other side, 0 if the axis does not cut it. [0, 0] has no area.
template <class L>
struct AreaSpan {
  typename L::Float near, far, other;
};

/// Both edges are relative to the centre.
template <class L>
ROUNDEL_INLINE_HOST_DEVICE AreaSpan<L> area_span(typename L::Float edge0, typename L::Float edge1) {
  const typename L::Float left = L::neg(edge0), right = edge1;
  return {L::at_least(L::max(edge0, L::neg(edge1)), 0.0f), L::max(left, right),
          L::at_least(L::min(left, right), 0.0f)};
}

/// Area of the disc in a rectangle on one side of both axes, mirrored to x and y >= 0. The arc
/// starts on the right edge, or the lower one, and ends on the upper, or the left one. The area is
/// a rectangle up to its end, a trapezium under its chord, and its segment. A cubic stands for the
/// segment's ratio to c³/(12·R), (3/4)·(θ − sin θ)/sin³(θ/2) of sin²(θ/2) in [0, ½], within
/// 1.3·10⁻⁴. Exactly 0 if a side is [0, 0].
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

/// Tests the pixel's nearest corner.
template <class L>
ROUNDEL_INLINE_HOST_DEVICE typename L::Mask is_touched(const AreaDisc<L>& disc,
                                                       const AreaSpan<L>& x, const AreaSpan<L>& y) {
  return L::greater(disc.r2, L::add(L::mul(x.near, x.near), L::mul(y.near, y.near)));
}

/// Tests the pixel's farthest corner.
template <class L>
ROUNDEL_INLINE_HOST_DEVICE typename L::Mask is_all_covered(const AreaDisc<L>& disc,
                                                           const AreaSpan<L>& x,
                                                           const AreaSpan<L>& y) {
  return L::less_equal(L::add(L::mul(x.far, x.far), L::mul(y.far, y.far)), disc.r2);
}

template <class L>
ROUNDEL_INLINE_HOST_DEVICE typename L::Float share_of_area(const AreaDisc<L>& disc,
                                                           const AreaSpan<L>& x,
                                                           const AreaSpan<L>& y,
                                                           typename L::Float area) {
  return L::zero_unless(is_touched<L>(disc, x, y),
                        L::choose(is_all_covered<L>(disc, x, y), L::set(1.0f), L::saturate(area)));
}

/// Every backend adds up in this order, except for steps that change no bit.
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

/// Share of pixel (i, j), for all radii. `is_inside`: the coverage test of its centre.
template <class L>
ROUNDEL_HOST_DEVICE typename L::Float pixel_share(const AreaDisc<L>& disc, typename L::Float i,
                                                  typename L::Float j, typename L::Mask is_inside) {
  const auto span = [](typename L::Float edge, typename L::Float center) {
    return area_span<L>(L::sub(edge, center), L::sub(L::add(edge, L::set(1.0f)), center));
  };
  const typename L::Float share = area_share<L>(disc, span(i, disc.x), span(j, disc.y));
  return L::choose(L::greater(disc.radius, L::set(kMaxAreaRadius)),
                   L::zero_unless(is_inside, L::set(1.0f)), share);
}

template <class L>
ROUNDEL_INLINE_HOST_DEVICE typename L::Float ring_share(typename L::Float disc,
                                                        typename L::Float hole) {
  return L::at_least(L::sub(disc, hole), 0.0f);
}

/// Falloff with coverage by area: circles below three pixels of radius fade to an even disc of the
/// same light, so that moving ones do not flicker.
template <class L>
struct AreaFalloff {
  typename L::Float peak;   ///< peak of alpha's falloff
  typename L::Float least;  ///< minimum of alpha's falloff
  typename L::Float even;   ///< the even part of alpha
  typename L::Float ramp;   ///< squared remaining share of snow's colour ramp
};

template <class L>
ROUNDEL_HOST_DEVICE AreaFalloff<L> area_falloff(typename L::Float radius_in_pixels,
                                                float peak_alpha, bool is_soft) {
  // The means of both over the disc.
  constexpr float kSnowMean = 0.24542f, kSoftMean = 0.23134f;
  const typename L::Float one = L::set(1.0f);
  const typename L::Float share = L::clamp(L::sub(L::set(3.0f), radius_in_pixels), 0.0f, 1.0f);
  const typename L::Float rest = L::sub(one, share);
  const typename L::Float peak = L::mul(L::set(is_soft ? soft_peak(peak_alpha) : peak_alpha), rest);
  const typename L::Float least = L::mul(peak, L::set(kRimFalloff));
  const typename L::Float even =
      L::mul(L::set(peak_alpha), L::mul(share, L::set(is_soft ? kSoftMean : kSnowMean)));
  return {peak, least, is_soft ? L::sub(even, least) : even, L::mul(rest, rest)};
}

/// d²/r², at most 1: centres of pixels may lie outside.
template <class L>
ROUNDEL_HOST_DEVICE typename L::Float area_distance(typename L::Float d2,
                                                    typename L::Float inverse_r2) {
  return L::min(L::mul(d2, inverse_r2), L::set(1.0f));
}

/// Alpha where the circle covers the pixel: the product of both falloffs is e^(−4·t), or e^(−4) if
/// the centre lies outside.
template <class L>
ROUNDEL_HOST_DEVICE typename L::Float area_alpha(const AreaFalloff<L>& of_circle,
                                                 typename L::Float dx2, typename L::Float dy2,
                                                 typename L::Float inverse_r2) {
  const typename L::Float row =
      L::mul(of_circle.peak, falloff<L>(area_distance<L>(dy2, inverse_r2)));
  const typename L::Float alpha = L::mul(row, falloff<L>(area_distance<L>(dx2, inverse_r2)));
  return L::add(L::max(alpha, of_circle.least), of_circle.even);
}

/// snow_color() for shares of pixels.
template <class L>
ROUNDEL_HOST_DEVICE void area_snow_color(const SnowRamp& ramp, const AreaFalloff<L>& of_circle,
                                         typename L::Float dx2, typename L::Float dy2,
                                         typename L::Float inverse_r2, typename L::Float& red,
                                         typename L::Float& green) {
  const typename L::Float t = area_distance<L>(L::add(dx2, dy2), inverse_r2);
  snow_color<L>(ramp, L::mul(t, of_circle.ramp), red, green);
}

/// Finds the columns (or rows) 0..count−1 of an image whose centres lie within `radius`: the whole
/// numbers from `low` to `high`, none if low > high. Includes a margin for the rounding of the
/// coverage test and of these lines: `pixel_margin` (at least 1/64) plus 2⁻²⁰ of the numbers
/// involved. `half`: see pixel_center().
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

/// Adds the background: C = fma(T, background, C).
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
