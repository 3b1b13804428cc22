#pragma once
#include "renderer/raster/cuda/area_coverage.cuh"

namespace roundel::cuda {

/// Computes the share of any edge. Not inlined, so that frequent code stays short.
template <bool kStyled>
__noinline__ __device__ float long_share(const AreaScratch& scratch, const TileGrid& grid,
                                         std::uint32_t numbers, float left, float bottom) {
  using L = ScalarLanes;
  const AreaEdge edge(scratch, left, bottom, numbers);
  const float2 center = scratch.centers[edge.circle];
  const float4 factors = scratch.factors[edge.circle];
  // The coverage test.
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
  if (!kStyled || !(share > 0) || !(factors.z > 0)) return share;
  const auto hole = scalar::area_disc<L>(center.x, center.y, factors.z, grid.scale);
  return scalar::ring_share<L>(share, share_of(hole, factors.z));
}

template <bool kStyled>
struct AreaShares {
  using L = ScalarLanes;

  const TileGrid& grid;
  AreaScratch& scratch;
  float left, bottom;  ///< edges of the subtile, in pixels
  bool has_extreme;    ///< AreaEdge::is_extreme() for some circle

  /// Replaces the numbers of `count` edges by their shares: scalar::pixel_share() without empty
  /// rectangles. Each lane takes an edge of any circle, so that no lane waits. If an axis of the
  /// circle cuts the pixel there are two rectangles, four if both do. `kSmall`: the circles are
  /// small, so these edges are frequent and are computed later, together. Else the other lanes wait
  /// for the few.
  template <bool kSmall>
  __device__ void compute(std::uint32_t count) const {
    static_assert(BlendPolicy::kMaxShares % 32 == 0);
    constexpr std::uint32_t kMaxDeferred = AreaScratch::kMaxDeferred;
    std::uint32_t num_deferred = 0;
    __syncwarp();
    for (std::uint32_t first = 0; first < count; first += 32) {
      const std::uint32_t i = first + lane();
      const bool is_edge = i < count;
      // Lanes past the last edge compute an unused value; that is cheaper than a branch.
      const std::uint32_t numbers = scratch.shares[i] & AreaEdge::kAllNumbers;
      const AreaEdge edge(scratch, left, bottom, numbers);
      const bool touches = edge.touches(), is_all = edge.is_all_covered();
      bool is_deferred = touches & !is_all & edge.has_second_rectangle();
      if (has_extreme) is_deferred |= is_extreme(edge);
      is_deferred &= is_edge;
      float share = edge.area();
      if (!is_deferred) share = L::saturate(share);
      if (is_all) share = 1;
      if (!touches) share = 0;
      if (kStyled && is_ring(edge)) {
        const AreaEdge hole = hole_of(edge);
        is_deferred |=
            is_edge & hole.touches() & !hole.is_all_covered() & edge.has_second_rectangle();
        share = scalar::ring_share<L>(share, hole.share_of(hole.area()));
      }
      if (const unsigned deferred = __ballot_sync(kAllLanes, is_deferred); deferred != 0) {
        if (kSmall) {
          const std::uint32_t position = num_deferred + num_before(deferred);
          if (is_deferred && position < kMaxDeferred)
            scratch.deferred[position] = i << 16 | numbers;
          else if (is_deferred)
            share = long_share<kStyled>(scratch, grid, numbers, left, bottom);
          num_deferred = min(num_deferred + __popc(deferred), kMaxDeferred);
        } else if (is_deferred) {
          share = deferred_share<kSmall>(edge, numbers, share);
        }
      }
      scratch.shares[i] = __float_as_uint(share);
    }
    __syncwarp();
    if constexpr (kSmall) {
      for (std::uint32_t i = lane(); i < num_deferred; i += 32) {
        const std::uint32_t numbers = scratch.deferred[i] & 0xffff;
        std::uint32_t& share = scratch.shares[scratch.deferred[i] >> 16];
        const AreaEdge edge(scratch, left, bottom, numbers);
        share = __float_as_uint(deferred_share<kSmall>(edge, numbers, __uint_as_float(share)));
      }
      __syncwarp();
    }
  }

  /// In pixels; 0 or less if there is no hole.
  __device__ float hole_radius(int circle) const {
    return kStyled ? scratch.factors[circle].z * grid.scale : 0;
  }

 private:
  /// `area`: of the rectangle with the farthest corner; unused for rings. `kSmall`: see compute().
  template <bool kSmall>
  __device__ float deferred_share(const AreaEdge& edge, std::uint32_t numbers, float area) const {
    const bool has_four = (edge.x.other > 0) & (edge.y.other > 0);
    // Rare for large circles: more code would slow down the others.
    const bool is_rare = has_four && (kStyled || !kSmall);
    if (is_rare || (has_extreme && is_extreme(edge)))
      return long_share<kStyled>(scratch, grid, numbers, left, bottom);
    if (kStyled && is_ring(edge)) {
      const AreaEdge hole = hole_of(edge);
      return scalar::ring_share<L>(edge.share_of(edge.area() + edge.second_area()),
                                   hole.share_of(hole.area() + hole.second_area()));
    }
    area += edge.second_area();
    if (has_four) area += edge.other_row_area();
    return L::saturate(area);
  }

  __device__ bool is_ring(const AreaEdge& edge) const { return hole_radius(edge.circle) > 0; }
  __device__ bool is_extreme(const AreaEdge& edge) const {
    return AreaEdge::is_extreme(edge.disc.radius) ||
           (is_ring(edge) && AreaEdge::is_extreme(hole_radius(edge.circle)));
  }
  __device__ AreaEdge hole_of(const AreaEdge& edge) const {
    const float2 center = scratch.centers[edge.circle];
    return edge.with(scalar::area_disc<AreaLanes>(center.x, center.y,
                                                  scratch.factors[edge.circle].z, grid.scale));
  }
};

}  // namespace roundel::cuda
