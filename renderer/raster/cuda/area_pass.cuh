#pragma once
#include "renderer/raster/cuda/area_shares.cuh"
#include "renderer/raster/cuda/subtile_pixels.cuh"

namespace roundel::cuda {

/// A run of a batch's circles with edges in the subtile, and their shares of the lane's pixels.
/// `kStyled`: some may be rings.
template <bool kStyled>
class AreaPass {
 public:
  /// A word has bits for eight circles × four pixels; a pass has two words. Larger passes leave
  /// fewer lanes idle.
  static constexpr int kMaxPassCircles = 16;

  /// Computes the shares of circles begin to end − 1, at most kMaxPassCircles. Lowers `end` if the
  /// shares do not fit.
  template <class Pixels>
  __device__ AreaPass(const AreaShares<kStyled>& shares, const Pixels& pixels, int begin,
                      int& end) {
    if (begin == end) return;
    std::uint32_t active = 0;
#pragma unroll
    for (int k = 0; k < kPixelsPerLane; ++k) active |= pixels.is_active(k) ? 0x11111111u << k : 0;
    std::uint32_t touched[2]{}, edges[2]{};
    find(shares, begin, end, active, touched[0], edges[0]);
    const int middle = begin + kCirclesOfWord;
    if (middle < end) find(shares, middle, end, active, touched[1], edges[1]);
    std::uint32_t inclusive_sum = warp_inclusive_sum(__popc(edges[0]) + __popc(edges[1]));
    std::uint32_t count = __shfl_sync(kAllLanes, inclusive_sum, 31);
    while (count > BlendPolicy::kMaxShares) {
      static_assert(BlendPolicy::kMaxShares >= kCirclesOfWord / 2 * kSubtileWidth * kSubtileHeight);
      edges[1] = 0;
      if (end <= middle) edges[0] &= 0xffff;
      end = end > middle ? middle : begin + kCirclesOfWord / 2;
      inclusive_sum = warp_inclusive_sum(__popc(edges[0]));
      count = __shfl_sync(kAllLanes, inclusive_sum, 31);
    }
    std::uint32_t *const end_of_list = shares.scratch.shares + inclusive_sum,
                         *const between = end_of_list - __popc(edges[1]),
                         *const first = between - __popc(edges[0]);
    list(edges[0], begin, first, between);
    if (middle < end) list(edges[1], middle, between, end_of_list);
    shares.template compute<false>(count);
    touched_ = std::uint64_t{touched[1]} << 32 | touched[0];
    edges_ = std::uint64_t{edges[1]} << 32 | edges[0];
    shares_ = SharedNumbers(first);
  }

  /// Takes the shares of the next circle.
  __device__ void take_shares(float (&pixel_shares)[kPixelsPerLane]) {
#pragma unroll
    for (int k = 0; k < kPixelsPerLane; ++k) {
      pixel_shares[k] = (touched_ >> k & 1) != 0 ? 1.0f : 0.0f;
      shares_.take_if(static_cast<std::uint32_t>(edges_) & 1u << k, pixel_shares[k]);
    }
    touched_ >>= kPixelsPerLane;
    edges_ >>= kPixelsPerLane;
  }

 private:
  static constexpr int kCirclesOfWord = 32 / kPixelsPerLane;
  static_assert(kMaxPassCircles == 2 * kCirclesOfWord);

  /// Finds the pixels that a word's circles touch, and the `active` ones that edges cut: bit 4 · c
  /// + k is for circle first + c and pixel 32 · k + lane().
  __device__ static void find(const AreaShares<kStyled>& shares, int first, int end,
                              std::uint32_t active, std::uint32_t& touched, std::uint32_t& edges) {
    // Each lane tests two rows; transposing gives the bits of its own pixels.
    static_assert(kPixelsPerLane == 4);
    std::uint32_t touched_and_inside[2]{};
    if (const int circle = first + lane() / kPixelsPerLane; circle < end) {
      const float4 disc = shares.scratch.discs[circle];
      const float row = shares.bottom + static_cast<float>(2 * (lane() % kPixelsPerLane));
      auto& [touched_rows, inside] = touched_and_inside;
      AreaRows(disc.x, disc.y, disc.z, shares.left, row).find(0, touched_rows, inside);
      const float hole = shares.hole_radius(circle);
      if (kStyled && hole > 0)
        AreaRows(disc.x, disc.y, hole, shares.left, row).subtract_hole(0, touched_rows, inside);
    }
    transpose(touched_and_inside);
    touched = touched_and_inside[0];
    edges = touched & ~touched_and_inside[1] & active;
  }
  /// Lists a word's edges at first to end_of_list − 1. Writes from both ends at once, which halves
  /// the steps; the last step may write the same edge twice.
  __device__ static void list(std::uint32_t edges, int circle, std::uint32_t* first,
                              std::uint32_t* end_of_list) {
    const std::uint32_t numbers = AreaEdge::numbers(circle, lane());
    while (edges != 0) {
      const int highest = front_bit(edges), lowest = __ffs(static_cast<int>(edges)) - 1;
      edges ^= 1u << highest;
      edges &= edges - 1;
      *first++ = numbers + (static_cast<std::uint32_t>(lowest) << 5);
      *--end_of_list = numbers + (static_cast<std::uint32_t>(highest) << 5);
    }
  }

  std::uint64_t touched_ = 0, edges_ = 0;
  SharedNumbers shares_;  ///< lowest edges first
};

}  // namespace roundel::cuda
