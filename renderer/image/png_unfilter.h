#pragma once
#include <cstddef>
#include <cstdint>

namespace roundel {

/// Undoes the filters of a PNG's rows (PNG specification, section 9) in place. `data` has `height`
/// rows of a filter byte and `row_bytes` bytes, and becomes [height · row_bytes]. `pixel_bytes` is
/// 1 to 4. Returns false, with undefined data, for a filter byte outside 0 to 4.
bool unfilter_png(std::uint8_t* data, std::size_t row_bytes, std::size_t height, int pixel_bytes);

}  // namespace roundel
