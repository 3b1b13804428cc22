#include "renderer/explain/heat_map.h"

#include <tbb/parallel_for.h>

#include <algorithm>
#include <array>
#include <span>
#include <vector>

#include "renderer/base/memory.h"
#include "renderer/explain/pixel_walk.h"
#include "renderer/image/magma.h"
#include "renderer/raster/chunks.h"
#include "renderer/raster/cpu/bin_circles.h"
#include "renderer/raster/shaders.h"
#include "renderer/raster/tile_grid.h"

namespace roundel {
namespace {

using TileList = std::span<const std::uint32_t>;

/// Circles binned at once: a few where the first may be all that is needed, and at most.
constexpr std::uint64_t kFirstHeatChunk = 65536, kLargestHeatChunk = std::uint64_t{1} << 24;

/// The centres of a tile's pixels, and where they lie in buffers of the image's size.
struct TilePixels {
  const TileGrid& grid;
  PixelRect rect;
  std::array<float, kCpuTileSize> x{}, y{};

  TilePixels(const TileGrid& tile_grid, std::size_t tile)
      : grid(tile_grid),
        rect(grid.tile_pixels(static_cast<int>(tile) % grid.tiles_x,
                              static_cast<int>(tile) / grid.tiles_x)) {
    for (int i = 0; i < kCpuTileSize; ++i) {
      x[static_cast<std::size_t>(i)] =
          scalar::pixel_center<ScalarLanes>(static_cast<float>(rect.x0 + i), grid.s);
      y[static_cast<std::size_t>(i)] =
          scalar::pixel_center<ScalarLanes>(static_cast<float>(rect.y0 + i), grid.s);
    }
  }
  std::size_t index(int column, int row) const {
    return static_cast<std::size_t>(row) * static_cast<std::size_t>(grid.width) +
           static_cast<std::size_t>(column);
  }
  /// Its pixels that the circle may cover.
  PixelRect bounds(const Shape& shape) const {
    const PixelRect box = grid.pixel_bounds(shape);
    return {std::max(box.x0, rect.x0), std::max(box.y0, rect.y0), std::min(box.x1, rect.x1),
            std::min(box.y1, rect.y1)};
  }
  /// One of them, before the first circle.
  PixelWalk walk(int column, int row) const {
    return {x[static_cast<std::size_t>(column - rect.x0)],
            y[static_cast<std::size_t>(row - rect.y0)]};
  }
};

/// Adds 1 to the pixels of one tile for each circle of its list that covers them.
void count_layers(const TilePixels& tile, TileList list, std::span<const Shape> shapes,
                  std::uint32_t* values) {
  std::uint32_t everywhere = 0;
  for (const std::uint32_t i : list) {
    const Shape& shape = shapes[i];
    const PixelRect box = tile.bounds(shape);
    if (box.empty()) continue;
    if (covers_all(shape, tile.rect, tile.grid.s)) {
      ++everywhere;
      continue;
    }
    const float r2 = shape.radius * shape.radius;
    const float* const x = tile.x.data() + (box.x0 - tile.rect.x0);
    for (int row = box.y0; row <= box.y1; ++row) {
      const float dy = shape.y - tile.y[static_cast<std::size_t>(row - tile.rect.y0)];
      std::uint32_t* const counts = values + tile.index(box.x0, row);
      for (int k = 0; k <= box.x1 - box.x0; ++k) {
        const float d2 = scalar::squared_distance<ScalarLanes>(shape.x - x[k], dy);
        counts[k] += d2 <= r2 ? 1 : 0;
      }
    }
  }
  for (int row = tile.rect.y0; row <= tile.rect.y1; ++row)
    for (int column = tile.rect.x0; column <= tile.rect.x1; ++column)
      values[tile.index(column, row)] += everywhere;
}

/// Lets the list's circles take light from the pixels of one tile, front to back, and counts for
/// each pixel those that found some. True when all pixels are opaque.
bool count_until_stop(const TilePixels& tile, TileList list, std::span<const Shape> shapes,
                      std::span<const Paint> paints, const SnowRamp& ramp, float* light,
                      std::uint32_t* values) {
  int active = 0;
  for (int row = tile.rect.y0; row <= tile.rect.y1; ++row)
    for (int column = tile.rect.x0; column <= tile.rect.x1; ++column)
      active += light[tile.index(column, row)] > scalar::kOpaqueTransmittance ? 1 : 0;
  for (auto i = list.begin(); i != list.end() && active > 0; ++i) {
    const Shape& shape = shapes[*i];
    const PixelRect box = tile.bounds(shape);
    for (int row = box.y0; row <= box.y1; ++row) {
      for (int column = box.x0; column <= box.x1; ++column) {
        const std::size_t index = tile.index(column, row);
        PixelWalk walk = tile.walk(column, row);
        walk.state.transmittance = light[index];
        if (walk.has_stopped() || !walk.is_covered_by(shape)) continue;
        walk.blend(shape, paints[*i], ramp);
        ++values[index];
        light[index] = walk.state.transmittance;
        active -= walk.has_stopped() ? 1 : 0;
      }
    }
  }
  return active == 0;
}

/// Calls count_tile(tile, list, first circle of the chunk) for every tile and chunk that has
/// something for it, chunks front to back. It returns true for a tile that needs no more.
template <typename CountTile>
void for_each_list(const Circles& circles, const TileGrid& grid, std::uint64_t first_chunk,
                   std::uint64_t list_budget, const CountTile& count_tile) {
  const auto num_tiles = static_cast<std::size_t>(grid.num_tiles());
  const std::uint64_t budget = list_budget > 0 ? list_budget : physical_memory() / 4;
  const std::uint64_t max_bytes = std::max(budget, cpu::least_list_bytes(grid));
  std::vector<std::uint8_t> done(num_tiles);
  cpu::TileLists lists;
  ChunkWalk chunks(circles.count(), 0, first_chunk, kLargestHeatChunk);
  for (;;) {
    const auto [begin, end] = chunks.current();
    if (end == 0) return;
    const auto shapes = circles.shapes.span().subspan(begin, end - begin);
    if (!cpu::bin_circles(shapes, {}, grid, done, max_bytes, lists)) {
      chunks.halve();
      continue;
    }
    const std::size_t first = begin;
    tbb::parallel_for(std::size_t{0}, num_tiles, [&](std::size_t tile) {
      if (done[tile] != 0 || lists.is_empty(tile)) return;
      done[tile] = count_tile(TilePixels(grid, tile), lists.indices(tile), first) ? 1 : 0;
    });
    if (std::find(done.begin(), done.end(), 0) == done.end()) return;
    chunks.advance();
  }
}

void spread_over_pixels(const std::vector<std::uint64_t>& tiles, const TileGrid& grid,
                        std::uint32_t* values) {
  tbb::parallel_for(std::size_t{0}, tiles.size(), [&](std::size_t i) {
    const TilePixels tile(grid, i);
    for (int row = tile.rect.y0; row <= tile.rect.y1; ++row)
      std::fill_n(values + tile.index(tile.rect.x0, row), tile.rect.x1 - tile.rect.x0 + 1,
                  static_cast<std::uint32_t>(tiles[i]));
  });
}

}  // namespace

HeatMap make_heat_map(const Circles& circles, const ImageSettings& image, HeatMapKind kind,
                      std::uint64_t list_budget) {
  const TileGrid grid = TileGrid::make(image.width, image.height, kCpuTileSize);
  const std::size_t pixels =
      static_cast<std::size_t>(image.width) * static_cast<std::size_t>(image.height);
  HeatMap map{image.width, image.height, Buffer<std::uint32_t>(pixels)};
  std::uint32_t* const values = map.values.data();
  std::fill_n(values, pixels, 0);
  if (kind == HeatMapKind::kOverlaps) {
    spread_over_pixels(count_overlaps_by_tile(circles, grid), grid, values);
  } else if (kind == HeatMapKind::kLayers) {
    for_each_list(circles, grid, kLargestHeatChunk, list_budget,
                  [&](const TilePixels& tile, TileList list, std::size_t first) {
                    count_layers(tile, list, circles.shapes.span().subspan(first), values);
                    return false;
                  });
  } else {
    const SnowRamp ramp = snow_ramp(image.blend_space);
    Buffer<float> light(pixels);
    std::fill_n(light.data(), pixels, 1.0f);
    for_each_list(circles, grid, kFirstHeatChunk, list_budget,
                  [&](const TilePixels& tile, TileList list, std::size_t first) {
                    return count_until_stop(tile, list, circles.shapes.span().subspan(first),
                                            circles.paints.span().subspan(first), ramp,
                                            light.data(), values);
                  });
  }
  return map;
}

HeatMapSummary summarize(const HeatMap& map) {
  HeatMapSummary summary;
  const auto width = static_cast<std::size_t>(map.width);
  for (std::size_t i = 0; i < map.values.size(); ++i) {
    const std::uint32_t value = map.values[i];
    summary.sum += value;
    if (value <= summary.largest) continue;
    summary.largest = value;
    summary.x = static_cast<int>(i % width);
    summary.row = static_cast<int>(i / width);
  }
  return summary;
}

Image heat_map_image(const HeatMap& map, std::uint32_t largest) {
  Image image;
  image.resize(map.width, map.height, 3);
  const auto width = static_cast<std::size_t>(map.width);
  const auto height = static_cast<std::size_t>(map.height);
  const double scale = largest > 0 ? 1.0 / largest : 0;
  tbb::parallel_for(std::size_t{0}, height, [&](std::size_t row) {
    const std::uint32_t* const values = map.values.data() + row * width;
    std::uint8_t* bytes = image.bytes.data() + (height - 1 - row) * width * 3;
    for (std::size_t x = 0; x < width; ++x, bytes += 3) {
      const std::array<std::uint8_t, 3> rgb = magma(scale * values[x]);
      std::copy(rgb.begin(), rgb.end(), bytes);
    }
  });
  return image;
}

Framebuffer heat_map_framebuffer(const HeatMap& map) {
  Framebuffer framebuffer;
  framebuffer.resize(map.width, map.height);
  tbb::parallel_for(std::size_t{0}, map.values.size(), [&](std::size_t i) {
    const auto value = static_cast<float>(map.values[i]);
    framebuffer.pixels[i] = {value, value, value, 1.0f};
  });
  return framebuffer;
}

}  // namespace roundel
