#include "renderer/raster/cpu/bin_circles.h"

#include <hwy/cache_control.h>
#include <tbb/blocked_range.h>
#include <tbb/parallel_for.h>
#include <tbb/parallel_reduce.h>
#include <tbb/task_arena.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <limits>
#include <numeric>

#include "renderer/base/checkpoint.h"
#include "renderer/raster/cpu/bin_slab.h"

namespace roundel::cpu {
namespace {

using Clock = std::chrono::steady_clock;

/// Circles and paints of 2 MiB: more than a core's caches.
constexpr std::size_t kMinCopiedCircles = 65536;
/// Slab of lists with copies: its circles stay in a core's L2, from which they are gathered in list
/// order.
constexpr std::size_t kCopySlab = 16384;
/// Lists have copies if a circle has at most this many overlaps on average.
constexpr std::size_t kMaxCopiesPerCircle = 2;
constexpr std::uint64_t kCircleBytes = sizeof(Shape) + sizeof(Paint);

/// Blending reads up to this many circles past a list, in whole vectors.
constexpr std::size_t kOverread = 16;

/// Prefetches paints in order, since they are read in another.
void fetch(std::span<const Paint> paints) {
  constexpr std::size_t kPaintsOfLine = 64 / sizeof(Paint);
  for (std::size_t i = 0; i < paints.size(); i += kPaintsOfLine) hwy::Prefetch(&paints[i]);
}

/// counts [num_tiles + 1]: circles that may cover a pixel of each tile, 0 for done ones; the last
/// element is unused.
void count_overlaps(std::span<const Shape> shapes, const TileGrid& grid, const ActiveTiles& active,
                    std::vector<std::uint32_t>& counts) {
  const auto num_tiles = static_cast<std::size_t>(grid.num_tiles());
  counts.assign(num_tiles + 1, 0);
  std::vector<std::uint32_t> steps(num_tiles + 1);
  count_slab(shapes, grid, active, counts.data(), steps.data());
  std::uint32_t sum = 0;
  for (std::size_t tile = 0; tile < num_tiles; ++tile) {
    sum += steps[tile];
    counts[tile] = active.is_active(static_cast<int>(tile)) ? counts[tile] + sum : 0;
  }
}

template <typename T>
void reserve(Buffer<T>& buffer, std::uint64_t size) {
  if (buffer.size() >= size) return;
  buffer = {};  // frees first: both may not fit at once
  buffer = Buffer<T>(size + size / 4);
}

}  // namespace

bool TileLists::is_empty(std::size_t tile) const {
  return std::all_of(slabs.begin(), slabs.end(), [tile](const SlabLists& slab) {
    return slab.offsets[tile] == slab.offsets[tile + 1];
  });
}

std::size_t index_slabs(std::size_t circles, std::size_t tiles, std::size_t threads) {
  return std::min(threads * 4, circles / std::max<std::size_t>(1024, tiles) + 1);
}

std::uint64_t min_list_bytes(const TileGrid& grid) {
  const std::uint64_t bytes =
      (static_cast<std::uint64_t>(grid.num_tiles()) + 1) * sizeof(std::uint32_t);
  return bytes + block_memory(bytes) + kCircleBytes;
}

std::vector<std::uint32_t> TileLists::indices(std::size_t tile) const {
  std::vector<std::uint32_t> list;
  for (std::size_t i = slabs.size(); i-- > 0;) {
    const std::uint32_t* const of_slab = slabs[i].indices.data();
    list.insert(list.end(), of_slab + slabs[i].offsets[tile], of_slab + slabs[i].offsets[tile + 1]);
  }
  return list;
}

namespace {

struct Slab {
  std::size_t begin;
  std::span<const Shape> shapes;
  std::span<const Paint> paints;
};

/// Returns circles of the chunk from `begin` on. `is_passing`: made circles stay in the core's
/// caches.
Slab make_slab(const BinCirclesArgs& args, std::size_t begin, std::size_t count, bool is_passing) {
  if (args.circles.in_memory() != nullptr)
    return {begin, args.shapes().subspan(begin, count), args.paints().subspan(begin, count)};
  thread_local Buffer<Shape> passing_shapes;
  thread_local Buffer<Paint> passing_paints;
  std::span<Shape> shapes = args.made.shapes.span();
  std::span<Paint> paints = args.made.paints.span();
  if (is_passing) {
    reserve(passing_shapes, count);
    reserve(passing_paints, count);
    shapes = passing_shapes.span().first(count);
    paints = passing_paints.span().first(count);
  } else {
    shapes = shapes.subspan(begin, count);
    paints = paints.subspan(begin, count);
  }
  args.circles.fetch(args.begin + begin, shapes, paints);
  return {begin, shapes, paints};
}

struct SlabLister {
  const BinCirclesArgs& args;
  const ActiveTiles& active;
  TileLists& lists;
  bool may_copy;
  std::atomic<std::uint64_t> kept;        // made circles that lists name by index
  std::atomic<std::uint64_t> bytes;       // offsets, indices and these circles
  std::atomic<std::uint64_t> refused{0};  // bytes of refused lists
  std::atomic<std::uint64_t> overlaps{0}, copied{0};
  // Lists do not fit, or are too long for their offsets.
  std::atomic<bool> has_refused_lists{false};

  void list_slab(const Slab& circles, SlabLists& slab) {
    count_overlaps(circles.shapes, args.grid, active, slab.offsets);
    const std::uint64_t total =
        std::accumulate(slab.offsets.begin(), slab.offsets.end(), std::uint64_t{0});
    overlaps += total;
    std::exclusive_scan(slab.offsets.begin(), slab.offsets.end(), slab.offsets.begin(), 0U);
    slab.shapes = nullptr;
    if (total == 0) {
      fits(block_memory(slab.indices_written * sizeof(std::uint32_t)));  // earlier chunks'
      return;
    }
    const bool is_copied = may_copy && total <= kMaxCopiesPerCircle * circles.shapes.size() &&
                           list_by_copies(circles, total, slab);
    if (!is_copied) list_by_indices(circles, total, slab);
  }

  /// Returns false, with nothing listed, if the copies' buffer is full. Lists beyond max_bytes are
  /// counted, not written.
  bool list_by_copies(const Slab& circles, std::uint64_t total, SlabLists& slab) {
    constexpr std::size_t kCopiesOfLine = 64 / sizeof(Shape);  // smallest write of a thread
    const std::size_t position =
        copied.fetch_add((total + kCopiesOfLine - 1) / kCopiesOfLine * kCopiesOfLine);
    if (position + total > copy_capacity()) return false;
    if (!fits(0)) {
      refused += total * kCircleBytes;
      has_refused_lists = true;
      return true;
    }
    slab.shapes = lists.shapes.data() + position;
    slab.paints = lists.paints.data() + position;
    thread_local Buffer<std::uint32_t> passing;
    reserve(passing, total);
    std::vector<std::uint32_t> next = slab.offsets;
    emit_indices(circles.shapes, args.grid, active, 0, next.data(), passing.data());
    fetch(circles.paints);
    stream_copies(circles.shapes.data(), passing.span().first(total), slab.shapes);
    stream_copies(circles.paints.data(), passing.span().first(total), slab.paints);
    return true;
  }

  /// Lists numbers in the chunk, and keeps circles that were only passing.
  void list_by_indices(const Slab& circles, std::uint64_t total, SlabLists& slab) {
    const bool is_passing = may_copy && args.circles.in_memory() == nullptr;
    const std::size_t kept_now = is_passing ? circles.shapes.size() : 0;
    kept += kept_now;
    const bool is_new = slab.indices.size() < total;
    const std::uint64_t written = is_new ? total : std::max(slab.indices_written, total);
    if (!fits(block_memory(written * sizeof(std::uint32_t)) + kept_now * kCircleBytes) ||
        total > std::numeric_limits<std::uint32_t>::max()) {
      has_refused_lists = true;
      return;
    }
    if (is_passing) {
      std::copy(circles.shapes.begin(), circles.shapes.end(),
                args.made.shapes.data() + circles.begin);
      std::copy(circles.paints.begin(), circles.paints.end(),
                args.made.paints.data() + circles.begin);
    }
    reserve(slab.indices, total);
    slab.indices_written = written;
    std::vector<std::uint32_t> next = slab.offsets;
    emit_indices(circles.shapes, args.grid, active, static_cast<std::uint32_t>(circles.begin),
                 next.data(), slab.indices.data());
  }

  // Unwritten capacity takes no memory.
  std::size_t copy_capacity() const { return kMaxCopiesPerCircle * args.count; }

  bool fits(std::uint64_t more) {
    if ((bytes += more) + copied * kCircleBytes <= args.max_bytes) return true;
    refused += more;
    return false;
  }

  void sum_up() {
    lists.overlaps = overlaps;
    lists.circles_kept = kept;
    if (may_copy)
      lists.copies_written =
          std::max(lists.copies_written, std::min<std::uint64_t>(copied, copy_capacity()));
    const std::uint64_t kept_bytes =
        block_memory(args.made.shapes.size() * sizeof(Shape), kept * sizeof(Shape)) +
        block_memory(args.made.paints.size() * sizeof(Paint), kept * sizeof(Paint));
    bytes += kept_bytes - kept * kCircleBytes;
    // Scattered kept circles may begin and end huge pages.
    if (may_copy && kept > 0 && kept < args.count) bytes += kept_bytes;
    static_assert(sizeof(Shape) == sizeof(Paint));
    lists.bytes = bytes + 2 * block_memory(lists.shapes.size() * sizeof(Shape),
                                           lists.copies_written * sizeof(Shape));
    lists.bytes_made = lists.bytes - refused;
  }
};

}  // namespace

std::span<const Shape> BinCirclesArgs::shapes() const {
  const Circles* const memory = circles.in_memory();
  return memory != nullptr ? memory->shapes.span().subspan(begin, count)
                           : std::span<const Shape>(made.shapes.span()).first(count);
}

std::span<const Paint> BinCirclesArgs::paints() const {
  const Circles* const memory = circles.in_memory();
  return memory != nullptr ? memory->paints.span().subspan(begin, count)
                           : std::span<const Paint>(made.paints.span()).first(count);
}

bool bin_circles(const BinCirclesArgs& args, TileLists& lists) {
  const std::size_t count = args.count;
  const std::size_t num_tiles = static_cast<std::size_t>(args.grid.num_tiles());
  const ActiveTiles active(args.grid, args.done);
  const std::uint64_t offset_bytes = (num_tiles + 1) * sizeof(std::uint32_t);  // for each slab
  const bool may_copy = active.all && count >= kMinCopiedCircles && args.may_copy &&
                        count * kCircleBytes + count / kCopySlab * offset_bytes <= args.max_bytes;
  const std::size_t threads = static_cast<std::size_t>(tbb::this_task_arena::max_concurrency());
  const std::size_t num_slabs =
      may_copy ? count / kCopySlab : index_slabs(count, num_tiles, threads);
  lists.slabs.resize(num_slabs);

  // Circles made in the chunk's own memory count from the start.
  const std::uint64_t made = args.circles.in_memory() == nullptr && !may_copy ? count : 0;
  SlabLister lister{args,     active, lists,
                    may_copy, made,   num_slabs * offset_bytes + made * kCircleBytes};
  if (may_copy) {
    const std::size_t copies = lister.copy_capacity() + kOverread;
    if (lists.shapes.size() < copies) lists.copies_written = 0;
    reserve(lists.shapes, copies);
    reserve(lists.paints, copies);
  }
  if (lister.bytes > args.max_bytes) {
    lists.bytes_made = 0;
    lists.bytes = std::numeric_limits<std::uint64_t>::max();
    return false;
  }
  std::atomic<Clock::rep> making{0}, working{0};
  tbb::parallel_for(std::size_t{0}, num_slabs, [&](std::size_t index) {
    checkpoint();
    const Clock::time_point start = Clock::now();
    const std::size_t begin = count * index / num_slabs;
    const Slab circles = make_slab(args, begin, count * (index + 1) / num_slabs - begin, may_copy);
    making += (Clock::now() - start).count();
    lister.list_slab(circles, lists.slabs[index]);
    working += (Clock::now() - start).count();
  });
  lister.sum_up();
  lists.generate_share = static_cast<double>(making) / std::max(1.0, static_cast<double>(working));
  return lists.bytes <= args.max_bytes && !lister.has_refused_lists;
}

}  // namespace roundel::cpu

namespace roundel {

std::vector<std::uint64_t> count_overlaps_by_tile(std::span<const Shape> shapes,
                                                  const TileGrid& grid) {
  using Counts = std::vector<std::uint64_t>;
  const cpu::ActiveTiles active(grid, {});
  const auto num_tiles = static_cast<std::size_t>(grid.num_tiles());
  const auto sum_of = [](Counts sum, const auto& other) {
    for (std::size_t tile = 0; tile < sum.size(); ++tile) sum[tile] += other[tile];
    return sum;
  };
  return tbb::parallel_reduce(
      tbb::blocked_range<std::size_t>(0, shapes.size(), std::max<std::size_t>(4096, num_tiles)),
      Counts(num_tiles),
      [&](const tbb::blocked_range<std::size_t>& range, Counts total) {
        std::vector<std::uint32_t> counts;
        cpu::count_overlaps(shapes.subspan(range.begin(), range.size()), grid, active, counts);
        return sum_of(std::move(total), counts);
      },
      sum_of);
}

std::uint64_t count_overlaps(std::span<const Shape> shapes, const TileGrid& grid) {
  const std::vector<std::uint64_t> counts = count_overlaps_by_tile(shapes, grid);
  return std::accumulate(counts.begin(), counts.end(), std::uint64_t{0});
}

}  // namespace roundel
