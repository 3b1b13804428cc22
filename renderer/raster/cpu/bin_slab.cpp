#include "renderer/raster/cpu/bin_slab.h"

#include <algorithm>
#include <cmath>
#include <cstring>

// Compiled once for each of these instruction sets; the best one that the machine has is chosen
// when the program runs.
#define HWY_DISABLED_TARGETS (HWY_SSSE3 | HWY_AVX3_DL)
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "renderer/raster/cpu/bin_slab.cpp"
#include <hwy/foreach_target.h>  // must come before highway.h
#include <hwy/highway.h>

HWY_BEFORE_NAMESPACE();
namespace roundel::cpu::HWY_NAMESPACE {
#include "renderer/raster/cpu/highway_lanes.h"

using L = VectorLanes;
using Vector = L::Float;
const L::Tag kTag;
const hn::RebindToSigned<L::Tag> kIntegers;
constexpr int kLanes = static_cast<int>(hn::MaxLanes(kTag));

/// Columns [x0, x1] × rows [y0, y1] of bins that circles may cover a pixel in, by their bounding
/// boxes; x1 is −1 where there is none.
struct Rects {
  static constexpr int kCapacity = 256;  // with the circles themselves a quarter of an L1 cache
  alignas(64) std::int32_t x0[kCapacity];
  alignas(64) std::int32_t y0[kCapacity];
  alignas(64) std::int32_t x1[kCapacity];
  alignas(64) std::int32_t y1[kCapacity];
};

HWY_INLINE void store_bins(Vector pixels, const TileGrid& grid, std::int32_t* bins) {
  hn::Store(hn::ShiftRightSame(hn::ConvertTo(kIntegers, pixels), grid.bin_shift), kIntegers, bins);
}

/// One vector of circles.
HWY_INLINE void find_rects(const Shape* shapes, const TileGrid& grid, Rects& rects, int i) {
  Vector x, y, z, radius;
  hn::LoadInterleaved4(kTag, &shapes->x, x, y, z, radius);
  const float height = static_cast<float>(grid.height), width = static_cast<float>(grid.width);
  Vector x0, x1, y0, y1;
  covered_whole_pixels(x, radius, height, width, x0, x1);
  covered_whole_pixels(y, radius, height, height, y0, y1);
  const L::Mask some =
      hn::And(hn::And(hn::Le(x0, x1), hn::Le(y0, y1)), L::greater(radius, hn::Zero(kTag)));
  store_bins(x0, grid, rects.x0 + i);
  store_bins(y0, grid, rects.y0 + i);
  store_bins(L::choose(some, x1, L::set(-1.0f)), grid, rects.x1 + i);
  store_bins(y1, grid, rects.y1 + i);
}

HWY_INLINE void find_rects(std::span<const Shape> shapes, const TileGrid& grid, Rects& rects) {
  const int count = static_cast<int>(shapes.size());
  const int whole = count & -kLanes;
  for (int i = 0; i < whole; i += kLanes) find_rects(shapes.data() + i, grid, rects, i);
  if (whole == count) return;
  Shape rest[kLanes] = {};
  std::copy(shapes.begin() + whole, shapes.end(), rest);
  find_rects(rest, grid, rects, whole);
}

/// The columns of bins [x0, x1] that the circle may reach within each of kLanes rows of bins from
/// bin_y on.
HWY_INLINE void find_reach(const Shape& shape, const TileGrid& grid, int bin_y, std::int32_t* x0,
                           std::int32_t* x1) {
  const float bin_size = static_cast<float>(grid.bin_size);
  const float height = static_cast<float>(grid.height), width = static_cast<float>(grid.width);
  const Vector row = hn::Iota(kTag, static_cast<float>(bin_y));
  const Vector first_pixel = L::mul(row, L::set(bin_size));
  const Vector last_pixel =
      hn::Min(L::add(first_pixel, L::set(bin_size - 1.0f)), L::set(height - 1.0f));
  const Vector bottom = pixel_center<L>(first_pixel, grid.s);
  const Vector top = pixel_center<L>(last_pixel, grid.s);
  const Vector y = L::set(shape.y);
  const Vector dy = L::sub(y, hn::Min(hn::Max(y, bottom), top));
  // Half the chord; 2⁻²⁰ r² is more than what rounding takes from the coverage test's two sides.
  const Vector r2 = L::set(shape.radius * shape.radius);
  const Vector square = hn::Max(L::sub(r2, L::mul(dy, dy)), hn::Zero(kTag));
  const Vector half = L::sqrt(L::add(square, L::mul(r2, L::set(0x1p-20f))));
  Vector first, last;
  covered_whole_pixels(L::set(shape.x), half, height, width, first, last);
  store_bins(first, grid, x0);
  store_bins(last, grid, x1);
}

/// Calls visit(index, y, x0, x1) for each circle, in order, and each row y of bins of which the
/// circle may cover pixels: in columns [x0, x1]. Not for circles that touch no open bin.
template <typename Visit>
HWY_INLINE void for_each_run(std::span<const Shape> shapes, const TileGrid& grid,
                             const OpenBins& open, const Visit& visit) {
  Rects rects;
  alignas(64) std::int32_t reach_x0[kLanes], reach_x1[kLanes];
  for (std::size_t first = 0; first < shapes.size(); first += Rects::kCapacity) {
    const std::size_t count = std::min<std::size_t>(Rects::kCapacity, shapes.size() - first);
    find_rects(shapes.subspan(first, count), grid, rects);
    for (std::size_t i = 0; i < count; ++i) {
      const int x0 = rects.x0[i], x1 = rects.x1[i], y0 = rects.y0[i], y1 = rects.y1[i];
      if (x1 < x0 || !open.any(x0, y0, x1, y1)) continue;
      // In one or two rows or columns of bins the bounding box is nearly as good as the circle.
      if (x1 - x0 < 2 || y1 - y0 < 2) {
        for (int y = y0; y <= y1; ++y) visit(first + i, y, x0, x1);
        continue;
      }
      for (int y = y0; y <= y1; ++y) {
        const int lane = (y - y0) % kLanes;
        if (lane == 0) find_reach(shapes[first + i], grid, y, reach_x0, reach_x1);
        if (reach_x0[lane] <= reach_x1[lane]) visit(first + i, y, reach_x0[lane], reach_x1[lane]);
      }
    }
  }
}

void count_slab(std::span<const Shape> shapes, const TileGrid& grid, const OpenBins& open,
                std::uint64_t* steps) {
  for_each_run(shapes, grid, open, [&](std::size_t, int y, int x0, int x1) {
    ++steps[y * grid.bins_x + x0];
    --steps[y * grid.bins_x + x1 + 1];
  });
}

template <typename Emit>
HWY_INLINE void for_each_overlap(std::span<const Shape> shapes, const TileGrid& grid,
                                 const OpenBins& open, const Emit& emit) {
  for_each_run(shapes, grid, open, [&](std::size_t i, int y, int x0, int x1) {
    const int row = y * grid.bins_x;
    for (int bin = row + x0; bin <= row + x1; ++bin)
      if (open.all || open.finished[static_cast<std::size_t>(bin)] == 0) emit(i, bin);
  });
}

void emit_indices(std::span<const Shape> shapes, const TileGrid& grid, const OpenBins& open,
                  std::uint32_t first_index, std::uint64_t* next, std::uint32_t* indices) {
  for_each_overlap(shapes, grid, open, [&](std::size_t i, int bin) {
    indices[next[bin]++] = first_index + static_cast<std::uint32_t>(i);
  });
}

void emit_copies(std::span<const Shape> shapes, const Paint* paints, const TileGrid& grid,
                 const OpenBins& open, std::uint64_t* next, CircleCopy* copies) {
  for_each_overlap(shapes, grid, open, [&](std::size_t i, int bin) {
    CircleCopy& copy = copies[next[bin]++];
    std::memcpy(&copy.shape, &shapes[i], sizeof copy.shape);  // the compiler would move it in parts
    std::memcpy(&copy.paint, &paints[i], sizeof copy.paint);
  });
}

}  // namespace roundel::cpu::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace roundel::cpu {
HWY_EXPORT(count_slab);
HWY_EXPORT(emit_indices);
HWY_EXPORT(emit_copies);

OpenBins::OpenBins(const TileGrid& grid, std::span<const std::uint8_t> finished_bins)
    : finished(finished_bins),
      all(std::all_of(finished.begin(), finished.end(), [](std::uint8_t f) { return f == 0; })),
      stride(static_cast<std::size_t>(grid.bins_x) + 1) {
  if (all) return;
  sums.resize(stride * (static_cast<std::size_t>(grid.bins_y) + 1));
  std::size_t bin = 0;
  for (std::size_t at = stride; at < sums.size(); at += stride) {
    for (std::size_t x = 1; x < stride; ++x, ++bin) {
      const std::uint32_t is_open = finished[bin] == 0 ? 1 : 0;
      sums[at + x] = sums[at + x - 1] + sums[at - stride + x] - sums[at - stride + x - 1] + is_open;
    }
  }
}

void count_slab(std::span<const Shape> shapes, const TileGrid& grid, const OpenBins& open,
                std::uint64_t* steps) {
  HWY_DYNAMIC_DISPATCH(count_slab)(shapes, grid, open, steps);
}

void emit_indices(std::span<const Shape> shapes, const TileGrid& grid, const OpenBins& open,
                  std::uint32_t first_index, std::uint64_t* next, std::uint32_t* indices) {
  HWY_DYNAMIC_DISPATCH(emit_indices)(shapes, grid, open, first_index, next, indices);
}

void emit_copies(std::span<const Shape> shapes, const Paint* paints, const TileGrid& grid,
                 const OpenBins& open, std::uint64_t* next, CircleCopy* copies) {
  HWY_DYNAMIC_DISPATCH(emit_copies)(shapes, paints, grid, open, next, copies);
}

}  // namespace roundel::cpu
#endif  // HWY_ONCE
