#pragma once
#include <cstddef>
#include <cstdint>

namespace roundel::primitives {

/// out[i] = sum + in[0] + … + in[i − 1] modulo 2³² for i < n; `out` may be `in`. Four elements at a
/// time (Hillis & Steele 1986, within a vector), written past the caches, where a plain store would
/// first read the line that it overwrites.
void scan_part(std::uint32_t sum, const std::uint32_t* in, std::size_t n, std::uint32_t* out);

}  // namespace roundel::primitives
