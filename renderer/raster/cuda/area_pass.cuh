#pragma once
#include "renderer/raster/cuda/area_shares.cuh"
#include "renderer/raster/cuda/subtile_pixels.cuh"

namespace roundel::cuda {

/// Some of a batch's circles that do not cover all of the subtile, and what a lane's pixels have of
/// them. Device code only. `kLooks`: some may be rings.
template <bool kLooks>
class AreaPass {
 public:
  /// Two words' worth: a word has a bit for each of eight circles and of the lane's four pixels.
  /// With more circles a pass fewer lanes have no share to compute.
  static constexpr int kMostCircles = 16;

  /// Finds what circles begin to end - 1 touch, kMostCircles at most, and computes the shares of
  /// their edges. Where there is no room for all of these, `end` becomes less.
  template <class Pixels>
  __device__ AreaPass(const AreaShares<kLooks>& shares, const Pixels& pixels, int begin, int& end) {
    if (begin == end) return;
    std::uint32_t active = 0;
#pragma unroll
    for (int k = 0; k < kPixelsPerLane; ++k) active |= pixels.is_active(k) ? 0x11111111u << k : 0;
    std::uint32_t touched[2]{}, edges[2]{};
    find(shares, begin, end, active, touched[0], edges[0]);
    const int middle = begin + kCirclesOfWord;
    if (middle < end) find(shares, middle, end, active, touched[1], edges[1]);
    std::uint32_t up_to_here = warp_inclusive_sum(__popc(edges[0]) + __popc(edges[1]));
    std::uint32_t count = __shfl_sync(kAllLanes, up_to_here, 31);
    while (count > BlendPolicy::kMostShares) {
      static_assert(BlendPolicy::kMostShares >=
                    kCirclesOfWord / 2 * kSubtileWidth * kSubtileHeight);
      edges[1] = 0;
      if (end <= middle) edges[0] &= 0xffff;
      end = end > middle ? middle : begin + kCirclesOfWord / 2;
      up_to_here = warp_inclusive_sum(__popc(edges[0]));
      count = __shfl_sync(kAllLanes, up_to_here, 31);
    }
    std::uint32_t *const behind = shares.scratch.shares + up_to_here,
                         *const between = behind - __popc(edges[1]),
                         *const first = between - __popc(edges[0]);
    list(edges[0], begin, first, between);
    if (middle < end) list(edges[1], middle, between, behind);
    shares.template compute<false>(count);
    touched_ = std::uint64_t{touched[1]} << 32 | touched[0];
    edges_ = std::uint64_t{edges[1]} << 32 | edges[0];
    shares_ = SharedNumbers(first);
  }

  /// Of the first circle that is left.
  __device__ void take_shares(float (&of_pixels)[kPixelsPerLane]) {
#pragma unroll
    for (int k = 0; k < kPixelsPerLane; ++k) {
      of_pixels[k] = (touched_ >> k & 1) != 0 ? 1.0f : 0.0f;
      shares_.take_if(static_cast<std::uint32_t>(edges_) & 1u << k, of_pixels[k]);
    }
    touched_ >>= kPixelsPerLane;
    edges_ >>= kPixelsPerLane;
  }

 private:
  static constexpr int kCirclesOfWord = 32 / kPixelsPerLane;
  static_assert(kMostCircles == 2 * kCirclesOfWord);

  /// Which of the lane's pixels each circle of a word, from `first` on and before `end`, touches,
  /// and which `active` ones its edge goes through: bit 4 · c + k is of circle first + c and pixel
  /// 32 · k + lane().
  __device__ static void find(const AreaShares<kLooks>& shares, int first, int end,
                              std::uint32_t active, std::uint32_t& touched, std::uint32_t& edges) {
    // A lane finds what a circle touches of two rows. Transposed, these are its own pixels' bits.
    static_assert(kPixelsPerLane == 4);
    std::uint32_t touched_and_inside[2]{};
    if (const int circle = first + lane() / kPixelsPerLane; circle < end) {
      const float4 disc = shares.scratch.discs[circle];
      const float row = shares.bottom + static_cast<float>(2 * (lane() % kPixelsPerLane));
      auto& [of_rows, inside] = touched_and_inside;
      AreaRows(disc.x, disc.y, disc.z, shares.left, row).find(0, of_rows, inside);
      const float hole = shares.hole_radius(circle);
      if (kLooks && hole > 0)
        AreaRows(disc.x, disc.y, hole, shares.left, row).take_out(0, of_rows, inside);
    }
    transpose(touched_and_inside);
    touched = touched_and_inside[0];
    edges = touched & ~touched_and_inside[1] & active;
  }
  /// Of a word of circles from `circle` on, at first to behind - 1. From both ends: half as many
  /// steps. In the last one both may be the same edge.
  __device__ static void list(std::uint32_t edges, int circle, std::uint32_t* first,
                              std::uint32_t* behind) {
    const std::uint32_t numbers = AreaEdge::numbers(circle, lane());
    while (edges != 0) {
      const int highest = front_bit(edges), lowest = __ffs(static_cast<int>(edges)) - 1;
      edges ^= 1u << highest;
      edges &= edges - 1;
      *first++ = numbers + (static_cast<std::uint32_t>(lowest) << 5);
      *--behind = numbers + (static_cast<std::uint32_t>(highest) << 5);
    }
  }

  std::uint64_t touched_ = 0, edges_ = 0;
  SharedNumbers shares_;  ///< of the edges, the lowest first
};

}  // namespace roundel::cuda
