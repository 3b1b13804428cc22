#pragma once
#include <cstddef>
#include <cstdint>

#include "renderer/compare/difference_sums.h"

namespace roundel {

using ByteDifferences = DifferenceSums<std::uint64_t>;

/// Adds a row of `pixels` pixels, at most 65536, of `channels` channels each. In `over` (see
/// PixelSet::row) it sets the bits of those with a difference above `limit`.
void compare_byte_row(const std::uint8_t* a, const std::uint8_t* b, std::size_t pixels,
                      int channels, std::uint8_t limit, ByteDifferences& differences,
                      std::uint64_t* over);

}  // namespace roundel
