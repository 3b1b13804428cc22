#pragma once
#include <cstddef>
#include <cstdint>
#include <span>

namespace roundel::primitives {

/// Exclusive sums: out[i] = in[0] + … + in[i − 1], modulo 2³² as int32; [3, 0, 2] → [0, 3, 3].
/// `out` has the length of `in` and may be the same memory. Returns the total, in 64 bits.

/// One thread, one pass.
std::int64_t exclusive_scan_serial(std::span<const std::int32_t> in, std::span<std::int32_t> out);

/// All threads of the calling arena, in one pass over the memory (in_one_pass in chunks.h).
std::int64_t exclusive_scan_one_pass(std::span<const std::int32_t> in, std::span<std::int32_t> out);

/// Stores out[i] = sum + in[0] + … + in[i − 1] modulo 2³² for i < n; `out` may be `in`. Works a
/// vector at a time (Hillis & Steele 1986, within it) and writes past the caches, since a plain
/// store would first read the line that it overwrites. Meanwhile prefetches the first n elements of
/// `ahead`.
void scan_part(std::uint32_t sum, const std::uint32_t* in, std::size_t n, std::uint32_t* out,
               std::span<const std::uint32_t> ahead);

}  // namespace roundel::primitives
