#pragma once
#include <cstdint>
#include <span>

namespace roundel::primitives {

/// Exclusive sums: out[i] = in[0] + … + in[i − 1], modulo 2³² as int32; [3, 0, 2] → [0, 3, 3].
/// `out` has the length of `in` and may be the same memory. Returns the sum of all, in 64 bits.

/// One thread, one pass.
std::int64_t exclusive_scan_serial(std::span<const std::int32_t> in, std::span<std::int32_t> out);

/// All threads of the calling arena, in one pass over the memory (in_one_pass in chunks.h).
std::int64_t exclusive_scan_one_pass(std::span<const std::int32_t> in, std::span<std::int32_t> out);

}  // namespace roundel::primitives
