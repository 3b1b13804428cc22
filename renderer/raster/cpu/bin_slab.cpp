#include "renderer/raster/cpu/bin_slab.h"

#include <algorithm>
#include <cmath>

#define HWY_TARGET_INCLUDE "renderer/raster/cpu/bin_slab.cpp"
#include <hwy/cache_control.h>
#include "renderer/base/each_highway_target.h"

HWY_BEFORE_NAMESPACE();
namespace roundel::cpu::HWY_NAMESPACE {
#include "renderer/raster/cpu/highway_lanes.h"

using L = VectorLanes;
using Vector = L::Float;
const L::Tag kTag;
const hn::RebindToSigned<L::Tag> kIntegers;
constexpr int kLanes = static_cast<int>(hn::MaxLanes(kTag));

/// Tiles of the circles' bounding boxes, columns [x0, x1] × rows [y0, y1]; x1 is −1 if there are
/// none. `only` is the tile if it is a single one, else −1.
struct Rects {
  static constexpr int kCapacity = 256;  // with the circles a quarter of an L1 cache
  alignas(64) std::int32_t x0[kCapacity];
  alignas(64) std::int32_t y0[kCapacity];
  alignas(64) std::int32_t x1[kCapacity];
  alignas(64) std::int32_t y1[kCapacity];
  alignas(64) std::int32_t only[kCapacity];
};

using Integers = hn::Vec<decltype(kIntegers)>;

HWY_INLINE Integers tiles_of(Vector pixels, const TileGrid& grid) {
  return hn::ShiftRightSame(hn::ConvertTo(kIntegers, pixels), grid.tile_shift);
}

HWY_INLINE void compute_rects(const Shape* shapes, const TileGrid& grid, Rects& rects, int i) {
  Vector x, y, z, radius;
  hn::LoadInterleaved4(kTag, &shapes->x, x, y, z, radius);
  const float height = static_cast<float>(grid.height), width = static_cast<float>(grid.width);
  Vector x0, x1, y0, y1;
  covered_whole_pixels(x, radius, grid.scale, width, grid.half_x, grid.margin, x0, x1);
  covered_whole_pixels(y, radius, grid.scale, height, grid.half_y, grid.margin, y0, y1);
  const L::Mask some =
      hn::And(hn::And(hn::Le(x0, x1), hn::Le(y0, y1)), L::greater(radius, hn::Zero(kTag)));
  const Integers left = tiles_of(x0, grid), bottom = tiles_of(y0, grid), top = tiles_of(y1, grid);
  const Integers right = tiles_of(L::choose(some, x1, L::set(-1.0f)), grid);
  hn::Store(left, kIntegers, rects.x0 + i);
  hn::Store(bottom, kIntegers, rects.y0 + i);
  hn::Store(right, kIntegers, rects.x1 + i);
  hn::Store(top, kIntegers, rects.y1 + i);
  const Integers tile = hn::Add(hn::Mul(bottom, hn::Set(kIntegers, grid.tiles_x)), left);
  const auto is_single = hn::And(hn::Eq(left, right), hn::Eq(bottom, top));
  hn::Store(hn::IfThenElse(is_single, tile, hn::Set(kIntegers, -1)), kIntegers, rects.only + i);
}

/// Computes the rectangles of `count` circles. `kFetchesAhead`: prefetches, since the processor
/// fetches too few in this order.
template <bool kFetchesAhead>
HWY_INLINE void compute_rects(std::span<const Shape> shapes, std::size_t first, int count,
                              const TileGrid& grid, Rects& rects) {
  constexpr std::size_t kShapesAhead = 128, kShapesOfLine = 64 / sizeof(Shape);
  const Shape* const some = shapes.data() + first;
  const int whole = count & -kLanes;
  if (whole < count) {
    Shape rest[kLanes] = {};
    std::copy_n(some + whole, count - whole, rest);
    compute_rects(rest, grid, rects, whole);
  }
  // Downwards, like all loops here, so that the processor fetches ahead.
  for (int i = whole - kLanes; i >= 0; i -= kLanes) {
    if (const std::size_t at = first + static_cast<std::size_t>(i);
        kFetchesAhead && at >= kShapesAhead)
      for (std::size_t line = 0; line < kLanes; line += kShapesOfLine)
        hwy::Prefetch(&shapes[at - kShapesAhead + line]);
    compute_rects(some + i, grid, rects, i);
  }
}

HWY_INLINE void compute_reach(const Shape& shape, const TileGrid& grid, int tile_y,
                              std::int32_t* x0, std::int32_t* x1) {
  const float tile_size = static_cast<float>(grid.tile_size);
  const float height = static_cast<float>(grid.height), width = static_cast<float>(grid.width);
  const Vector row = hn::Iota(kTag, static_cast<float>(tile_y));
  const Vector first_pixel = L::mul(row, L::set(tile_size));
  const Vector last_pixel =
      hn::Min(L::add(first_pixel, L::set(tile_size - 1.0f)), L::set(height - 1.0f));
  // With coverage by area pixels count from edge to edge; more than the rounding is added.
  const float beyond =
      grid.is_antialiased()
          ? grid.margin + (std::abs(shape.y) + shape.radius + 1.0f) * grid.scale * 0x1p-20f
          : 0.0f;
  const Vector bottom = pixel_center<L>(L::sub(first_pixel, L::set(beyond)), grid.s, grid.half_y);
  const Vector top = pixel_center<L>(L::add(last_pixel, L::set(beyond)), grid.s, grid.half_y);
  const Vector y = L::set(shape.y);
  const Vector dy = L::sub(y, hn::Min(hn::Max(y, bottom), top));
  // Half the chord; 2⁻²⁰ r² exceeds the rounding of the coverage test.
  const Vector r2 = L::set(shape.radius * shape.radius);
  const Vector square = hn::Max(L::sub(r2, L::mul(dy, dy)), hn::Zero(kTag));
  const Vector half = L::sqrt(L::add(square, L::mul(r2, L::set(0x1p-20f))));
  Vector first, last;
  covered_whole_pixels(L::set(shape.x), half, grid.scale, width, grid.half_x, grid.margin, first,
                       last);
  hn::Store(tiles_of(first, grid), kIntegers, x0);
  hn::Store(tiles_of(last, grid), kIntegers, x1);
}

/// Visits the circles from the last to the first, except those in done tiles: visit_tile(index,
/// tile) for a single tile, else visit_run(index, y, x0, x1) for each row of tiles, with the
/// columns that the circle may reach.
template <bool kFetchesAhead, typename VisitTile, typename VisitRun>
HWY_INLINE void for_each_circle(std::span<const Shape> shapes, const TileGrid& grid,
                                const ActiveTiles& active, const VisitTile& visit_tile,
                                const VisitRun& visit_run) {
  Rects rects;
  alignas(64) std::int32_t reach_x0[kLanes], reach_x1[kLanes];
  for (std::size_t end = shapes.size(), count = 0; end > 0; end -= count) {
    count = std::min<std::size_t>(Rects::kCapacity, end);
    const std::size_t first = end - count;
    compute_rects<kFetchesAhead>(shapes, first, static_cast<int>(count), grid, rects);
    for (std::size_t i = count; i-- > 0;) {
      const int only = rects.only[i];
      if (only >= 0) {
        if (active.is_active(only)) visit_tile(first + i, only);
        continue;
      }
      const int x0 = rects.x0[i], x1 = rects.x1[i], y0 = rects.y0[i], y1 = rects.y1[i];
      if (x1 < x0 || !active.any(x0, y0, x1, y1)) continue;
      // In up to two rows or columns the bounding box is nearly as tight.
      if (x1 - x0 < 2 || y1 - y0 < 2) {
        for (int y = y0; y <= y1; ++y) visit_run(first + i, y, x0, x1);
        continue;
      }
      for (int y = y0; y <= y1; ++y) {
        const int lane = (y - y0) % kLanes;
        if (lane == 0) compute_reach(shapes[first + i], grid, y, reach_x0, reach_x1);
        if (reach_x0[lane] <= reach_x1[lane])
          visit_run(first + i, y, reach_x0[lane], reach_x1[lane]);
      }
    }
  }
}

void count_slab(std::span<const Shape> shapes, const TileGrid& grid, const ActiveTiles& active,
                std::uint32_t* counts, std::uint32_t* steps) {
  for_each_circle<true>(
      shapes, grid, active, [&](std::size_t, int tile) { ++counts[tile]; },
      [&](std::size_t, int y, int x0, int x1) {
        ++steps[y * grid.tiles_x + x0];
        --steps[y * grid.tiles_x + x1 + 1];
      });
}

template <typename Emit>
HWY_INLINE void for_each_overlap(std::span<const Shape> shapes, const TileGrid& grid,
                                 const ActiveTiles& active, const Emit& emit) {
  for_each_circle<false>(shapes, grid, active, emit, [&](std::size_t i, int y, int x0, int x1) {
    const int row = y * grid.tiles_x;
    for (int tile = row + x0; tile <= row + x1; ++tile)
      if (active.is_active(tile)) emit(i, tile);
  });
}

void emit_indices(std::span<const Shape> shapes, const TileGrid& grid, const ActiveTiles& active,
                  std::uint32_t first_index, std::uint32_t* next, std::uint32_t* indices) {
  for_each_overlap(shapes, grid, active, [&](std::size_t i, int tile) {
    indices[next[tile]++] = first_index + static_cast<std::uint32_t>(i);
  });
}

/// Gathers elements of 16 bytes in L1 and streams whole vectors: single ones would leave as parts
/// of cache lines. `to` is aligned to 64 bytes, with capacity for multiples of that.
template <typename Element>
HWY_INLINE void stream(const Element* from, std::span<const std::uint32_t> indices, Element* to) {
  constexpr std::size_t kGathered = 128;
  alignas(64) Element gathered[kGathered];
  for (std::size_t first = 0; first < indices.size(); first += kGathered) {
    const std::size_t count = std::min(kGathered, indices.size() - first);
    for (std::size_t i = 0; i < count; ++i) gathered[i] = from[indices[first + i]];
    const float* const floats = reinterpret_cast<const float*>(gathered);
    float* const out = reinterpret_cast<float*>(to + first);
    for (std::size_t i = 0; i < 4 * count; i += kLanes)
      hn::Stream(hn::Load(kTag, floats + i), kTag, out + i);
  }
  hwy::FlushStream();
}
void stream_shapes(const Shape* from, std::span<const std::uint32_t> indices, Shape* to) {
  stream(from, indices, to);
}
void stream_paints(const Paint* from, std::span<const std::uint32_t> indices, Paint* to) {
  stream(from, indices, to);
}

}  // namespace roundel::cpu::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace roundel::cpu {
HWY_EXPORT(count_slab);
HWY_EXPORT(emit_indices);
HWY_EXPORT(stream_shapes);
HWY_EXPORT(stream_paints);

ActiveTiles::ActiveTiles(const TileGrid& grid, std::span<const std::uint8_t> done_tiles)
    : done(done_tiles),
      all(std::all_of(done.begin(), done.end(), [](std::uint8_t f) { return f == 0; })),
      stride(static_cast<std::size_t>(grid.tiles_x) + 1) {
  if (all) return;
  sums.resize(stride * (static_cast<std::size_t>(grid.tiles_y) + 1));
  std::size_t tile = 0;
  for (std::size_t at = stride; at < sums.size(); at += stride) {
    for (std::size_t x = 1; x < stride; ++x, ++tile) {
      const std::uint32_t is_active = done[tile] == 0 ? 1 : 0;
      sums[at + x] =
          sums[at + x - 1] + sums[at - stride + x] - sums[at - stride + x - 1] + is_active;
    }
  }
}

void count_slab(std::span<const Shape> shapes, const TileGrid& grid, const ActiveTiles& active,
                std::uint32_t* counts, std::uint32_t* steps) {
  HWY_DYNAMIC_DISPATCH(count_slab)(shapes, grid, active, counts, steps);
}

void emit_indices(std::span<const Shape> shapes, const TileGrid& grid, const ActiveTiles& active,
                  std::uint32_t first_index, std::uint32_t* next, std::uint32_t* indices) {
  HWY_DYNAMIC_DISPATCH(emit_indices)(shapes, grid, active, first_index, next, indices);
}

void stream_copies(const Shape* from, std::span<const std::uint32_t> indices, Shape* to) {
  HWY_DYNAMIC_DISPATCH(stream_shapes)(from, indices, to);
}

void stream_copies(const Paint* from, std::span<const std::uint32_t> indices, Paint* to) {
  HWY_DYNAMIC_DISPATCH(stream_paints)(from, indices, to);
}

}  // namespace roundel::cpu
#endif  // HWY_ONCE
