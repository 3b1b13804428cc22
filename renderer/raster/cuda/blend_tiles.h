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

struct alignas(16) SavedPixel {
  float red, green, blue, transmittance;
};

struct BlendTilesArgs {
  TileGrid grid;
  SnowRamp ramp;
  CircleStyles styles;
  SampleFormat samples;
  std::uint32_t chunk_number = 0;  ///< in the frame
  bool begins_early = false;       ///< see launch()
  bool is_last_chunk = true;       ///< every pixel is done
  const Shape* shapes = nullptr;   // [count], the chunk's
  const Paint* paints = nullptr;   // [count]
  std::uint32_t count = 0;         ///< in the chunk
  /// Without lists every block tests all circles.
  const OverlapRun* lists = nullptr;  // [num_tiles]
  const Overlap* overlaps = nullptr;
  /// Tiles in the order of their blocks, column in the low 16 bits, row in the high 16; null: by
  /// rows, from first_row alternating up and down.
  const std::uint32_t* tile_order = nullptr;  // [num_tiles]
  int first_row = 0;
  /// blend_long_lists() blends lists of at least this length.
  std::uint32_t long_list = ~0u;
  FrameProgress* progress = nullptr;
  std::uint8_t* active_subtiles = nullptr;  // [num_tiles]
  SavedPixel* states = nullptr;             // [height · width]; null for a single chunk
  /// With styles `states` has red's transmittance; these are green's and blue's.
  float2* other_transmittances = nullptr;  // [height · width]
  const float4* background = nullptr;      // [height], rows bottom to top; null: flat_background
  BlendColor flat_background{};
  Pixel* framebuffer = nullptr;   // [height · width], rows bottom to top, or null
  std::uint8_t* bytes = nullptr;  // rows of an Image, or null

  bool operator==(const BlendTilesArgs&) const = default;
};

/// Writes the colours of rows, bottom to top, to `background` [count].
void fill_background(const BackgroundRows& rows, int count, float4* background,
                     cudaStream_t stream);

/// True if these kernels can begin early on the thread's device.
bool can_begin_early();

/// Composites circles onto active subtiles, front to back, and writes done pixels.
void blend_tiles(const BlendTilesArgs& args, cudaStream_t stream);

/// Blends long lists, with several blocks each. Call after blend_tiles().
void blend_long_lists(const BlendTilesArgs& args, cudaStream_t stream);

/// Shared memory of a block of blend_long_lists(), in bytes.
std::size_t long_list_memory();

}  // namespace roundel::cuda
