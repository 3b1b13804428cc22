#pragma once
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "renderer/circles/circle.h"
#include "renderer/raster/cpu/bin_slab.h"
#include "renderer/raster/shaders.h"
#include "renderer/raster/tile_grid.h"

namespace roundel::cpu {

/// The pixels of one tile between chunks: planes red, green, blue, transmittance, or one of these
/// for each channel; each [tile_size][tile_size], rows bottom to top. 64-byte aligned.
struct TileState {
  float* planes;  ///< [num_planes · tile_size · tile_size]
  int tile_size;
  int num_planes;

  std::size_t plane_size() const {
    const auto side = static_cast<std::size_t>(tile_size);
    return side * side;
  }
  float* plane(std::size_t channel) const { return planes + channel * plane_size(); }
};

struct BlendTileArgs {
  TileGrid grid;
  int tile_x, tile_y;
  std::span<const Shape> shapes;     ///< of the chunk
  std::span<const Paint> paints;     ///< of the chunk
  std::span<const SlabLists> slabs;  ///< of the chunk
  SnowRamp ramp;
  TileState state;
  bool is_fresh;  ///< the state is a blank_tile()
  bool is_last;   ///< nothing more comes behind: whether pixels are opaque no longer matters

  std::size_t bin() const {
    return static_cast<std::size_t>(tile_y) * static_cast<std::size_t>(grid.tiles_x) +
           static_cast<std::size_t>(tile_x);
  }
};

/// Planes of a frame's tiles: those of a PixelState, or of a ChannelState.
constexpr int num_planes(const CircleLooks& looks) {
  return looks.any() ? 6 : 4;
}
/// Floats of a tile's state.
constexpr std::size_t state_size(int tile_size, int num_planes) {
  const auto side = static_cast<std::size_t>(tile_size);
  return static_cast<std::size_t>(num_planes) * side * side;
}

/// A state in memory of the calling thread, until it asks for another one; uninitialised.
TileState scratch_tile(int tile_size, int num_planes);
/// The same before the first circle: no colour yet, all light passes; except beyond the image's
/// edge, where pixels count as opaque. `pixels` are those of the tile.
TileState blank_tile(int tile_size, int num_planes, const PixelRect& pixels);

/// Composites a tile's list onto its state, front (last) to back. Returns true only when every
/// pixel of the tile is done: nothing behind can change it.
using BlendTile = bool(const BlendTileArgs& args);
/// The one for the best instruction set that there is, or that force_vector_target() has left; with
/// coverage by area, or without; for circles with looks, or only discs painted over each other.
BlendTile* blend_tile_on_this_machine(bool by_area, const CircleLooks& looks);

/// The instruction sets that the kernels can run on here, e.g. "AVX3", "AVX2", "SSE4"; the first
/// one is taken.
std::vector<std::string> vector_targets();
/// Leaves only this one, or all for "". False, and all, when it is not among them.
bool force_vector_target(const std::string& name);

}  // namespace roundel::cpu
