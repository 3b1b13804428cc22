#pragma once
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "renderer/generate/circle.h"
#include "renderer/raster/cpu/bin_slab.h"
#include "renderer/raster/shaders.h"
#include "renderer/raster/tile_grid.h"

namespace roundel::cpu {

/// The pixels of one bin between chunks: planes red, green, blue, transmittance, each
/// [bin_size][bin_size], rows bottom to top. 64-byte aligned.
struct TileState {
  float* planes;  ///< [4 · bin_size · bin_size]
  int bin_size;

  std::size_t plane_size() const {
    const auto side = static_cast<std::size_t>(bin_size);
    return side * side;
  }
  float* plane(std::size_t channel) const { return planes + channel * plane_size(); }
};

struct BlendTileArgs {
  TileGrid grid;
  int bin_x, bin_y;
  std::span<const Shape> shapes;     ///< of the chunk
  std::span<const Paint> paints;     ///< of the chunk
  std::span<const SlabLists> slabs;  ///< of the chunk
  SnowRamp ramp;
  TileState state;
  bool is_fresh;  ///< the state is as clear_tile() leaves it
  bool is_last;   ///< nothing more comes behind: whether pixels have stopped no longer matters

  std::size_t bin() const {
    return static_cast<std::size_t>(bin_y) * static_cast<std::size_t>(grid.bins_x) +
           static_cast<std::size_t>(bin_x);
  }
};

/// No colour yet, all light passes; except beyond the image's edge, where pixels count as stopped.
/// `pixels` are those of the bin.
void clear_tile(const TileState& state, const PixelRect& pixels);

/// Composites a bin's list onto its state, front (last) to back. Returns true only when every pixel
/// of the bin has stopped: nothing behind can change it.
bool blend_tile(const BlendTileArgs& args);

/// The instruction sets that the kernels can run on here, e.g. "AVX3", "AVX2", "SSE4"; the first
/// one is taken.
std::vector<std::string> vector_targets();
/// Leaves only this one, or all for "". False, and all, when it is not among them.
bool force_vector_target(const std::string& name);

}  // namespace roundel::cpu
