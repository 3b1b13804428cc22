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

/// Returns the band of part `index` (from 0) of `count` for a frame of `rows` rows. Each row is in
/// one part, and sizes differ by at most one.
RowBand band_of(int rows, int index, int count);

/// Selects the circles that may cover a pixel of the band, in paint order. Drawing them gives the
/// band's pixels the same bits as drawing all circles.
void select_band(const Circles& circles, const ImageSettings& image, const RowBand& band,
                 Circles& selected);

/// Draws a frame on several rasterizers at once, a band on each. Each draws a whole frame, which
/// outside of its band is only background.
std::unique_ptr<Rasterizer> make_split_rasterizer(
    std::vector<std::unique_ptr<Rasterizer>> rasterizers);

}  // namespace roundel
