#pragma once
#include <cstdint>

#include "renderer/base/buffer.h"
#include "renderer/circles/circle.h"
#include "renderer/pixels/framebuffer.h"
#include "renderer/pixels/image.h"
#include "renderer/scene/scene.h"

namespace roundel {

enum class HeatMapKind {
  kLayers,    ///< circles that cover it: depth complexity
  kOverlaps,  ///< circles in the list of its tile of kCpuTileSize pixels
  kStop,      ///< circles composited until it stopped, or all that cover it
};

/// Rows **bottom to top**, as in a framebuffer.
struct HeatMap {
  int width = 0, height = 0;
  Buffer<std::uint32_t> values;  ///< [height · width]
};

/// `circles` are in frame space. Parallel. Takes 4 bytes a pixel (kStop: 8), and at most
/// `list_budget` bytes for lists (0: a quarter of the memory), in chunks if necessary.
HeatMap make_heat_map(const Circles& circles, const ImageSettings& image, HeatMapKind kind,
                      std::uint64_t list_budget);

/// The largest value, its first pixel (from the bottom, row by row), and the sum.
struct HeatMapSummary {
  std::uint32_t largest = 0;
  int x = 0, row = 0;
  std::uint64_t sum = 0;
};
HeatMapSummary summarize(const HeatMap& map);

/// Maps 0 to magma(0), nearly black, and `largest` to magma(1), linear between.
Image heat_map_image(const HeatMap& map, std::uint32_t largest);
/// Writes the values to all three channels; exact up to 2²⁴.
Framebuffer heat_map_framebuffer(const HeatMap& map);

}  // namespace roundel
