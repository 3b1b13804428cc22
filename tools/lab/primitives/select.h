#pragma once
#include <cstddef>
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

/// What a selection keeps of each i.
enum class Kept {
  kNotZero,     ///< in[i] where it is not 0
  kBelowLimit,  ///< in[i] where it is below kSelectionLimit
  kRepeated,    ///< i modulo 2³² where in[i] = in[i + 1], which is read for the last i too
};

/// Gathers what is kept of begin ≤ i < end, in order; returns how many. `kept` has room for end −
/// begin; what is behind the result is undefined. Whole vectors are compared, compressed and
/// written, each over what the one before wrote behind its last kept element.
std::size_t gather_part(Kept what, const std::int32_t* in, std::size_t begin, std::size_t end,
                        std::uint32_t* kept);

/// Copies n elements and writes nothing else. Whole lines are written past the caches, where a
/// plain store would first read the line that it overwrites.
void stream_part(const std::uint32_t* from, std::size_t n, std::uint32_t* to);

}  // namespace roundel::primitives
