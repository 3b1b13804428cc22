#pragma once
#include <cstdint>
#include <span>

namespace roundel::primitives {

/// Selections keep the order and return the number taken. `out` has room for n, and what is behind
/// the result is undefined.

/// One thread, one pass, without a scan: `keep(i)` tells whether position i of n is taken,
/// `value(i)` what is written for it. No branch depends on the data, which a processor could not
/// foresee: every value is written, and the next one over it unless it is kept.
template <typename Value, typename Keep, typename ValueOf>
std::uint64_t select_serial(std::uint64_t n, const Keep& keep, const ValueOf& value, Value* out) {
  std::uint64_t count = 0;
  for (std::uint64_t i = 0; i < n; ++i) {
    out[count] = value(i);
    count += keep(i) ? 1 : 0;
  }
  return count;
}

/// Compaction: the elements that are not 0. In one pass: all threads of the calling arena, once
/// over the memory (in_one_pass in chunks.h), and nothing behind the result is written.
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
