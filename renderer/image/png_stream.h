#pragma once
#include <cstdint>
#include <functional>
#include <span>

#include "renderer/image/files.h"
#include "renderer/pixels/image.h"

namespace roundel {

/// Encodes a PNG with the chunks and pixels of encode_png row by row, giving out its bytes as they
/// come, for pictures of any size. The bytes are others than encode_png's. Throws
/// Error(kRuntimeFailure) when memory runs out, and what `write` throws.
void stream_png(const Image& image, const ImageMetadata& metadata,
                const std::function<void(std::span<const std::uint8_t>)>& write);

}  // namespace roundel
