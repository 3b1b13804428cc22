#pragma once
#include "renderer/raster/cuda/blend_policy.cuh"
#include "renderer/raster/cuda/subtile_pixels.cuh"
#include "renderer/raster/cuda/warp.cuh"

/// Finds the pixels of a subtile that a circle covers, one circle a lane, by the coverage test of
/// the frame contract.
namespace roundel::cuda {

/// Radius in pixels up to which compute_spans() finds the ends of rows.
inline constexpr float kMaxSpanRadius = 400;

/// Box of a circle in the subtile, slightly too large.
struct SubtileBox {
  /// Pixels. With 2⁻²⁰ of the numbers involved it exceeds the rounding of positions, 1/64 in the
  /// largest pictures.
  static constexpr float kMargin = 0.03125f;

  float middle_x, reach;  ///< centre in columns of the subtile, radius in pixels
  int first_column, first_row, columns, rows;
  bool reaches;

  __device__ SubtileBox(const Shape& shape, const SubtilePosition& pixels, const TileGrid& grid) {
    middle_x = shape.x * grid.scale - pixels.first_x;
    const float middle_y = shape.y * grid.scale - pixels.first_y;
    const float radius = shape.radius * grid.scale;
    reach = radius + (kMargin + (fabsf(middle_x) + fabsf(middle_y) + radius) * 0x1p-20f);
    const float x0 = fmaxf(middle_x - reach, 0.0f),
                x1 = fminf(middle_x + reach, kSubtileWidth - 1.0f);
    const float y0 = fmaxf(middle_y - reach, 0.0f),
                y1 = fminf(middle_y + reach, kSubtileHeight - 1.0f);
    reaches = shape.radius > 0 && x0 <= x1 && y0 <= y1;
    first_column = __float2int_ru(x0);
    columns = __float2int_rd(x1) + 1 - first_column;
    first_row = __float2int_ru(y0);
    rows = __float2int_rd(y1) + 1 - first_row;
  }
  __device__ int side() const { return max(columns, rows); }
};

/// Sets `bit` if a <= b, in one instruction after the comparison; the compiler takes two.
inline __device__ void set_if_at_most(std::uint32_t& bits, std::uint32_t bit, float a, float b) {
  asm("{ .reg .pred p; setp.le.f32 p, %1, %2; @p or.b32 %0, %0, %3; }"
      : "+r"(bits)
      : "f"(a), "f"(b), "r"(bit));
}

inline __device__ float approximate_sqrt(float a) {
  float root;
  asm("sqrt.approx.ftz.f32 %0, %1;" : "=f"(root) : "f"(a));
  return root;
}

/// Finds the covered pixels, which are all among the kSide rows and columns from (first_column,
/// first_row) on: bit 16·(row % 2) + column of word row / 2. Takes equal steps for every circle,
/// without waiting for shared memory.
template <int kSide>
__device__ void test_box(const Shape& shape, float r2, int first_column, int first_row,
                         const SubtilePosition& pixels, const TileGrid& grid,
                         std::uint32_t covering[kPixelsPerLane]) {
  using L = ScalarLanes;
  // Whole numbers and halves below 2²³: sums are exact.
  const float x = pixels.first_x + static_cast<float>(first_column);
  const float y = pixels.first_y + static_cast<float>(first_row);
  float dx2[kSide];
#pragma unroll
  for (int i = 0; i < kSide; ++i) {
    const float dx = shape.x - scalar::pixel_center<L>(static_cast<float>(i), grid.s, x);
    dx2[i] = dx * dx;
  }
  static_assert((kSide == 4 || kSide == 6) && kSubtileWidth == 16 && kPixelsPerLane == 4);
  std::uint32_t pairs[3];  // rows: column i from the first one at bits i and 16 + i
  const std::uint32_t columns = (0xffffu >> first_column) * 0x10001;  // inside the subtile
#pragma unroll
  for (int pair = 0; pair < 3; ++pair) {
    std::uint32_t bits = 0;
#pragma unroll
    for (int row = 2 * pair; row < min(2 * pair + 2, kSide); ++row) {
      const float dy = shape.y - scalar::pixel_center<L>(static_cast<float>(row), grid.s, y);
      const float dy2 = dy * dy;
#pragma unroll
      for (int i = 0; i < kSide; ++i)
        set_if_at_most(bits, 1u << (row % 2 * 16 + i), dx2[i] + dy2, r2);
    }
    pairs[pair] = (bits & columns) << first_column;
  }
  // Shifts up by first_row rows, 16 bits each; rows above drop out.
  const int odd = first_row % 2 * 16;
  covering[0] = pairs[0] << odd;
  covering[1] = __funnelshift_l(pairs[0], pairs[1], odd);
  covering[2] = __funnelshift_l(pairs[1], pairs[2], odd);
  covering[3] = __funnelshift_l(pairs[2], 0, odd);
#pragma unroll
  for (int step = 1; step <= 2; step *= 2) {
    const bool is_moved = (first_row & 2 * step) != 0;
#pragma unroll
    for (int word = kPixelsPerLane - 1; word >= 0; --word)
      if (is_moved) covering[word] = word < step ? 0 : covering[word - step];
  }
}

/// Finds the covered pixels: bit 16·(row % 2) + column of word row / 2. Covered pixels of a row are
/// contiguous, because rounding is monotonic: approximate arithmetic finds the ends to within half
/// a pixel, then the coverage test decides. `middle` is the centre in columns of the subtile,
/// finite. No pixel is covered if r2 < 0.
///
/// Why half a pixel, for radii up to R = kMaxSpanRadius: the coverage test rounds a sum of at most
/// r² twice, which moves an end by at most R·2⁻¹¹·⁵, 0.14 pixels; dy² is the test's own. Its
/// centres of pixels and `middle` differ by 2⁻²² of the position, at most 1/64 pixel. The root is
/// within 2⁻²³ (PTX ISA, sqrt.approx; denormals count as 0), and numbers of up to R + 24 columns
/// are rounded a few times to 2⁻²⁴: less than 0.001.
inline __device__ void compute_spans(const Shape& shape, float r2, float middle,
                                     const SubtilePosition& pixels, const TileGrid& grid,
                                     std::uint32_t covering[kPixelsPerLane]) {
  // A row is a word for columns −8 to 23, which a clamped end may take. The first one is counted
  // from the word's left end, the last one from its right end, in 31sts of the word, so that
  // clamping to [0, 1] is free.
  constexpr int kLeft = 8, kLastColumn = 31;
  constexpr float kPart = 1.0f / kLastColumn;
  const float s = grid.s;
  const float scale = -grid.scale * kPart;
  const float from_left = (middle + kLeft) * kPart,
              from_right = (kLastColumn - kLeft - middle) * kPart;
  const float x_half = pixels.first_x - kLeft;
  const float y_half = pixels.first_y;
  // Adding 1.5·2²³ rounds to a whole number in the lowest bits.
  constexpr float kRound = 0x1.8p23f;
  std::uint32_t even_row = 0;
#pragma unroll
  for (int row = 0; row < kSubtileHeight; ++row) {
    const float dy = shape.y - s * (y_half + static_cast<float>(row));
    const float dy2 = dy * dy;
    // Half a chord; 0 if the circle misses the row: both ends are then equal or adjacent, and out,
    // so no pixel stays.
    const float chord = approximate_sqrt(fmaxf(r2 - dy2, 0.0f));
    const float first =
        __fmaf_rn(__saturatef(__fmaf_rn(chord, scale, from_left)), kLastColumn, kRound);
    const float last =
        __fmaf_rn(__saturatef(__fmaf_rn(chord, scale, from_right)), kLastColumn, kRound);
    const auto is_out = [&](float column) {  // outside the word
      const float dx = shape.x - s * (x_half + column);
      return !(dx * dx + dy2 <= r2);
    };
    // Funnel shifts use five bits of their count.
    const std::uint32_t from_first =
        __funnelshift_l(0, is_out(first - kRound) ? ~1u : ~0u, __float_as_uint(first));
    const std::uint32_t to_last = __funnelshift_r(
        is_out((kRound + kLastColumn) - last) ? ~0u >> 1 : ~0u, 0, __float_as_uint(last));
    const std::uint32_t bits = from_first & to_last;
    if (row % 2 == 0)
      even_row = bits;
    else
      covering[row / 2] = __byte_perm(even_row, bits, 0x6521);  // columns 0 to 15 of both
  }
}

/// Transposes a word for each circle into a word for each pixel (Warren, Hacker's Delight, 7-3;
/// lanes are rows). One permutation exchanges whole bytes.
template <int kWords>
__device__ void transpose(std::uint32_t (&words)[kWords]) {
  const auto exchange = [&](int distance, auto&& merge) {
#pragma unroll
    for (std::uint32_t& word : words)
      word = merge(word, __shfl_xor_sync(kAllLanes, word, distance));
  };
  const std::uint32_t halves = (lane() & 16) != 0 ? 0x3276 : 0x5410;
  exchange(16, [&](auto own, auto other) { return __byte_perm(own, other, halves); });
  const std::uint32_t bytes = (lane() & 8) != 0 ? 0x3715 : 0x6240;
  exchange(8, [&](auto own, auto other) { return __byte_perm(own, other, bytes); });
  std::uint32_t kept = 0x0f0f0f0f;
#pragma unroll
  for (int distance = 4; distance > 0; distance /= 2) {
    const bool is_upper = (lane() & distance) != 0;
    const int rotation = is_upper ? 32 - distance : distance;
    std::uint32_t mask = is_upper ? ~kept : kept;
    asm("" : "+r"(mask));  // else choosing bits takes three instructions
    exchange(distance, [&](auto own, auto other) {
      return (own & mask) | (__funnelshift_l(other, other, rotation) & ~mask);
    });
    kept ^= kept << (distance / 2);
  }
}

}  // namespace roundel::cuda
