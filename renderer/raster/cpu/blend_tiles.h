#pragma once
#include <cstdint>
#include <span>
#include <string>

#include "renderer/raster/circle.h"
#include "renderer/raster/framebuffer.h"
#include "renderer/raster/shaders.h"
#include "renderer/raster/tile_grid.h"

namespace roundel::cpu {

/// The pixels of one bin between chunks: planes red, green, blue, transmittance, each
/// [bin_size][bin_size], rows bottom to top. 64-byte aligned.
struct TileState {
  float* planes;  ///< [4 · bin_size · bin_size]
  int bin_size;

  float* plane(int channel) const {
    const int first = channel * bin_size * bin_size;
    return planes + first;
  }
};

struct BlendTileArgs {
  TileGrid grid;
  int bin_x, bin_y;
  std::span<const Shape> shapes;        ///< of the chunk
  std::span<const Paint> paints;        ///< of the chunk
  std::span<const std::uint32_t> list;  ///< circles of this bin, in paint order
  SnowRamp ramp;
  TileState state;
};

/// No colour yet, all light passes.
void clear_tile(const TileState& state);

/// Composites a bin's list onto its state, front (last) to back. Returns true when every pixel of
/// the bin has stopped: nothing behind can change it.
bool blend_tile(const BlendTileArgs& args);

/// Adds the background and writes one row of the bin: `count` pixels of state row `row`.
void finish_row(const TileState& state, int row, int count, const Color& background,
                bool keep_alpha, Pixel* out);

/// The same for images in display space without alpha, quantised: `count` RGB pixels, 3 bytes each.
void finish_row_rgb(const TileState& state, int row, int count, const Color& background,
                    std::uint8_t* out);

/// The instruction set that blend_tile was chosen for on this machine, e.g. "AVX3".
std::string vector_target();

}  // namespace roundel::cpu
