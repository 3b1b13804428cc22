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

/// Composites one circle onto pixels that lie dx and dy from its centre. Pixels outside the circle,
/// and those that have stopped, stay as they are.
template <class L>
ROUNDEL_HOST_DEVICE void blend_circle(PixelState<L>& pixel, typename L::Float dx,
                                      typename L::Float dy, float radius, const Paint& paint,
                                      const SnowRamp& ramp) {
  const typename L::Float dx2 = L::mul(dx, dx), dy2 = L::mul(dy, dy), d2 = L::add(dx2, dy2);
  const typename L::Mask painted =
      L::both(L::less_equal(d2, L::set(radius * radius)),
              L::greater(pixel.transmittance, L::set(kOpaqueTransmittance)));
  if (L::none(painted)) return;
  if (is_snow(paint)) {
    typename L::Float alpha, red, green;
    shade_snow<L>(ramp, dx2, dy2, L::set(inverse_square(radius)), L::set(peak_alpha(paint)), alpha,
                  red, green);
    composite<L>(pixel, L::zero_unless(painted, alpha), red, green, L::set(1.0f));
  } else {
    composite<L>(pixel, L::zero_unless(painted, L::set(paint.alpha)), L::set(paint.red),
                 L::set(paint.green), L::set(paint.blue));
  }
}

/// Columns (or rows) 0..count−1 of an image of height `height` whose centres lie within `radius` of
/// `center`: the whole numbers from `low` to `high`, none when low > high. With a margin for the
/// rounding of the coverage test and of these lines: 1/64 pixel and 2⁻²⁰ of the numbers involved.
/// `half` is as for pixel_center().
template <class L>
ROUNDEL_HOST_DEVICE void covered_pixels(typename L::Float center, typename L::Float radius,
                                        float height, float count, float half,
                                        typename L::Float& low, typename L::Float& high) {
  const typename L::Float middle = L::sub(L::mul(center, L::set(height)), L::set(half));
  const typename L::Float reach = L::mul(radius, L::set(height));
  const typename L::Float magnitude =
      L::add(L::add(L::abs(middle), reach), L::set(count + (half - 0.5f)));
  const typename L::Float margin = L::add(L::set(0x1p-6f), L::mul(magnitude, L::set(0x1p-20f)));
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

#include "renderer/pixels/quantize_math.h"
