#pragma once
#include "renderer/raster/cuda/area_coverage.cuh"

/// What share of each pixel circles cover. Device code only.
namespace roundel::cuda {

/// The share of any edge; not inlined, so that the code that is run most stays short.
template <bool kLooks>
__noinline__ __device__ float long_share(const AreaScratch& scratch, const TileGrid& grid,
                                         std::uint32_t numbers, float left, float bottom) {
  using L = ScalarLanes;
  const AreaEdge edge(scratch, left, bottom, numbers);
  const float2 center = scratch.centers[edge.circle];
  const float4 factors = scratch.factors[edge.circle];
  // The coverage test of the pixel's centre.
  const auto is_in_disc = [&](float radius) {
    const float dx = center.x - scalar::pixel_center<L>(edge.pixel_x, grid.s);
    const float dy = center.y - scalar::pixel_center<L>(edge.pixel_y, grid.s);
    return scalar::squared_distance<L>(dx, dy) <= radius * radius;
  };
  const auto share_of = [&](const scalar::AreaDisc<L>& disc, float radius) {
    return scalar::pixel_share<L>(disc, edge.pixel_x, edge.pixel_y, is_in_disc(radius));
  };
  const scalar::AreaDisc<AreaLanes>& disc = edge.disc;
  const float share =
      share_of({disc.x, disc.y, disc.radius, disc.r2, disc.arc, disc.bend}, factors.w);
  if (!kLooks || !(share > 0) || !(factors.z > 0)) return share;
  const auto hole = scalar::area_disc<L>(center.x, center.y, factors.z, grid.scale);
  return scalar::ring_share<L>(share, share_of(hole, factors.z));
}

/// Computes the shares of a batch's edges. `kLooks`: some may be rings.
template <bool kLooks>
struct AreaShares {
  using L = ScalarLanes;

  const TileGrid& grid;
  AreaScratch& scratch;
  float left, bottom;  ///< edges of the subtile, in pixels
  bool has_odd;        ///< among the batch's circles

  /// Puts the shares of `count` edges in the place of their numbers, a lane one of any circle and
  /// pixel, so that no lane waits for others: scalar::pixel_share() without the rectangles that
  /// there are not. Where an axis of the circle goes through the pixel there are two, or four where
  /// both do. `kSmall`: the circles are small, so there are many such edges, which come once more,
  /// together; else the other lanes wait for the few.
  template <bool kSmall>
  __device__ void compute(std::uint32_t count) const {
    static_assert(BlendPolicy::kMostShares % 32 == 0);
    constexpr std::uint32_t kMostLate = AreaScratch::kMostLate;
    std::uint32_t num_late = 0;
    __syncwarp();
    for (std::uint32_t first = 0; first < count; first += 32) {
      const std::uint32_t i = first + lane();
      const bool is_one = i < count;
      // Lanes behind the last edge take what is there, and nobody their share: that costs less than
      // to leave them out.
      const std::uint32_t numbers = scratch.shares[i] & AreaEdge::kAllNumbers;
      const AreaEdge edge(scratch, left, bottom, numbers);
      const bool touches = edge.touches(), is_all = edge.is_all_covered();
      bool is_late = touches & !is_all & edge.has_second();
      if (has_odd) is_late |= is_odd(edge);
      is_late &= is_one;
      float share = edge.area();
      if (!is_late) share = L::saturate(share);
      if (is_all) share = 1;
      if (!touches) share = 0;
      if (kLooks && is_ring(edge)) {
        const AreaEdge hole = hole_of(edge);
        is_late |= is_one & hole.touches() & !hole.is_all_covered() & edge.has_second();
        share = scalar::ring_share<L>(share, hole.share_of(hole.area()));
      }
      if (const unsigned late = __ballot_sync(kAllLanes, is_late); late != 0) {
        if (kSmall) {
          const std::uint32_t place = num_late + num_before(late);
          if (is_late && place < kMostLate)
            scratch.late_shares[place] = i << 16 | numbers;
          else if (is_late)
            share = long_share<kLooks>(scratch, grid, numbers, left, bottom);
          num_late = min(num_late + __popc(late), kMostLate);
        } else if (is_late) {
          share = late_share<kSmall>(edge, numbers, share);
        }
      }
      scratch.shares[i] = __float_as_uint(share);
    }
    __syncwarp();
    if constexpr (kSmall) {
      for (std::uint32_t i = lane(); i < num_late; i += 32) {
        const std::uint32_t numbers = scratch.late_shares[i] & 0xffff;
        std::uint32_t& share = scratch.shares[scratch.late_shares[i] >> 16];
        const AreaEdge edge(scratch, left, bottom, numbers);
        share = __float_as_uint(late_share<kSmall>(edge, numbers, __uint_as_float(share)));
      }
      __syncwarp();
    }
  }

  /// In pixels, of a circle of the batch; 0 or less where it has no hole.
  __device__ float hole_radius(int circle) const {
    return kLooks ? scratch.factors[circle].z * grid.scale : 0;
  }

 private:
  /// `area`: of the rectangle with the pixel's farthest corner; of rings nothing. `kSmall`: see
  /// compute().
  template <bool kSmall>
  __device__ float late_share(const AreaEdge& edge, std::uint32_t numbers, float area) const {
    const bool has_four = (edge.x.other > 0) & (edge.y.other > 0);
    // Of large circles few have four: more code for them would slow down the others.
    const bool is_rare = has_four && (kLooks || !kSmall);
    if (is_rare || (has_odd && is_odd(edge)))
      return long_share<kLooks>(scratch, grid, numbers, left, bottom);
    if (kLooks && is_ring(edge)) {
      const AreaEdge hole = hole_of(edge);
      return scalar::ring_share<L>(edge.share_of(edge.area() + edge.second_area()),
                                   hole.share_of(hole.area() + hole.second_area()));
    }
    area += edge.second_area();
    if (has_four) area += edge.other_row_area();
    return L::saturate(area);
  }

  __device__ bool is_ring(const AreaEdge& edge) const { return hole_radius(edge.circle) > 0; }
  __device__ bool is_odd(const AreaEdge& edge) const {
    return AreaEdge::is_odd(edge.disc.radius) ||
           (is_ring(edge) && AreaEdge::is_odd(hole_radius(edge.circle)));
  }
  __device__ AreaEdge hole_of(const AreaEdge& edge) const {
    const float2 center = scratch.centers[edge.circle];
    return edge.with(scalar::area_disc<AreaLanes>(center.x, center.y,
                                                  scratch.factors[edge.circle].z, grid.scale));
  }
};

}  // namespace roundel::cuda
