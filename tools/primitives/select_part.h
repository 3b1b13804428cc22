#pragma once
#include <cstddef>
#include <cstdint>

namespace roundel::primitives {

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
