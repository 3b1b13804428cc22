#include "renderer/compare/flip_tile.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstddef>
#include <cstdint>

// The compiler vectorizes the plain loops below; without contraction, their results do not depend
// on the vectors' width.
#define HWY_TARGET_INCLUDE "renderer/compare/flip_tile.cpp"
#include "renderer/base/each_highway_target.h"

HWY_BEFORE_NAMESPACE();
namespace roundel::HWY_NAMESPACE {

struct Color3 {
  float x, y, z;
};

/// log₂ x for normal x > 0, relative error about 1e-7.
HWY_INLINE float log2_of(float x) {
  // x = 2ᵏ·m with m in [2/3, 4/3); log₂ m = 2/ln 2 · artanh s, s = (m − 1)/(m + 1), by its series.
  constexpr std::int32_t kTwoThirds = 0x3f2aaaab;
  const std::int32_t bits = std::bit_cast<std::int32_t>(x);
  const std::int32_t exponent = (bits - kTwoThirds) >> 23;
  const float m = std::bit_cast<float>(bits - (exponent << 23));
  const float s = (m - 1.0f) / (m + 1.0f), s2 = s * s;
  const float series = 1.0f + s2 * (1.0f / 3 + s2 * (1.0f / 5 + s2 * (1.0f / 7 + s2 * (1.0f / 9))));
  return static_cast<float>(exponent) + 2.88539008f * s * series;
}

/// 2ʸ for y in [−126, 126], relative error about 1e-7.
HWY_INLINE float exp2_of(float y) {
  constexpr float kRound = 0x1.8p23f;
  const float whole = (y + kRound) - kRound;
  const float r = (y - whole) * 0.693147181f;
  const float series =
      1.0f + r * (1.0f + r * (0.5f + r * (1.0f / 6 +
                                          r * (1.0f / 24 + r * (1.0f / 120 + r * (1.0f / 720))))));
  const std::int32_t exponent = static_cast<std::int32_t>(whole);
  return series * std::bit_cast<float>((exponent + 127) << 23);
}

/// xʸ for x ≥ 0 and y > 0; x below 1e-30 counts as 0.
HWY_INLINE float power(float x, float y) {
  const float safe = std::max(x, 1e-30f);
  const float exponent = std::max(y * log2_of(safe), -126.0f);
  return x > 1e-30f ? exp2_of(exponent) : 0.0f;
}

HWY_INLINE float clamp_unit(float x) {
  return std::min(std::max(x, 0.0f), 1.0f);
}

constexpr float quotient(double a, double b) {
  return static_cast<float>(a / b);
}
constexpr double kWhiteX = 0.950428545, kWhiteZ = 1.088900371;

/// From linear RGB with sRGB's primaries; white is (1, 1, 1).
HWY_INLINE Color3 rgb_to_relative_xyz(Color3 c) {
  constexpr double kX = 24577794 * kWhiteX, kY = 12288897, kZ = 73733382 * kWhiteZ;
  return {quotient(10135552, kX) * c.x + quotient(8788810, kX) * c.y + quotient(4435075, kX) * c.z,
          quotient(2613072, kY) * c.x + quotient(8788810, kY) * c.y + quotient(887015, kY) * c.z,
          quotient(1425312, kZ) * c.x + quotient(8788810, kZ) * c.y + quotient(70074185, kZ) * c.z};
}

HWY_INLINE Color3 relative_xyz_to_rgb(Color3 c) {
  const float x = c.x * static_cast<float>(kWhiteX), y = c.y, z = c.z * static_cast<float>(kWhiteZ);
  return {3.241003275f * x - 1.537398934f * y - 0.498615861f * z,
          -0.969224334f * x + 1.875930071f * y + 0.041554224f * z,
          0.055639423f * x - 0.204011202f * y + 1.057148933f * z};
}

/// CIELAB's f.
HWY_INLINE float lab_curve(float t) {
  constexpr float kDelta = 6.0f / 29;
  const float root = power(t, 1.0f / 3);
  const float line = t / (3 * kDelta * kDelta) + 4.0f / 29;
  return t > kDelta * kDelta * kDelta ? root : line;
}

/// CIELAB of linear RGB, its chroma scaled by lightness (Hunt's effect).
HWY_INLINE Color3 hunt_lab(Color3 rgb) {
  const Color3 xyz = rgb_to_relative_xyz(rgb);
  const float fx = lab_curve(xyz.x), fy = lab_curve(xyz.y), fz = lab_curve(xyz.z);
  const float lightness = 116.0f * fy - 16.0f;
  const float hunt = 0.01f * lightness;
  return {lightness, hunt * 500.0f * (fx - fy), hunt * 200.0f * (fy - fz)};
}

/// HyAB distance, raised to a power that spreads small distances.
HWY_INLINE float color_distance(Color3 a, Color3 b) {
  const float da = a.y - b.y, db = a.z - b.z;
  return power(std::abs(a.x - b.x) + std::sqrt(da * da + db * db), 0.7f);
}

/// Maps the distance to [0, 1], steeply up to a part of the largest, that between green and blue.
HWY_INLINE float redistributed(float distance, float largest) {
  constexpr float kKneeInput = 0.4f, kKneeOutput = 0.95f;
  const float knee = kKneeInput * largest;
  return distance < knee ? kKneeOutput / knee * distance
                         : kKneeOutput + (distance - knee) / (largest - knee) * (1 - kKneeOutput);
}

/// Hill's and Narkowicz's fit of the ACES tone mapping, with the usual factor 0.6.
HWY_INLINE float tone_mapped(float x) {
  constexpr float kPre = 0.6f;
  const float y = std::min(x * kPre, 1e4f);  // above this all is white; keeps squares finite
  const float mapped = (y * (2.51f * y + 0.03f)) / (y * (2.43f * y + 0.59f) + 0.14f);
  return clamp_unit(mapped);
}

/// Opponent colours: Y, Cx and Cz.
void to_opponent(const ColorPlanes& rgb, float exposure, std::vector<float> (&out)[3]) {
  const std::size_t count = rgb.planes[0].size();
  for (auto& plane : out) plane.resize(count);
  const float* const red = rgb.planes[0].data();
  const float* const green = rgb.planes[1].data();
  const float* const blue = rgb.planes[2].data();
  float* HWY_RESTRICT const y = out[0].data();
  float* HWY_RESTRICT const cx = out[1].data();
  float* HWY_RESTRICT const cz = out[2].data();
  const auto convert = [&](std::size_t i, Color3 color) {
    const Color3 xyz = rgb_to_relative_xyz(color);
    y[i] = 116.0f * xyz.y - 16.0f;
    cx[i] = 500.0f * (xyz.x - xyz.y);
    cz[i] = 200.0f * (xyz.y - xyz.z);
  };
  if (exposure == 0) {
    for (std::size_t i = 0; i < count; ++i) convert(i, {red[i], green[i], blue[i]});
    return;
  }
  for (std::size_t i = 0; i < count; ++i)
    convert(i, {tone_mapped(red[i] * exposure), tone_mapped(green[i] * exposure),
                tone_mapped(blue[i] * exposure)});
}

/// out[y][x] = Σ weights[k]·in[y][x + k] for `rows` rows; in[y] has `in_width` values and starts
/// `margin` pixels before out[y].
void filter_rows(const FilterTaps& taps, const float* in, std::size_t in_width, std::size_t margin,
                 std::size_t rows, std::size_t width, std::vector<float>& out) {
  out.assign(rows * width, 0.0f);
  const std::size_t first = margin - static_cast<std::size_t>(taps.radius);
  for (std::size_t row = 0; row < rows; ++row) {
    const float* const from = in + row * in_width + first;
    float* HWY_RESTRICT const to = out.data() + row * width;
    for (std::size_t k = 0; k < taps.weights.size(); ++k) {
      const float weight = taps.weights[k];
      for (std::size_t x = 0; x < width; ++x) to[x] += weight * from[x + k];
    }
  }
}

/// out[x] += Σ weights[k]·in[row + k][x]; `in` has `width` columns and starts `margin` rows before
/// the output.
HWY_INLINE void filter_columns(const FilterTaps& taps, const std::vector<float>& in,
                               std::size_t margin, std::size_t row, std::size_t width,
                               float* HWY_RESTRICT out) {
  const std::size_t first = row + margin - static_cast<std::size_t>(taps.radius);
  for (std::size_t k = 0; k < taps.weights.size(); ++k) {
    const float weight = taps.weights[k];
    const float* const from = in.data() + (first + k) * width;
    for (std::size_t x = 0; x < width; ++x) out[x] += weight * from[x];
  }
}

/// After the filters along rows.
struct Filtered {
  std::vector<float>&achromatic, &red_green, &blue_yellow0, &blue_yellow1, &smooth, &edge, &point;
};

void filter_all_rows(const FlipFilters& filters, const std::vector<float> (&opponent)[3],
                     std::size_t width, std::size_t height, const Filtered& out) {
  const auto margin = static_cast<std::size_t>(filters.radius);
  const std::size_t in_width = width + 2 * margin, rows = height + 2 * margin;
  const auto filter = [&](const FilterTaps& taps, std::size_t plane, std::vector<float>& to) {
    filter_rows(taps, opponent[plane].data(), in_width, margin, rows, width, to);
  };
  filter(filters.achromatic, 0, out.achromatic);
  filter(filters.red_green, 1, out.red_green);
  filter(filters.blue_yellow_rows[0], 2, out.blue_yellow0);
  filter(filters.blue_yellow_rows[1], 2, out.blue_yellow1);
  filter(filters.smooth, 0, out.smooth);
  filter(filters.edge, 0, out.edge);
  filter(filters.point, 0, out.point);
}

// Fixed sizes, which the compiler knows not to overlap.
using Row = float[kMaxFlipTileWidth];

/// After all filters: Y, Cx, two parts of Cz; edges along x and y, points along x and y.
struct FilteredRow {
  Row sums[8];
};

/// Colour, and the strength of edges and points.
struct RowFeatures {
  Row lightness, a, b, edges, points;
};

void filter_row_columns(const FlipFilters& filters, const Filtered& in, std::size_t row,
                        std::size_t width, FilteredRow& out) {
  const auto margin = static_cast<std::size_t>(filters.radius);
  const auto filter = [&](const FilterTaps& taps, const std::vector<float>& from, Row& to) {
    std::fill_n(to, width, 0.0f);
    filter_columns(taps, from, margin, row, width, to);
  };
  filter(filters.achromatic, in.achromatic, out.sums[0]);
  filter(filters.red_green, in.red_green, out.sums[1]);
  filter(filters.blue_yellow_columns[0], in.blue_yellow0, out.sums[2]);
  filter(filters.blue_yellow_columns[1], in.blue_yellow1, out.sums[3]);
  filter(filters.smooth, in.edge, out.sums[4]);
  filter(filters.edge, in.smooth, out.sums[5]);
  filter(filters.smooth, in.point, out.sums[6]);
  filter(filters.point, in.smooth, out.sums[7]);
}

void extract_features(const FilteredRow& HWY_RESTRICT in, std::size_t width,
                      RowFeatures& HWY_RESTRICT out) {
  const Row(&s)[8] = in.sums;
  for (std::size_t x = 0; x < width; ++x) {
    const float y = (s[0][x] + 16.0f) * (1.0f / 116);
    const float cz = s[2][x] + s[3][x];
    const Color3 rgb = relative_xyz_to_rgb({y + s[1][x] * (1.0f / 500), y, y - cz * (1.0f / 200)});
    const Color3 lab = hunt_lab({clamp_unit(rgb.x), clamp_unit(rgb.y), clamp_unit(rgb.z)});
    out.lightness[x] = lab.x, out.a[x] = lab.y, out.b[x] = lab.z;
    constexpr float kGrey = 1.0f / 116;  // features come from Y alone, 0 to 1
    out.edges[x] = kGrey * std::sqrt(s[4][x] * s[4][x] + s[5][x] * s[5][x]);
    out.points[x] = kGrey * std::sqrt(s[6][x] * s[6][x] + s[7][x] * s[7][x]);
  }
}

void difference_of_rows(const RowFeatures& a, const RowFeatures& b, std::size_t width,
                        float* HWY_RESTRICT errors) {
  const float largest = color_distance(hunt_lab({0, 1, 0}), hunt_lab({0, 0, 1}));
  for (std::size_t x = 0; x < width; ++x) {
    const float color = redistributed(
        color_distance({a.lightness[x], a.a[x], a.b[x]}, {b.lightness[x], b.a[x], b.b[x]}),
        largest);
    const float feature =
        std::max(std::abs(a.edges[x] - b.edges[x]), std::abs(a.points[x] - b.points[x]));
    const float feature_error = std::sqrt(0.707106781f * feature);
    errors[x] = std::max(errors[x], clamp_unit(power(color, 1.0f - clamp_unit(feature_error))));
  }
}

void flip_tile(const FlipFilters& filters, FlipTile& tile, FlipScratch& scratch) {
  const auto width = static_cast<std::size_t>(tile.width);
  const auto height = static_cast<std::size_t>(tile.height);
  auto& p = scratch.filtered;
  const Filtered filtered[2] = {{p[0], p[1], p[2], p[3], p[4], p[5], p[6]},
                                {p[7], p[8], p[9], p[10], p[11], p[12], p[13]}};
  for (int picture = 0; picture < 2; ++picture) {
    to_opponent(picture == 0 ? tile.a : tile.b, tile.exposure, scratch.opponent);
    filter_all_rows(filters, scratch.opponent, width, height, filtered[picture]);
  }
  FilteredRow sums;
  RowFeatures features[2];
  for (std::size_t row = 0; row < height; ++row) {
    for (int picture = 0; picture < 2; ++picture) {
      filter_row_columns(filters, filtered[picture], row, width, sums);
      extract_features(sums, width, features[picture]);
    }
    difference_of_rows(features[0], features[1], width, tile.errors.data() + row * width);
  }
}

}  // namespace roundel::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace roundel {
HWY_EXPORT(flip_tile);

void flip_tile(const FlipFilters& filters, FlipTile& tile, FlipScratch& scratch) {
  HWY_DYNAMIC_DISPATCH(flip_tile)(filters, tile, scratch);
}

}  // namespace roundel
#endif  // HWY_ONCE
