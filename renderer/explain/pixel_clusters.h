#pragma once
#include <cstdint>
#include <vector>

#include "renderer/base/buffer.h"
#include "renderer/raster/tile_grid.h"

namespace roundel {

/// Pixels that hang together by sides or corners.
struct PixelCluster {
  std::vector<std::uint32_t> pixels;  ///< row · width + x, ascending
  PixelRect box{0, 0, -1, -1};        ///< the smallest that holds them
};

/// Of the pixels that are not 0.
struct PixelClusters {
  std::uint64_t pixels = 0, clusters = 0;
  std::vector<PixelCluster> largest;  ///< the largest first, the first ones among equals
};

/// `marked` is [height][width], at most 2³² pixels; the `most` largest clusters are kept. By
/// disjoint sets (Tarjan 1975), in one pass; takes 8 bytes a pixel.
PixelClusters find_clusters(const Buffer<std::uint8_t>& marked, int width, int height,
                            std::size_t most = 1);

}  // namespace roundel
