#pragma once
#include <cstdint>
#include <numeric>
#include <span>
#include <vector>

#include "tools/primitives/chunks.h"

namespace roundel::primitives {

/// Selections keep the order. `keep(i)` tells whether position i of n is taken, `value(i)` what is
/// written for it; `out` has room for n, and what is behind the result is undefined. Return the
/// number taken. No branch depends on the data, which a processor could not foresee: every value is
/// written, and the next one over it unless it is kept.

/// One thread, one pass, without a scan.
template <typename Value, typename Keep, typename ValueOf>
std::uint64_t select_serial(std::uint64_t n, const Keep& keep, const ValueOf& value, Value* out) {
  std::uint64_t count = 0;
  for (std::uint64_t i = 0; i < n; ++i) {
    out[count] = value(i);
    count += keep(i) ? 1 : 0;
  }
  return count;
}

/// All threads of the calling arena, in one pass over the memory (in_one_pass in chunks.h): how
/// many a part keeps, then it is written from its place on, and no further than its last value. [5,
/// 0, 6 | 7, 0, 0 | 8, 9, 0] keeps 2, 1, 2 → places 0, 2, 3 → [5, 6, 7, 8, 9].
template <typename Value, typename Keep, typename ValueOf>
std::uint64_t select_one_pass(std::uint64_t n, const Keep& keep, const ValueOf& value, Value* out) {
  const auto count = [&](std::size_t begin, std::size_t end) {
    std::int64_t kept = 0;
    for (std::size_t i = begin; i < end; ++i) kept += keep(i) ? 1 : 0;
    return kept;
  };
  const auto write = [&](std::size_t begin, std::size_t, std::int64_t before, std::int64_t kept) {
    auto place = static_cast<std::uint64_t>(before);
    const std::uint64_t last = place + static_cast<std::uint64_t>(kept);
    for (std::uint64_t i = begin; place < last; ++i) {
      out[place] = value(i);
      place += keep(i) ? 1 : 0;
    }
  };
  return static_cast<std::uint64_t>(in_one_pass(n, count, write));
}

/// Compaction: the elements that are not 0. `out` has room for as many as `in`.
std::uint64_t compact_serial(std::span<const std::int32_t> in, std::int32_t* out);
std::uint64_t compact_one_pass(std::span<const std::int32_t> in, std::int32_t* out);

/// The elements below a limit.
inline constexpr std::int32_t kSelectionLimit = 0;
std::uint64_t select_below_serial(std::span<const std::int32_t> in, std::int32_t* out);
std::uint64_t select_below_one_pass(std::span<const std::int32_t> in, std::int32_t* out);

/// The positions i with in[i] = in[i + 1]; at most 2³² elements.
std::uint64_t find_repeats_serial(std::span<const std::int32_t> in, std::uint32_t* out);
std::uint64_t find_repeats_one_pass(std::span<const std::int32_t> in, std::uint32_t* out);

}  // namespace roundel::primitives
