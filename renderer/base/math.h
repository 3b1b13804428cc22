#pragma once
#include <bit>
#include <cmath>
#include <cstdint>
#include <limits>

#include "renderer/base/host_device.h"

/// Arithmetic with the same result bits on all platforms, host and device: only operations that
/// IEEE 754 defines exactly. The platforms' exp and log differ in the last bits.
namespace roundel {

/// 2ᵏ for k in [−1022, 1023].
ROUNDEL_HOST_DEVICE inline double power_of_two(int k) {
  return std::bit_cast<double>(static_cast<std::uint64_t>(k + 1023) << 52);
}

// ln 2 in two parts (as in FreeBSD's msun). The first has 32 significant bits: its product with any
// binary64 exponent is exact.
inline constexpr double kLn2High = 6.93147180369123816490e-01;
inline constexpr double kLn2Low = 1.90821492927058770002e-10;

/// eˣ, relative error below 1e-15 if the result is normal. Overflows to infinity; NaN stays NaN.
ROUNDEL_HOST_DEVICE inline double portable_exp(double x) {
  if (!(x < 709.782712893384)) {
    return x > 0 ? std::numeric_limits<double>::infinity() : x;  // overflow or NaN
  }
  if (x < -745.2) return 0;
  // x = k·ln 2 + r with |r| <= ln 2 / 2; eˣ = 2ᵏ·eʳ, eʳ by its Taylor series.
  const double k = std::floor(x * 1.44269504088896338700e+00 + 0.5);
  const double r = (x - k * kLn2High) - k * kLn2Low;
  double sum = 1.0 / 6227020800;  // 1/13!
  sum = sum * r + 1.0 / 479001600;
  sum = sum * r + 1.0 / 39916800;
  sum = sum * r + 1.0 / 3628800;
  sum = sum * r + 1.0 / 362880;
  sum = sum * r + 1.0 / 40320;
  sum = sum * r + 1.0 / 5040;
  sum = sum * r + 1.0 / 720;
  sum = sum * r + 1.0 / 120;
  sum = sum * r + 1.0 / 24;
  sum = sum * r + 1.0 / 6;
  sum = sum * r + 0.5;
  sum = sum * r + 1.0;
  sum = sum * r + 1.0;
  // Two factors, since 2ᵏ alone leaves the normal range at both ends.
  const int half = static_cast<int>(k) / 2;
  return sum * power_of_two(half) * power_of_two(static_cast<int>(k) - half);
}

/// x = 2ᵏ·m with m in [√½, √2), for finite x > 0.
struct BinaryParts {
  int exponent;
  double mantissa;
};
ROUNDEL_HOST_DEVICE inline BinaryParts binary_parts(double x) {
  int k = 0;
  if (x < std::numeric_limits<double>::min()) {  // subnormal
    x *= 18014398509481984.0;                    // 2⁵⁴
    k = -54;
  }
  const std::uint64_t bits = std::bit_cast<std::uint64_t>(x);
  k += static_cast<int>(bits >> 52) - 1023;
  double m = std::bit_cast<double>((bits & 0x000fffffffffffffULL) | 0x3ff0000000000000ULL);
  if (m > 1.41421356237309505) {
    m *= 0.5;
    ++k;
  }
  return {k, m};
}

/// log m for m in [√½, √2): 2·artanh f, f = (m − 1)/(m + 1), |f| < 0.172, by its series.
ROUNDEL_HOST_DEVICE inline double artanh_series(double m) {
  const double f = (m - 1) / (m + 1);
  const double s = f * f;
  double sum = 1.0 / 21;
  sum = sum * s + 1.0 / 19;
  sum = sum * s + 1.0 / 17;
  sum = sum * s + 1.0 / 15;
  sum = sum * s + 1.0 / 13;
  sum = sum * s + 1.0 / 11;
  sum = sum * s + 1.0 / 9;
  sum = sum * s + 1.0 / 7;
  sum = sum * s + 1.0 / 5;
  sum = sum * s + 1.0 / 3;
  sum = sum * s + 1.0;
  return 2 * f * sum;
}

/// Natural logarithm, relative error below 1e-15. −infinity at 0, NaN below.
ROUNDEL_HOST_DEVICE inline double portable_log(double x) {
  if (!(x > 0)) {
    return x == 0 ? -std::numeric_limits<double>::infinity()
                  : std::numeric_limits<double>::quiet_NaN();
  }
  if (x > std::numeric_limits<double>::max()) return x;
  const BinaryParts parts = binary_parts(x);
  const int k = parts.exponent;
  return k * kLn2High + (artanh_series(parts.mantissa) + k * kLn2Low);
}

/// Logarithm to base 2, relative error below 1e-15, exact for powers of two. −infinity at 0, NaN
/// below.
ROUNDEL_HOST_DEVICE inline double portable_log2(double x) {
  if (!(x > 0)) {
    return x == 0 ? -std::numeric_limits<double>::infinity()
                  : std::numeric_limits<double>::quiet_NaN();
  }
  if (x > std::numeric_limits<double>::max()) return x;
  const BinaryParts parts = binary_parts(x);
  return parts.exponent + artanh_series(parts.mantissa) * 1.44269504088896338700e+00;
}

struct Direction {
  double sin, cos;  ///< components of the unit vector
};

/// Sine and cosine of an angle in degrees, absolute error below 1e-15; exact at multiples of 90.
ROUNDEL_HOST_DEVICE inline Direction portable_sin_cos(double degrees) {
  // The remainders are exact: k quarter turns and |x| <= π/4.
  const double turn = std::fmod(degrees, 360.0);
  const double k = std::floor(turn / 90 + 0.5);
  const double x = (turn - 90 * k) * 0.017453292519943295;
  const double s = x * x;
  double sin = 1.0 / 355687428096000;  // 1/17!
  sin = sin * s - 1.0 / 1307674368000;
  sin = sin * s + 1.0 / 6227020800;
  sin = sin * s - 1.0 / 39916800;
  sin = sin * s + 1.0 / 362880;
  sin = sin * s - 1.0 / 5040;
  sin = sin * s + 1.0 / 120;
  sin = sin * s - 1.0 / 6;
  sin = x + x * s * sin;
  double cos = 1.0 / 20922789888000;  // 1/16!
  cos = cos * s - 1.0 / 87178291200;
  cos = cos * s + 1.0 / 479001600;
  cos = cos * s - 1.0 / 3628800;
  cos = cos * s + 1.0 / 40320;
  cos = cos * s - 1.0 / 720;
  cos = cos * s + 1.0 / 24;
  cos = 1 - s * (0.5 - s * cos);
  switch (static_cast<int>(k) & 3) {
    case 0:
      return {sin, cos};
    case 1:
      return {cos, -sin};
    case 2:
      return {-sin, -cos};
    default:
      return {-cos, sin};
  }
}

}  // namespace roundel
