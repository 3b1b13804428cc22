#include "renderer/explain/heat_map.h"

#include <tbb/parallel_for.h>

#include <algorithm>
#include <array>
#include <span>
#include <vector>

#include "renderer/base/memory.h"
#include "renderer/image/magma.h"
#include "renderer/raster/backend.h"
#include "renderer/raster/cpu/bin_circles.h"
#include "renderer/raster/pixel_walk.h"
#include "renderer/raster/shaders.h"
#include "renderer/raster/tile_grid.h"

namespace roundel {
namespace {

using TileList = std::span<const std::uint32_t>;

/// May be all that is needed.
constexpr std::uint64_t kFirstHeatChunk = 65536;

/// Centres of a tile's pixels, and their places in buffers of the image's size.
struct TilePixels {
  const TileGrid& grid;
  bool has_styles;
  PixelRect rect;
  std::array<float, kCpuTileSize> x{}, y{};

  TilePixels(const TileGrid& tile_grid, bool circles_have_looks, std::size_t tile)
      : grid(tile_grid),
        has_styles(circles_have_looks),
        rect(grid.tile_pixels(static_cast<int>(tile) % grid.tiles_x,
                              static_cast<int>(tile) / grid.tiles_x)) {
    for (int i = 0; i < kCpuTileSize; ++i) {
      x[static_cast<std::size_t>(i)] =
          scalar::pixel_center<ScalarLanes>(static_cast<float>(rect.x0 + i), grid.s, grid.half_x);
      y[static_cast<std::size_t>(i)] =
          scalar::pixel_center<ScalarLanes>(static_cast<float>(rect.y0 + i), grid.s, grid.half_y);
    }
  }
  std::size_t index(int column, int row) const {
    return static_cast<std::size_t>(row) * static_cast<std::size_t>(grid.width) +
           static_cast<std::size_t>(column);
  }
  /// Pixels that the circle may cover.
  PixelRect bounds(const Shape& shape) const {
    const PixelRect box = grid.pixel_bounds(shape);
    return {std::max(box.x0, rect.x0), std::max(box.y0, rect.y0), std::min(box.x1, rect.x1),
            std::min(box.y1, rect.y1)};
  }
  /// Before the first circle.
  PixelWalk walk(int column, int row) const {
    return {static_cast<float>(column) + grid.origin_x(),
            static_cast<float>(row) + grid.origin_y(),
            grid.scale,
            grid.is_antialiased(),
            has_styles,
            x[static_cast<std::size_t>(column - rect.x0)],
            y[static_cast<std::size_t>(row - rect.y0)]};
  }
};

void count_layers(const TilePixels& tile, TileList list, std::span<const Shape> shapes,
                  std::span<const Paint> paints, std::uint32_t* values) {
  std::uint32_t everywhere = 0;
  for (const std::uint32_t i : list) {
    const Shape& shape = shapes[i];
    const PixelRect box = tile.bounds(shape);
    if (box.empty()) continue;
    if (tile.grid.is_antialiased() || tile.has_styles) {
      for (int row = box.y0; row <= box.y1; ++row)
        for (int column = box.x0; column <= box.x1; ++column)
          values[tile.index(column, row)] +=
              tile.walk(column, row).is_covered_by(shape, paints[i]) ? 1 : 0;
      continue;
    }
    if (covers_all(shape, tile.rect, tile.grid)) {
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

/// One per pixel and channel, channel after channel, if frames have styles, else one per pixel.
class Transmittances {
 public:
  Transmittances(std::size_t pixels, bool has_styles)
      : channels_(has_styles ? 3 : 1), values_(pixels * channels_) {
    std::fill_n(values_.data(), values_.size(), 1.0f);
  }
  void load(std::size_t pixel, PixelWalk::State& state) const {
    const float* const values = values_.data() + pixel * channels_;
    state.red_transmittance = values[0];
    state.green_transmittance = values[channels_ / 2];
    state.blue_transmittance = values[channels_ - 1];
  }
  void store(std::size_t pixel, const PixelWalk::State& state) {
    float* const values = values_.data() + pixel * channels_;
    values[0] = state.red_transmittance;
    values[channels_ / 2] = state.green_transmittance;
    values[channels_ - 1] = state.blue_transmittance;
  }

 private:
  std::size_t channels_;
  Buffer<float> values_;
};

/// Composites the list's circles onto the pixels, front to back, and counts for each the circles
/// that reached it before it was opaque. True if all pixels are opaque.
bool count_until_stop(const TilePixels& tile, TileList list, std::span<const Shape> shapes,
                      std::span<const Paint> paints, const SnowRamp& ramp,
                      Transmittances& transmittances, std::uint32_t* values) {
  int active = 0;
  const auto walk_at = [&](int column, int row) {
    PixelWalk walk = tile.walk(column, row);
    transmittances.load(tile.index(column, row), walk.state);
    return walk;
  };
  for (int row = tile.rect.y0; row <= tile.rect.y1; ++row)
    for (int column = tile.rect.x0; column <= tile.rect.x1; ++column)
      active += walk_at(column, row).has_stopped() ? 0 : 1;
  for (auto i = list.begin(); i != list.end() && active > 0; ++i) {
    const Shape& shape = shapes[*i];
    const PixelRect box = tile.bounds(shape);
    for (int row = box.y0; row <= box.y1; ++row) {
      for (int column = box.x0; column <= box.x1; ++column) {
        PixelWalk walk = walk_at(column, row);
        const float share = walk.has_stopped() ? 0 : walk.share_of(shape, paints[*i]);
        if (!(share > 0)) continue;
        walk.blend(shape, paints[*i], share, ramp);
        ++values[tile.index(column, row)];
        transmittances.store(tile.index(column, row), walk.state);
        active -= walk.has_stopped() ? 1 : 0;
      }
    }
  }
  return active == 0;
}

/// The frame loop with count_tile(tile, list, first circle of the chunk) as stage blend, for active
/// tiles with a list, chunks front to back. It returns true for a done tile.
template <typename CountTile>
class CountingBackend final : public RasterBackend {
 public:
  CountingBackend(std::uint64_t first_chunk, std::uint64_t list_budget, const CountTile& count_tile)
      : first_chunk_(first_chunk),
        list_budget_(list_budget > 0 ? list_budget : physical_memory() / 4),
        count_tile_(count_tile) {}

  ChunkPlan plan(const CircleStream& circles, const ImageSettings& image,
                 const FrameTarget& /*out*/, StageStats& /*stats*/) override {
    circles_ = &circles;
    has_styles_ = image.styles.any();
    grid_ = TileGrid::make(image, kCpuTileSize);
    done_.assign(static_cast<std::size_t>(grid_.num_tiles()), 0);
    return {circles.count(), {first_chunk_, kMaxChunkCircles, 4}};
  }
  void bin(const Chunk& chunk, StageStats& /*stats*/) override {
    Circles none;
    const std::uint64_t max_bytes = std::max(list_budget_, cpu::min_list_bytes(grid_));
    is_listed_ = cpu::bin_circles(
        {*circles_, chunk.begin, chunk.count(), none, grid_, done_, max_bytes, false}, lists_);
  }
  void blend(const Chunk& chunk, StageStats& /*stats*/) override {
    if (!is_listed_) return;
    tbb::parallel_for(std::size_t{0}, done_.size(), [&](std::size_t tile) {
      if (done_[tile] != 0 || lists_.is_empty(tile)) return;
      done_[tile] =
          count_tile_(TilePixels(grid_, has_styles_, tile), lists_.indices(tile), chunk.begin) ? 1
                                                                                               : 0;
    });
  }
  ChunkResult result(const Chunk& /*chunk*/, StageStats& /*stats*/) override {
    using Next = ChunkResult::Next;
    return {is_listed_ ? Next::kAdvance : Next::kHalve,
            static_cast<std::uint64_t>(std::count(done_.begin(), done_.end(), 0))};
  }
  void finish(StageStats& /*stats*/) override {}

 private:
  std::uint64_t first_chunk_, list_budget_;
  const CountTile& count_tile_;
  const CircleStream* circles_ = nullptr;
  TileGrid grid_{};
  bool has_styles_ = false;
  std::vector<std::uint8_t> done_;  // [num_tiles]
  cpu::TileLists lists_;
  bool is_listed_ = false;
};

template <typename CountTile>
void for_each_list(const Circles& circles, const ImageSettings& image, std::uint64_t first_chunk,
                   std::uint64_t list_budget, const CountTile& count_tile) {
  StageStats stats;
  CountingBackend(first_chunk, list_budget, count_tile)
      .draw(circles, image, FrameTarget::nowhere(0), stats);
}

void spread_over_pixels(const std::vector<std::uint64_t>& tiles, const TileGrid& grid,
                        std::uint32_t* values) {
  tbb::parallel_for(std::size_t{0}, tiles.size(), [&](std::size_t i) {
    const TilePixels tile(grid, false, i);
    for (int row = tile.rect.y0; row <= tile.rect.y1; ++row)
      std::fill_n(values + tile.index(tile.rect.x0, row), tile.rect.x1 - tile.rect.x0 + 1,
                  static_cast<std::uint32_t>(tiles[i]));
  });
}

}  // namespace

HeatMap make_heat_map(const Circles& circles, const ImageSettings& image, HeatMapKind kind,
                      std::uint64_t list_budget) {
  const TileGrid grid = TileGrid::make(image, kCpuTileSize);
  const std::size_t pixels = image.pixels();
  HeatMap map{image.width, image.height, Buffer<std::uint32_t>(pixels)};
  std::uint32_t* const values = map.values.data();
  std::fill_n(values, pixels, 0);
  if (kind == HeatMapKind::kOverlaps) {
    spread_over_pixels(count_overlaps_by_tile(circles.shapes.span(), grid), grid, values);
  } else if (kind == HeatMapKind::kLayers) {
    for_each_list(circles, image, kMaxChunkCircles, list_budget,
                  [&](const TilePixels& tile, TileList list, std::size_t first) {
                    count_layers(tile, list, circles.shapes.span().subspan(first),
                                 circles.paints.span().subspan(first), values);
                    return false;
                  });
  } else {
    const SnowRamp ramp = snow_ramp(image.blend_space);
    Transmittances transmittances(pixels, image.styles.any());
    for_each_list(circles, image, kFirstHeatChunk, list_budget,
                  [&](const TilePixels& tile, TileList list, std::size_t first) {
                    return count_until_stop(tile, list, circles.shapes.span().subspan(first),
                                            circles.paints.span().subspan(first), ramp,
                                            transmittances, values);
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
