#pragma once
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "renderer/circles/circle.h"
#include "renderer/raster/cpu/bin_slab.h"
#include "renderer/raster/rasterizer.h"
#include "renderer/raster/shaders.h"
#include "renderer/raster/tile_grid.h"

namespace roundel::cpu {

/// A tile's pixels between chunks: planes red, green, blue and transmittance (or a transmittance
/// for each channel), each [tile_size][tile_size], rows bottom to top, 64-byte aligned.
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
  std::span<const Shape> shapes;     ///< the chunk's
  std::span<const Paint> paints;     ///< the chunk's
  std::span<const SlabLists> slabs;  ///< the chunk's
  SnowRamp ramp;
  TileState state;
  bool is_fresh;  ///< state is a blank_tile()
  bool is_last;   ///< no circles follow: opaque pixels no longer matter

  std::size_t bin() const {
    return static_cast<std::size_t>(tile_y) * static_cast<std::size_t>(grid.tiles_x) +
           static_cast<std::size_t>(tile_x);
  }
};

constexpr int num_planes(const CircleStyles& styles) {
  return styles.any() ? 6 : 4;
}
constexpr std::size_t state_size(int tile_size, int num_planes) {
  const auto side = static_cast<std::size_t>(tile_size);
  return static_cast<std::size_t>(num_planes) * side * side;
}

/// Returns an uninitialised state in memory of the calling thread, valid until its next call.
TileState scratch_tile(int tile_size, int num_planes);
/// Returns a scratch_tile() without colour and with T = 1; pixels beyond the image are opaque.
/// `pixels` are the tile's.
TileState blank_tile(int tile_size, int num_planes, const PixelRect& pixels);

/// Composites a tile's list, front (last) to back. Returns true only if all pixels are opaque.
using BlendTile = bool(const BlendTileArgs& args);
/// Returns the function for the best available instruction set, or the one that
/// force_vector_target() left.
BlendTile* blend_tile_on_this_machine(bool by_area, const CircleStyles& styles);

/// Returns the supported instruction sets, e.g. "AVX3", "AVX2", "SSE4", best first.
std::vector<std::string> vector_targets();
/// Allows only this instruction set, or all for "". For an unknown name allows all and returns
/// false.
bool force_vector_target(const std::string& name);
/// See cpu_missing_vector_targets().
std::vector<MissingVectorTarget> missing_vector_targets();

}  // namespace roundel::cpu
