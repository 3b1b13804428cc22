#pragma once
#include <tbb/parallel_for.h>
#include <tbb/task_arena.h>

#include <algorithm>
#include <cstddef>
#include <vector>

namespace roundel::primitives {

/// Contiguous parts of n elements, a few for each thread of the calling arena.
struct Chunks {
  static constexpr std::size_t kLeast = 4096;  ///< elements: less is not worth a task
  static constexpr std::size_t kEach = 4;      ///< for each thread, so that none waits long

  std::size_t n, count;

  explicit Chunks(std::size_t elements)
      : n(elements),
        count(std::clamp<std::size_t>(
            elements / kLeast, 1,
            kEach * static_cast<std::size_t>(tbb::this_task_arena::max_concurrency()))) {}

  std::size_t begin(std::size_t chunk) const {
    // In two parts: n · chunk may not fit.
    return n / count * chunk + n % count * chunk / count;
  }
  std::size_t end(std::size_t chunk) const { return begin(chunk + 1); }

  /// Calls work(chunk) for each, in parallel.
  template <typename Work>
  void for_each(const Work& work) const {
    tbb::parallel_for(std::size_t{0}, count, work);
  }
};

}  // namespace roundel::primitives
