#pragma once
#include <memory>
#include <vector>

#include "renderer/circles/circle.h"
#include "renderer/raster/rasterizer.h"

namespace roundel {

/// Rows first..end − 1 of a frame, counted from the bottom.
struct RowBand {
  int first, end;
  bool operator==(const RowBand&) const = default;
};

/// The band of part `index` (from 0) of `count` of a frame with this many rows. The parts have each
/// row once, and their sizes differ by one at most.
RowBand band_of(int rows, int index, int count);

/// The circles that may cover a pixel of the band, in paint order: those of the band's pixels are
/// all there, so drawing them gives these pixels the same bits as drawing all circles.
void select_band(const Circles& circles, const ImageSettings& image, const RowBand& band,
                 Circles& selected);

/// Draws a frame on several rasterizers at once, each a band of it. They draw whole frames: outside
/// of its band a rasterizer has no circles to paint, only background.
std::unique_ptr<Rasterizer> make_split_rasterizer(
    std::vector<std::unique_ptr<Rasterizer>> rasterizers);

}  // namespace roundel
