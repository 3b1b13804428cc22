#pragma once
// For thread sanitizer builds only: tbb::parallel_for on plain threads. The sanitizer cannot follow
// how libtbb, which is not instrumented, hands work over, and would report every hand-over.
#include <tbb/blocked_range.h>

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <exception>
#include <mutex>
#include <thread>
#include <vector>

#include "tbb/partitioner.h"
#include "tbb/task_arena.h"

namespace tbb {

/// Calls body on parts of the range; the threads draw them from a counter that orders nothing else.
template <typename Index, typename Body, typename Partitioner = auto_partitioner>
void parallel_for(const blocked_range<Index>& range, const Body& body, const Partitioner& = {}) {
  if (range.empty()) return;
  const std::size_t size = range.size();
  const auto concurrency = static_cast<std::size_t>(this_task_arena::max_concurrency());
  const std::size_t grain = std::max<std::size_t>(range.grainsize(), size / (8 * concurrency));
  const std::size_t num_parts = (size + grain - 1) / grain;

  std::atomic<std::size_t> next_part{0};
  std::exception_ptr first_error;
  std::mutex error_mutex;
  const auto work = [&] {
    std::size_t part = 0;
    while ((part = next_part.fetch_add(1, std::memory_order_relaxed)) < num_parts) {
      try {
        const Index begin = range.begin() + static_cast<Index>(part * grain);
        const Index end = range.begin() + static_cast<Index>(std::min(size, (part + 1) * grain));
        body(blocked_range<Index>(begin, end, range.grainsize()));
      } catch (...) {
        const std::lock_guard lock(error_mutex);
        if (!first_error) first_error = std::current_exception();
        next_part.store(num_parts, std::memory_order_relaxed);
      }
    }
  };
  std::vector<std::jthread> threads;
  for (std::size_t i = 1; i < std::min(concurrency, num_parts); ++i) {
    threads.emplace_back([&, concurrency] {
      this_task_arena::concurrency() = static_cast<int>(concurrency);
      work();
    });
  }
  work();
  threads.clear();
  if (first_error) std::rethrow_exception(first_error);
}

template <typename Index, typename Body>
void parallel_for(Index first, Index last, const Body& body) {
  if (first >= last) return;
  parallel_for(blocked_range<Index>(first, last), [&](const blocked_range<Index>& part) {
    for (Index i = part.begin(); i != part.end(); ++i) body(i);
  });
}

}  // namespace tbb
