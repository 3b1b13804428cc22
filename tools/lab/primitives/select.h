#pragma once
#include <cstddef>
#include <cstdint>
#include <span>

namespace roundel::primitives {

/// Selections keep the order and return the number taken. `out` has space for n, and its elements
/// after the result are undefined.

/// One thread, one pass, without a scan: `keep(i)` returns true if position i of n is taken,
/// `value(i)` returns its output. No branch depends on the data, which a processor could not
/// predict: every value is written, and the next one over it unless it is kept.
template <typename Value, typename Keep, typename ValueOf>
std::uint64_t select_serial(std::uint64_t n, const Keep& keep, const ValueOf& value, Value* out) {
  std::uint64_t count = 0;
  for (std::uint64_t i = 0; i < n; ++i) {
    out[count] = value(i);
    count += keep(i) ? 1 : 0;
  }
  return count;
}

/// Compaction: the elements that are not 0. The one-pass variant uses all threads of the calling
/// arena, reads the memory once (in_one_pass in chunks.h), and writes only the result.
std::uint64_t compact_serial(std::span<const std::int32_t> in, std::int32_t* out);
std::uint64_t compact_one_pass(std::span<const std::int32_t> in, std::int32_t* out);

/// The elements below a limit.
inline constexpr std::int32_t kSelectionLimit = 0;
std::uint64_t select_below_serial(std::span<const std::int32_t> in, std::int32_t* out);
std::uint64_t select_below_one_pass(std::span<const std::int32_t> in, std::int32_t* out);

/// The positions i with in[i] = in[i + 1]; at most 2³² elements.
std::uint64_t find_repeats_serial(std::span<const std::int32_t> in, std::uint32_t* out);
std::uint64_t find_repeats_one_pass(std::span<const std::int32_t> in, std::uint32_t* out);

/// Condition and output of a selection for each i.
enum class Kept {
  kNotZero,     ///< in[i] if it is not 0
  kBelowLimit,  ///< in[i] if it is below kSelectionLimit
  kRepeated,    ///< i modulo 2³² if in[i] = in[i + 1], which is read for the last i too
};

/// Gathers the kept elements of begin ≤ i < end, in order; returns their number. `kept` has space
/// for end − begin; its elements after the result are undefined. Whole vectors are compared,
/// compressed and written, each over the previous one's undefined rest.
std::size_t gather_part(Kept what, const std::int32_t* in, std::size_t begin, std::size_t end,
                        std::uint32_t* kept);

/// Copies n elements and writes nothing else. Whole lines are written past the caches, since a
/// plain store would first read the line that it overwrites.
void stream_part(const std::uint32_t* from, std::size_t n, std::uint32_t* to);

}  // namespace roundel::primitives
