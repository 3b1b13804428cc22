#pragma once
#include <vector>

#include "renderer/pixels/framebuffer.h"
#include "renderer/raster/cpu/blend_tiles.h"
#include "renderer/raster/rasterizer.h"

namespace roundel::cpu {

struct FinishTilesArgs {
  ImageSettings image;
  FrameTarget out;  ///< has the image's size
  int tile_size;
  std::vector<BlendColor> background;  ///< [height], rows bottom to top, in the blend space

  FinishTilesArgs(const ImageSettings& settings, const FrameTarget& target, int pixels_a_side);
};

/// Adds the background, quantises for an image, and writes the pixels. Overwrites `state`; null
/// stands for a tile without circles.
void finish_tile(const FinishTilesArgs& args, const PixelRect& pixels, const TileState* state);

}  // namespace roundel::cpu
