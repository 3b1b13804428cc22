#pragma once
#include <cuda_runtime_api.h>

#include <cstdint>

#include "renderer/raster/background.h"
#include "renderer/raster/circle.h"
#include "renderer/raster/framebuffer.h"
#include "renderer/raster/shaders.h"
#include "renderer/raster/tile_grid.h"

namespace roundel::cuda {

/// Bins must be multiples of this many pixels a side.
inline constexpr int kBlockSide = 32;

/// Colour and transmittance of a pixel between chunks.
struct alignas(16) CarriedPixel {
  float red, green, blue, transmittance;
};

struct BlendTilesArgs {
  TileGrid grid;
  SnowRamp ramp;
  BackgroundRows background;
  ImageSettings image;
  const Shape* shapes = nullptr;           // [chunk circles]
  const Paint* paints = nullptr;           // [chunk circles]
  const std::uint64_t* offsets = nullptr;  // [num_bins · num_slabs + 1]
  std::uint32_t num_slabs = 0;
  const std::uint32_t* indices = nullptr;  // bin lists in paint order, relative to the chunk
  bool is_first_chunk = true;              // states start empty
  bool is_last_chunk = false;              // every pixel is finished
  CarriedPixel* states = nullptr;  // [height · width]; null when the first chunk is the last
  std::uint8_t* block_is_finished = nullptr;   // [num_bins · blocks_per_bin]
  std::uint32_t* unfinished_blocks = nullptr;  // [num_bins]
  std::uint32_t* unfinished_bins = nullptr;    // one number
  Pixel* framebuffer = nullptr;                // [height · width], rows bottom to top, or null
  std::uint8_t* bytes = nullptr;  // [height · width · channels], rows top to bottom, or null
};

/// Blocks of kBlockSide × kBlockSide pixels in a bin.
inline ROUNDEL_HOST_DEVICE int blocks_per_bin(const TileGrid& grid) {
  return (grid.bin_size / kBlockSide) * (grid.bin_size / kBlockSide);
}

/// All blocks unfinished; blocks wholly outside the image count as finished.
void reset_progress(const BlendTilesArgs& args, cudaStream_t stream);

/// Composites every unfinished bin's list, front to back, and writes the pixels that are done.
void blend_tiles(const BlendTilesArgs& args, cudaStream_t stream);

}  // namespace roundel::cuda
