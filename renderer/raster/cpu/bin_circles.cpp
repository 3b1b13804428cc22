#include "renderer/raster/cpu/bin_circles.h"

#include <tbb/blocked_range.h>
#include <tbb/parallel_for.h>
#include <tbb/parallel_reduce.h>
#include <tbb/task_arena.h>

#include <algorithm>
#include <functional>

namespace roundel::cpu {
namespace {

/// Calls visit(bin) for each unfinished bin that the circle may cover a pixel of.
template <typename Visit>
void for_each_overlap(const Shape& shape, const TileGrid& grid,
                      std::span<const std::uint8_t> finished, Visit visit) {
  const PixelRect bounds = grid.pixel_bounds(shape);
  if (bounds.empty()) return;
  const PixelRect bins = grid.bins_of(bounds);
  // In a single row or column of bins the bounding box is as good as the circle.
  const bool test_bins = bins.x1 > bins.x0 && bins.y1 > bins.y0;
  for (int bin_y = bins.y0; bin_y <= bins.y1; ++bin_y) {
    for (int bin_x = bins.x0; bin_x <= bins.x1; ++bin_x) {
      const int bin = bin_y * grid.bins_x + bin_x;
      if (!finished.empty() && finished[static_cast<std::size_t>(bin)]) continue;
      if (test_bins && !may_cover(shape, grid.bin_pixels(bin_x, bin_y), grid.s)) continue;
      visit(static_cast<std::size_t>(bin));
    }
  }
}

}  // namespace

bool bin_circles(std::span<const Shape> shapes, const TileGrid& grid,
                 std::span<const std::uint8_t> finished, std::uint64_t max_overlaps,
                 BinLists& lists) {
  const std::size_t num_bins = static_cast<std::size_t>(grid.num_bins());
  // A slab is what one task counts and later emits. Enough slabs to keep the threads busy, few
  // enough that the table of counts stays small beside the circles.
  const std::size_t threads = static_cast<std::size_t>(tbb::this_task_arena::max_concurrency());
  const std::size_t wanted =
      std::min(threads * 4, shapes.size() / std::max<std::size_t>(1024, num_bins) + 1);
  const std::size_t num_slabs = std::max<std::size_t>(1, wanted);
  const auto slab_begin = [&](std::size_t slab) { return shapes.size() * slab / num_slabs; };

  Buffer<std::uint64_t> positions(num_slabs * num_bins);  // counts, then where each slab writes
  tbb::parallel_for(std::size_t{0}, num_slabs, [&](std::size_t slab) {
    std::uint64_t* counts = positions.data() + slab * num_bins;
    std::fill_n(counts, num_bins, 0);
    for (std::size_t i = slab_begin(slab); i < slab_begin(slab + 1); ++i)
      for_each_overlap(shapes[i], grid, finished, [&](std::size_t bin) { ++counts[bin]; });
  });

  lists.offsets.resize(num_bins + 1);
  std::uint64_t total = 0;
  for (std::size_t bin = 0; bin < num_bins; ++bin) {
    lists.offsets[bin] = total;
    for (std::size_t slab = 0; slab < num_slabs; ++slab) {
      std::uint64_t& position = positions[slab * num_bins + bin];
      const std::uint64_t count = position;
      position = total;
      total += count;
    }
  }
  lists.offsets[num_bins] = total;
  if (total > max_overlaps) return false;

  if (lists.indices.size() < total) lists.indices = Buffer<std::uint32_t>(total + total / 4);
  tbb::parallel_for(std::size_t{0}, num_slabs, [&](std::size_t slab) {
    std::uint64_t* next = positions.data() + slab * num_bins;
    for (std::size_t i = slab_begin(slab); i < slab_begin(slab + 1); ++i)
      for_each_overlap(shapes[i], grid, finished, [&](std::size_t bin) {
        lists.indices[next[bin]++] = static_cast<std::uint32_t>(i);
      });
  });
  return true;
}

}  // namespace roundel::cpu

namespace roundel {

std::uint64_t count_overlaps(const Circles& circles, int width, int height, int bin_size) {
  const TileGrid grid = TileGrid::make(width, height, bin_size);
  return tbb::parallel_reduce(
      tbb::blocked_range<std::size_t>(0, circles.count()), std::uint64_t{0},
      [&](const tbb::blocked_range<std::size_t>& range, std::uint64_t total) {
        for (std::size_t i = range.begin(); i < range.end(); ++i)
          cpu::for_each_overlap(circles.shapes[i], grid, {}, [&](std::size_t) { ++total; });
        return total;
      },
      std::plus<>());
}

}  // namespace roundel
