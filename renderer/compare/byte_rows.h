#pragma once
#include <cstddef>
#include <cstdint>

namespace roundel {

/// What the differences of bytes add up to; per channel.
struct ByteDifferences {
  std::uint64_t largest[4] = {}, sum[4] = {}, squares[4] = {};
  std::uint64_t pixels = 0;  ///< with a channel that differs

  void add(const ByteDifferences& other);
};

/// Adds a row of `pixels` pixels, at most 65536, of `channels` channels each. In `over` (see
/// PixelSet::row) it sets the bits of those with a difference above `limit`.
void compare_byte_row(const std::uint8_t* a, const std::uint8_t* b, std::size_t pixels,
                      int channels, std::uint8_t limit, ByteDifferences& differences,
                      std::uint64_t* over);

}  // namespace roundel
