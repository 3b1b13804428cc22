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

/// Returns band `index` (from 0) of `count` for `rows` rows. Bands are disjoint, and their sizes
/// differ by at most one.
RowBand band_of(int rows, int index, int count);

/// Selects the circles that may cover a pixel of the band, in paint order. They give the band's
/// pixels the same bits as all circles.
void select_band(const Circles& circles, const ImageSettings& image, const RowBand& band,
                 Circles& selected);

/// Draws a band of a frame on each of several rasterizers. Outside of its band, each draws only
/// background.
std::unique_ptr<Rasterizer> make_split_rasterizer(
    std::vector<std::unique_ptr<Rasterizer>> rasterizers);

}  // namespace roundel
