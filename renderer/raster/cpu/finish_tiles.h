#pragma once
#include <vector>

#include "renderer/pixels/framebuffer.h"
#include "renderer/raster/cpu/blend_tiles.h"
#include "renderer/raster/rasterizer.h"

namespace roundel::cpu {

/// Where the pixels of a frame's tiles go, and what lies below them.
struct FinishTilesArgs {
  ImageSettings image;
  FrameTarget out;  ///< has the image's size
  int tile_size;
  std::vector<BlendColor> background;  ///< [height], rows bottom to top, in the blend space

  FinishTilesArgs(const ImageSettings& settings, const FrameTarget& target, int pixels_a_side);
};

/// Adds the background to a tile's pixels, quantises them where they go to an image, and writes
/// them. `state` is lost; null is that of a tile that no circle touches.
void finish_tile(const FinishTilesArgs& args, const PixelRect& pixels, const TileState* state);

}  // namespace roundel::cpu
