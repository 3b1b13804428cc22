#pragma once
#include <cstddef>
#include <cstdint>

#include "renderer/pixels/framebuffer.h"
#include "renderer/raster/cpu/blend_tiles.h"

namespace roundel::cpu {

/// Adds the background and writes one row of the bin: `count` pixels of state row `row`.
void finish_row(const TileState& state, int row, int count, const Color& background,
                bool keep_alpha, Pixel* out);

/// The same for images in display space without alpha, quantised: all pixels of the bin, 3 bytes
/// each, the bottom row at `out` and each further one `stride` bytes on. background[y] is image row
/// y's.
void finish_tile_rgb(const TileState& state, const PixelRect& pixels, const Color* background,
                     std::uint8_t* out, std::ptrdiff_t stride);

/// The same for a bin that no circle touches.
void fill_tile_rgb(const PixelRect& pixels, const Color* background, std::uint8_t* out,
                   std::ptrdiff_t stride);

}  // namespace roundel::cpu
