#pragma once
// For thread sanitizer builds only: tbb::parallel_reduce on plain threads. See parallel_for.h.
#include <map>
#include <mutex>
#include <utility>

#include "tbb/parallel_for.h"

namespace tbb {

/// Joins body(part, identity) over the parts of the range, from first to last.
template <typename Index, typename Value, typename Body, typename Join>
Value parallel_reduce(const blocked_range<Index>& range, const Value& identity, const Body& body,
                      const Join& join) {
  std::map<Index, Value> values;  // by the part's begin
  std::mutex mutex;
  parallel_for(range, [&](const blocked_range<Index>& part) {
    Value value = body(part, identity);
    const std::lock_guard lock(mutex);
    values.emplace(part.begin(), std::move(value));
  });
  Value result = identity;
  for (const auto& [begin, value] : values) result = join(result, value);
  return result;
}

}  // namespace tbb
