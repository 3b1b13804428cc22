#include "renderer/raster/cpu/bin_circles.h"

#include <hwy/cache_control.h>
#include <tbb/blocked_range.h>
#include <tbb/parallel_for.h>
#include <tbb/parallel_reduce.h>
#include <tbb/task_arena.h>

#include <algorithm>
#include <atomic>
#include <functional>
#include <limits>
#include <numeric>

#include "renderer/raster/cpu/bin_slab.h"

namespace roundel::cpu {
namespace {

constexpr std::size_t kManyCircles = 65536;  ///< 2 MiB with their paints: more than a core's caches
/// Circles of a slab whose lists hold copies: these circles stay in a core's second-level cache,
/// from which they are fetched in the order of the lists.
constexpr std::size_t kCopySlab = 16384;

/// Circles behind a list that blending reads, but does not use, because it reads whole vectors.
constexpr std::size_t kReadBeyond = 16;

/// Reads a slab's paints in order, so that they are at hand when they are needed in another.
void fetch(std::span<const Paint> paints) {
  constexpr std::size_t kPaintsOfLine = 64 / sizeof(Paint);
  for (std::size_t i = 0; i < paints.size(); i += kPaintsOfLine) hwy::Prefetch(&paints[i]);
}

/// counts [num_bins + 1]: how many of the circles may cover a pixel of each bin; 0 for finished
/// bins. The last element is left over.
void count_overlaps(std::span<const Shape> shapes, const TileGrid& grid, const OpenBins& open,
                    std::vector<std::uint32_t>& counts) {
  const auto num_bins = static_cast<std::size_t>(grid.num_bins());
  counts.assign(num_bins + 1, 0);
  std::vector<std::uint32_t> steps(num_bins + 1);
  count_slab(shapes, grid, open, counts.data(), steps.data());
  std::uint32_t sum = 0;
  for (std::size_t bin = 0; bin < num_bins; ++bin) {
    sum += steps[bin];
    counts[bin] = open.is_open(static_cast<int>(bin)) ? counts[bin] + sum : 0;
  }
}

template <typename T>
void reserve(Buffer<T>& buffer, std::uint64_t size) {
  if (buffer.size() < size) buffer = Buffer<T>(size + size / 4);
}

}  // namespace

bool BinLists::is_empty(std::size_t bin) const {
  return std::all_of(slabs.begin(), slabs.end(), [bin](const SlabLists& slab) {
    return slab.offsets[bin] == slab.offsets[bin + 1];
  });
}

std::vector<std::uint32_t> BinLists::indices(std::size_t bin) const {
  std::vector<std::uint32_t> list;
  for (std::size_t i = slabs.size(); i-- > 0;) {
    const std::uint32_t* const of_slab = slabs[i].indices.data();
    list.insert(list.end(), of_slab + slabs[i].offsets[bin], of_slab + slabs[i].offsets[bin + 1]);
  }
  return list;
}

bool bin_circles(std::span<const Shape> shapes, std::span<const Paint> paints, const TileGrid& grid,
                 std::span<const std::uint8_t> finished, std::uint64_t max_bytes, BinLists& lists) {
  const std::size_t num_bins = static_cast<std::size_t>(grid.num_bins());
  const std::size_t room_for_copies = shapes.size() + shapes.size() / 4;
  const OpenBins open(grid, finished);
  const bool may_copy = open.all && shapes.size() >= kManyCircles && !paints.empty() &&
                        room_for_copies * (sizeof(Shape) + sizeof(Paint)) <= max_bytes;
  // Enough slabs to keep the threads busy, few enough that the counts stay small beside the
  // circles.
  const std::size_t threads = static_cast<std::size_t>(tbb::this_task_arena::max_concurrency());
  const std::size_t most_slabs = shapes.size() / std::max<std::size_t>(1024, num_bins) + 1;
  const std::size_t num_slabs =
      may_copy ? shapes.size() / kCopySlab : std::min(threads * 4, most_slabs);
  lists.slabs.resize(num_slabs);
  if (may_copy) {
    reserve(lists.shapes, room_for_copies + kReadBeyond);
    reserve(lists.paints, room_for_copies + kReadBeyond);
  }

  std::atomic<std::uint64_t> overlaps{0};
  std::atomic<std::size_t> copied{0};
  std::atomic<bool> fits{true};
  tbb::parallel_for(std::size_t{0}, num_slabs, [&](std::size_t index) {
    SlabLists& slab = lists.slabs[index];
    const std::size_t begin = shapes.size() * index / num_slabs;
    const auto slab_shapes = shapes.subspan(begin, shapes.size() * (index + 1) / num_slabs - begin);
    count_overlaps(slab_shapes, grid, open, slab.offsets);
    const std::uint64_t total =
        std::accumulate(slab.offsets.begin(), slab.offsets.end(), std::uint64_t{0});
    if ((overlaps += total) * sizeof(std::uint32_t) > max_bytes ||
        total > std::numeric_limits<std::uint32_t>::max()) {
      fits = false;
      return;
    }
    std::exclusive_scan(slab.offsets.begin(), slab.offsets.end(), slab.offsets.begin(), 0U);
    slab.shapes = nullptr;
    if (total == 0) return;
    if (may_copy && total <= 2 * slab_shapes.size()) {
      constexpr std::size_t kCopiesOfLine = 64 / sizeof(Shape);  // what one thread writes at least
      const std::size_t position =
          copied.fetch_add((total + kCopiesOfLine - 1) / kCopiesOfLine * kCopiesOfLine);
      if (position + total <= room_for_copies) {
        slab.shapes = lists.shapes.data() + position;
        slab.paints = lists.paints.data() + position;
      }
    }
    std::vector<std::uint32_t> next = slab.offsets;
    thread_local Buffer<std::uint32_t> passing;  // only the copies stay
    Buffer<std::uint32_t>& indices = slab.shapes != nullptr ? passing : slab.indices;
    reserve(indices, total);
    emit_indices(slab_shapes, grid, open, static_cast<std::uint32_t>(begin), next.data(),
                 indices.data());
    if (slab.shapes != nullptr) {
      fetch(paints.subspan(begin, slab_shapes.size()));
      stream_copies(shapes.data(), indices.span().first(total), slab.shapes);
      stream_copies(paints.data(), indices.span().first(total), slab.paints);
    }
  });
  lists.overlaps = overlaps;
  return fits;
}

}  // namespace roundel::cpu

namespace roundel {

std::vector<std::uint64_t> count_overlaps_by_bin(const Circles& circles, const TileGrid& grid) {
  using Counts = std::vector<std::uint64_t>;
  const cpu::OpenBins open(grid, {});
  const auto num_bins = static_cast<std::size_t>(grid.num_bins());
  const auto sum_of = [](Counts sum, const auto& other) {
    for (std::size_t bin = 0; bin < sum.size(); ++bin) sum[bin] += other[bin];
    return sum;
  };
  return tbb::parallel_reduce(
      tbb::blocked_range<std::size_t>(0, circles.count(), std::max<std::size_t>(4096, num_bins)),
      Counts(num_bins),
      [&](const tbb::blocked_range<std::size_t>& range, Counts total) {
        std::vector<std::uint32_t> counts;
        cpu::count_overlaps(circles.shapes.span().subspan(range.begin(), range.size()), grid, open,
                            counts);
        return sum_of(std::move(total), counts);
      },
      sum_of);
}

std::uint64_t count_overlaps(const Circles& circles, int width, int height, int bin_size) {
  const std::vector<std::uint64_t> counts =
      count_overlaps_by_bin(circles, TileGrid::make(width, height, bin_size));
  return std::accumulate(counts.begin(), counts.end(), std::uint64_t{0});
}

}  // namespace roundel
