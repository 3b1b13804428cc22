#pragma once
#include <cuda_runtime_api.h>

#include <cstdint>

#include "renderer/circles/circle.h"
#include "renderer/pixels/framebuffer.h"
#include "renderer/pixels/quantize_levels.h"
#include "renderer/raster/background.h"
#include "renderer/raster/cuda/bin_circles.h"
#include "renderer/raster/shaders.h"
#include "renderer/raster/tile_grid.h"

namespace roundel::cuda {

/// Colour and transmittance of a pixel between chunks.
struct alignas(16) SavedPixel {
  float red, green, blue, transmittance;
};

struct BlendTilesArgs {
  TileGrid grid;
  SnowRamp ramp;
  CircleLooks looks;
  SampleFormat samples;            ///< of `bytes`
  std::uint32_t chunk_number = 0;  ///< in this frame
  bool begins_early = false;       ///< see launch()
  bool is_last_chunk = true;       ///< every pixel is done
  const Shape* shapes = nullptr;   // [count], of the chunk
  const Paint* paints = nullptr;   // [count]
  std::uint32_t count = 0;         ///< circles of the chunk
  /// The chunk's lists; without them every block looks at all circles itself.
  const OverlapRun* lists = nullptr;  // [num_tiles]
  const Overlap* overlaps = nullptr;
  /// The tiles, column below row, in the order of their blocks; null: along rows, from the first
  /// row on and then those next to it, up and down by turns.
  const std::uint32_t* tile_order = nullptr;  // [num_tiles]
  int first_row = 0;
  /// Tiles whose lists have at least so many overlaps are left to blend_long_lists().
  std::uint32_t long_list = ~0u;
  FrameProgress* progress = nullptr;
  std::uint8_t* active_subtiles = nullptr;  // [num_tiles]
  SavedPixel* states = nullptr;             // [height · width]; null when there is one chunk
  /// With looks the states' transmittance is that of red; these are green's and blue's.
  float2* other_transmittances = nullptr;  // [height · width]
  const float4* background = nullptr;      // [height], rows bottom to top; null: flat_background
  BlendColor flat_background{};
  Pixel* framebuffer = nullptr;   // [height · width], rows bottom to top, or null
  std::uint8_t* bytes = nullptr;  // rows of an Image, or null

  bool operator==(const BlendTilesArgs&) const = default;
};

/// Writes the colours of `count` rows, bottom to top, to `background` [count], for
/// BlendTilesArgs::background.
void fill_background(const BackgroundRows& rows, int count, float4* background,
                     cudaStream_t stream);

/// Whether these kernels can begin early on the calling thread's device.
bool can_begin_early();

/// Composites the chunk's circles onto every active subtile, front to back, and writes the pixels
/// that are done.
void blend_tiles(const BlendTilesArgs& args, cudaStream_t stream);

/// The same for the tiles with long lists, after it: several blocks a tile.
void blend_long_lists(const BlendTilesArgs& args, cudaStream_t stream);

/// What that takes of a block's shared memory, bytes.
std::size_t long_list_memory();

}  // namespace roundel::cuda
