#pragma once
#include <tbb/parallel_for.h>
#include <tbb/task_arena.h>

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <thread>
#include <vector>

namespace roundel::primitives {

/// Contiguous parts of n elements, a few for each thread of the calling arena.
struct Chunks {
  static constexpr std::size_t kMinElements = 4096;   ///< elements: fewer are not worth a task
  static constexpr std::size_t kChunksPerThread = 4;  ///< chunks for each thread, for balance

  std::size_t n, count;

  explicit Chunks(std::size_t elements)
      : n(elements),
        count(std::clamp<std::size_t>(
            elements / kMinElements, 1,
            kChunksPerThread * static_cast<std::size_t>(tbb::this_task_arena::max_concurrency()))) {
  }

  std::size_t begin(std::size_t chunk) const {
    // In two parts: n · chunk may overflow.
    return n / count * chunk + n % count * chunk / count;
  }
  std::size_t end(std::size_t chunk) const { return begin(chunk + 1); }

  /// Calls work(chunk) for each, in parallel.
  template <typename Work>
  void for_each(const Work& work) const {
    tbb::parallel_for(std::size_t{0}, count, work);
  }
};

inline constexpr std::size_t kPart = 32768;  ///< elements: 128 KiB, which fit twice in L2 caches

/// Elements from `begin` to `end` − 1.
struct Part {
  std::size_t begin, end;
};

/// Reads n elements once with all threads of the calling arena, part by part in order, for results
/// that depend on all previous elements. `sum(part)` reads the part from memory. As soon as the
/// previous part is known, `write(part, before, own, next)` gets the sum of all previous parts, its
/// own sum, and this thread's next part, which may be empty. Returns the total. Decoupled look-back
/// (Merrill & Garland 2016) with one part to look back at.
template <typename Sum, typename Write>
std::int64_t in_one_pass(std::size_t n, const Sum& sum, const Write& write) {
  struct End {
    std::int64_t sum = 0;  ///< total of all parts up to this one
    std::atomic<bool> is_known = false;
  };
  std::vector<End> ends((n + kPart - 1) / kPart);
  const auto part_of = [n](std::size_t i) {
    return Part{std::min(i * kPart, n), std::min((i + 1) * kPart, n)};
  };
  std::atomic<std::size_t> taken = 0;
  const auto workers = std::min<std::size_t>(
      ends.size(), static_cast<std::size_t>(tbb::this_task_arena::max_concurrency()));
  tbb::parallel_for(std::size_t{0}, workers, [&](std::size_t) {
    for (std::size_t i = taken++, next = 0; i < ends.size(); i = next) {
      const std::int64_t own = sum(part_of(i));
      std::int64_t before = 0;
      if (i > 0) {  // a thread is working on the previous part, or writes: parts are taken in order
        while (!ends[i - 1].is_known.load(std::memory_order_acquire)) std::this_thread::yield();
        before = ends[i - 1].sum;
      }
      ends[i].sum = before + own;
      ends[i].is_known.store(true, std::memory_order_release);
      next = taken++;
      write(part_of(i), before, own, part_of(next));
    }
  });
  return ends.empty() ? 0 : ends.back().sum;
}

/// Stores array[i] = value(i) for i < n, in parallel.
template <typename Array, typename ValueOf>
void fill(Array& array, std::uint64_t n, const ValueOf& value) {
  const Chunks chunks(n);
  chunks.for_each([&](std::size_t chunk) {
    for (std::size_t i = chunks.begin(chunk); i < chunks.end(chunk); ++i) array[i] = value(i);
  });
}

/// Returns true if is_right(i) for all i < n, in parallel.
template <typename IsRight>
bool all_of(std::uint64_t n, const IsRight& is_right) {
  const Chunks chunks(n);
  std::atomic<bool> right = true;
  chunks.for_each([&](std::size_t chunk) {
    for (std::size_t i = chunks.begin(chunk); i < chunks.end(chunk); ++i) {
      if (is_right(i)) continue;
      right = false;
      return;
    }
  });
  return right;
}

}  // namespace roundel::primitives
