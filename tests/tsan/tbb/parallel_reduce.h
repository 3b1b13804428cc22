#pragma once
// For thread sanitizer builds only: tbb::parallel_reduce on plain threads. See parallel_for.h.
#include <mutex>

#include "tbb/parallel_for.h"

namespace tbb {

/// Joins body(part, identity) over the parts of the range, in any order.
template <typename Index, typename Value, typename Body, typename Join>
Value parallel_reduce(const blocked_range<Index>& range, const Value& identity, const Body& body,
                      const Join& join) {
  Value result = identity;
  std::mutex mutex;
  parallel_for(range, [&](const blocked_range<Index>& part) {
    Value value = body(part, identity);
    const std::lock_guard lock(mutex);
    result = join(result, value);
  });
  return result;
}

}  // namespace tbb
