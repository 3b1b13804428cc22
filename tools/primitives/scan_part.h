#pragma once
#include <cstddef>
#include <cstdint>
#include <span>

namespace roundel::primitives {

/// out[i] = sum + in[0] + … + in[i − 1] modulo 2³² for i < n; `out` may be `in`. A vector at a time
/// (Hillis & Steele 1986, within it), written past the caches, where a plain store would first read
/// the line that it overwrites. Meanwhile the first n elements of `ahead` come into a cache.
void scan_part(std::uint32_t sum, const std::uint32_t* in, std::size_t n, std::uint32_t* out,
               std::span<const std::uint32_t> ahead);

}  // namespace roundel::primitives
