#include "renderer/raster/cpu/bin_circles.h"

#include <tbb/blocked_range.h>
#include <tbb/parallel_for.h>
#include <tbb/parallel_reduce.h>
#include <tbb/task_arena.h>

#include <algorithm>
#include <functional>
#include <numeric>

#include "renderer/raster/cpu/bin_slab.h"

namespace roundel::cpu {
namespace {

constexpr std::size_t kManyCircles = 65536;  // 2 MiB with their paints: more than a core's caches

/// counts [num_bins + 1]: how many of the circles may cover a pixel of each bin; 0 for finished
/// bins. The last element is left over.
void count_overlaps(std::span<const Shape> shapes, const TileGrid& grid, const OpenBins& open,
                    std::span<const std::uint8_t> finished, std::uint64_t* counts) {
  const auto num_bins = static_cast<std::size_t>(grid.num_bins());
  std::fill_n(counts, num_bins + 1, 0);
  count_slab(shapes, grid, open, counts);
  std::partial_sum(counts, counts + num_bins, counts);
  for (std::size_t bin = 0; bin < finished.size(); ++bin)
    if (finished[bin] != 0) counts[bin] = 0;
}

template <typename T>
void reserve(Buffer<T>& buffer, std::uint64_t size) {
  if (buffer.size() < size) buffer = Buffer<T>(size + size / 4);
}

}  // namespace

bool bin_circles(std::span<const Shape> shapes, std::span<const Paint> paints, const TileGrid& grid,
                 std::span<const std::uint8_t> finished, std::uint64_t max_bytes, BinLists& lists) {
  const std::size_t num_bins = static_cast<std::size_t>(grid.num_bins());
  // A slab is what one task counts and later emits. Enough slabs to keep the threads busy, few
  // enough that the table of counts stays small beside the circles.
  const std::size_t threads = static_cast<std::size_t>(tbb::this_task_arena::max_concurrency());
  const std::size_t wanted =
      std::min(threads * 4, shapes.size() / std::max<std::size_t>(1024, num_bins) + 1);
  const std::size_t num_slabs = std::max<std::size_t>(1, wanted);
  const auto slab_begin = [&](std::size_t slab) { return shapes.size() * slab / num_slabs; };
  const auto slab_shapes = [&](std::size_t slab) {
    return shapes.subspan(slab_begin(slab), slab_begin(slab + 1) - slab_begin(slab));
  };

  const OpenBins open(grid, finished);
  const std::size_t stride = num_bins + 1;
  Buffer<std::uint64_t> positions(num_slabs * stride);  // counts, then where each slab writes
  tbb::parallel_for(std::size_t{0}, num_slabs, [&](std::size_t slab) {
    count_overlaps(slab_shapes(slab), grid, open, finished, positions.data() + slab * stride);
  });

  lists.offsets.resize(num_bins + 1);
  std::uint64_t total = 0;
  for (std::size_t bin = 0; bin < num_bins; ++bin) {
    lists.offsets[bin] = total;
    for (std::size_t slab = 0; slab < num_slabs; ++slab) {
      std::uint64_t& position = positions[slab * stride + bin];
      const std::uint64_t count = position;
      position = total;
      total += count;
    }
  }
  lists.offsets[num_bins] = total;
  if (total * sizeof(std::uint32_t) > max_bytes) return false;

  lists.has_copies = total >= kManyCircles && total <= shapes.size() + shapes.size() / 2 &&
                     total * sizeof(CircleCopy) <= max_bytes && !paints.empty();
  if (lists.has_copies) {
    reserve(lists.copies, total);
  } else {
    reserve(lists.indices, total);
  }
  tbb::parallel_for(std::size_t{0}, num_slabs, [&](std::size_t slab) {
    std::uint64_t* const next = positions.data() + slab * stride;
    const std::size_t begin = slab_begin(slab);
    if (lists.has_copies) {
      emit_copies(slab_shapes(slab), paints.data() + begin, grid, open, next, lists.copies.data());
    } else {
      emit_indices(slab_shapes(slab), grid, open, static_cast<std::uint32_t>(begin), next,
                   lists.indices.data());
    }
  });
  return true;
}

}  // namespace roundel::cpu

namespace roundel {

std::vector<std::uint64_t> count_overlaps_by_bin(const Circles& circles, const TileGrid& grid) {
  using Counts = std::vector<std::uint64_t>;
  const cpu::OpenBins open(grid, {});
  const auto num_bins = static_cast<std::size_t>(grid.num_bins());
  const auto sum_of = [](Counts sum, const Counts& other) {
    for (std::size_t bin = 0; bin < sum.size(); ++bin) sum[bin] += other[bin];
    return sum;
  };
  Counts counts = tbb::parallel_reduce(
      tbb::blocked_range<std::size_t>(0, circles.count(), std::max<std::size_t>(4096, num_bins)),
      Counts(num_bins + 1),
      [&](const tbb::blocked_range<std::size_t>& range, const Counts& total) {
        Counts part(num_bins + 1);
        cpu::count_overlaps(circles.shapes.span().subspan(range.begin(), range.size()), grid, open,
                            {}, part.data());
        return sum_of(std::move(part), total);
      },
      sum_of);
  counts.pop_back();
  return counts;
}

std::uint64_t count_overlaps(const Circles& circles, int width, int height, int bin_size) {
  const std::vector<std::uint64_t> counts =
      count_overlaps_by_bin(circles, TileGrid::make(width, height, bin_size));
  return std::accumulate(counts.begin(), counts.end(), std::uint64_t{0});
}

}  // namespace roundel
