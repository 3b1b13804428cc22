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

/// All threads of the calling arena, with a scan: how many each chunk keeps, the exclusive scan of
/// these counts, then each chunk writes from its place on, and no further than its last value. Two
/// passes over the input. [5, 0, 6 | 7, 0, 0 | 8, 9, 0] keeps 2, 1, 2 → places 0, 2, 3 → [5, 6, 7,
/// 8, 9].
template <typename Value, typename Keep, typename ValueOf>
std::uint64_t select_by_scan(std::uint64_t n, const Keep& keep, const ValueOf& value, Value* out) {
  const Chunks chunks(n);
  std::vector<std::uint64_t> places(chunks.count + 1);
  chunks.for_each([&](std::size_t chunk) {
    std::uint64_t count = 0;
    for (std::uint64_t i = chunks.begin(chunk); i < chunks.end(chunk); ++i)
      count += keep(i) ? 1 : 0;
    places[chunk] = count;
  });
  std::exclusive_scan(places.begin(), places.end(), places.begin(), std::uint64_t{0});
  chunks.for_each([&](std::size_t chunk) {
    std::uint64_t place = places[chunk];
    for (std::uint64_t i = chunks.begin(chunk); place < places[chunk + 1]; ++i) {
      out[place] = value(i);
      place += keep(i) ? 1 : 0;
    }
  });
  return places.back();
}

/// Compaction: the elements that are not 0. `out` has room for as many as `in`.
std::uint64_t compact_serial(std::span<const std::int32_t> in, std::int32_t* out);
std::uint64_t compact_by_scan(std::span<const std::int32_t> in, std::int32_t* out);

/// The positions i with in[i] = in[i + 1]; at most 2³² elements.
std::uint64_t find_repeats_serial(std::span<const std::int32_t> in, std::uint32_t* out);
std::uint64_t find_repeats_by_scan(std::span<const std::int32_t> in, std::uint32_t* out);

}  // namespace roundel::primitives
