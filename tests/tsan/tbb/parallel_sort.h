#pragma once
// For thread sanitizer builds only: tbb::parallel_sort on one thread. See parallel_for.h.
#include <algorithm>

namespace tbb {

template <typename Iterator, typename Compare>
void parallel_sort(Iterator first, Iterator last, const Compare& compare) {
  std::sort(first, last, compare);
}

}  // namespace tbb
