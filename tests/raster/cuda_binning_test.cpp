#include <algorithm>
#include <random>

#include "renderer/raster/cuda/bin_circles.h"
#include "renderer/raster/cuda/device_buffer.h"
#include "tests/raster/testing.h"

namespace roundel::cuda {
namespace {

using roundel::testing::random_circles;

template <typename T>
DeviceBuffer<T> to_device(const T* from, std::size_t size) {
  DeviceBuffer<T> buffer(std::max<std::size_t>(size, 1));
  if (size > 0)
    ROUNDEL_CUDA_CHECK(cudaMemcpy(buffer.data(), from, size * sizeof(T), cudaMemcpyHostToDevice));
  return buffer;
}

template <typename T>
std::vector<T> to_host(const DeviceBuffer<T>& buffer) {
  std::vector<T> values(buffer.size());
  ROUNDEL_CUDA_CHECK(
      cudaMemcpy(values.data(), buffer.data(), buffer.bytes(), cudaMemcpyDeviceToHost));
  return values;
}

struct Lists {
  std::vector<std::vector<Overlap>> of_tile;  ///< in paint order
  FrameProgress progress;
};

/// Bins on the device. `active` has a byte a tile, or nothing for a first chunk.
Lists bin(const Circles& circles, const TileGrid& grid, std::uint32_t slab_circles,
          std::uint32_t slab_capacity, std::uint64_t overflow_capacity,
          const std::vector<std::uint8_t>& active) {
  const auto shapes = to_device(circles.shapes.data(), circles.count());
  const auto active_subtiles = to_device(active.data(), active.size());
  FrameProgress progress{};
  progress.active_tiles[0] = 1;  // of the chunk before
  const auto device_progress = to_device(&progress, 1);
  BinCirclesArgs args;
  args.grid = grid;
  args.chunk_number = active.empty() ? 0 : 1;
  args.shapes = shapes.data();
  args.count = static_cast<std::uint32_t>(circles.count());
  args.slab_circles = slab_circles;
  args.num_slabs = (args.count + slab_circles - 1) / slab_circles;
  args.active_subtiles = active_subtiles.data();
  const DeviceBuffer<ListSegment> segments(args.num_blocks() * kTilesPerMacrotile);
  const DeviceBuffer<Overlap> overlaps(args.num_blocks() * slab_capacity + overflow_capacity);
  args.segments = segments.data();
  args.overlaps = overlaps.data();
  args.slab_capacity = slab_capacity;
  args.overflow_capacity = overflow_capacity;
  args.progress = device_progress.data();
  bin_circles(args, nullptr);
  ROUNDEL_CUDA_CHECK(cudaDeviceSynchronize());

  Lists lists{std::vector<std::vector<Overlap>>(static_cast<std::size_t>(grid.num_tiles())),
              to_host(device_progress).front()};
  if (lists.progress.overflow != 0) return lists;
  const auto host_segments = to_host(segments);
  const auto host_overlaps = to_host(overlaps);
  for (int y = 0; y < grid.tiles_y; ++y) {
    for (int x = 0; x < grid.tiles_x; ++x) {
      auto& list = lists.of_tile[static_cast<std::size_t>(y * grid.tiles_x + x)];
      for (std::size_t slab = 0; slab < args.num_slabs; ++slab) {
        const ListSegment& segment =
            host_segments[first_segment(grid, args.num_slabs, x, y) + slab * kTilesPerMacrotile];
        const auto begin = host_overlaps.begin() + segment.start;
        list.insert(list.end(), begin, begin + segment.count);
      }
    }
  }
  return lists;
}

/// Every circle × every tile: its box touches the subtiles of the mask.
std::vector<std::vector<Overlap>> brute_force(const Circles& circles, const TileGrid& grid,
                                              const std::vector<std::uint8_t>& active) {
  std::vector<std::vector<Overlap>> lists(static_cast<std::size_t>(grid.num_tiles()));
  for (std::uint32_t i = 0; i < circles.count(); ++i) {
    const PixelRect box = grid.pixel_bounds(circles.shapes[i]);
    if (box.empty()) continue;
    for (std::size_t tile = 0; tile < lists.size(); ++tile) {
      if (!active.empty() && active[tile] == 0) continue;
      const int x0 = static_cast<int>(tile) % grid.tiles_x * kTileSize;
      const int y0 = static_cast<int>(tile) / grid.tiles_x * kTileSize;
      std::uint32_t mask = 0;
      for (int subtile = 0; subtile < kSubtilesPerTile; ++subtile) {
        const int x = x0 + subtile % 2 * kSubtileWidth, y = y0 + subtile / 2 * kSubtileHeight;
        if (box.x0 < x + kSubtileWidth && box.x1 >= x && box.y0 < y + kSubtileHeight && box.y1 >= y)
          mask |= 1u << subtile;
      }
      if (mask != 0) lists[tile].push_back(i << kOverlapCircleShift | mask);
    }
  }
  return lists;
}

TEST(CudaBinning, ListsHoldEveryOverlapInPaintOrderAndNothingTwice) {
  ROUNDEL_NEEDS_CUDA();
  std::mt19937 engine(3);
  for (const auto& [width, height] : {std::pair{333, 217}, {31, 33}, {2500, 1100}}) {
    const TileGrid grid = TileGrid::make(width, height, kTileSize);
    for (const std::size_t count : {1U, 63U, 64U, 65U, 1000U, 5000U}) {
      Circles circles = random_circles(count, 0.03f, 0.5f, 0);
      for (std::size_t i = 0; i < count; i += 50)
        circles.shapes[i].radius *= 30;                                           // over many tiles
      for (std::size_t i = 25; i < count; i += 50) circles.shapes[i].radius = 0;  // over none
      std::vector<std::uint8_t> some(static_cast<std::size_t>(grid.num_tiles()));
      for (std::uint8_t& active : some) active = engine() % 3 == 0 ? 0x81 : 0;
      for (const auto& active : {std::vector<std::uint8_t>(), some}) {
        const auto expected = brute_force(circles, grid, active);
        std::uint64_t total = 0;
        for (const auto& list : expected) total += list.size();
        for (const std::uint32_t slab : {kFewSlabCircles, 256U, kMostSlabCircles}) {
          // Places of their own, shared ones, and both.
          for (const std::uint32_t slab_capacity : {0U, 40U, 100'000U}) {
            const Lists lists = bin(circles, grid, slab, slab_capacity, total, active);
            ASSERT_EQ(lists.progress.overflow, 0U);
            EXPECT_EQ(lists.progress.listed, total);
            ASSERT_EQ(lists.of_tile, expected) << count << " circles, slabs of " << slab;
          }
        }
      }
    }
  }
}

TEST(CudaBinning, ListsThatDoNotFitAreReportedWithWhatTheyNeed) {
  ROUNDEL_NEEDS_CUDA();
  const TileGrid grid = TileGrid::make(200, 200, kTileSize);
  const Circles circles = random_circles(3000, 0.1f, 0.5f, 0);
  const auto expected = brute_force(circles, grid, {});
  std::uint64_t total = 0;
  for (const auto& list : expected) total += list.size();
  for (const std::uint32_t slab : {kFewSlabCircles, 512U}) {
    const FrameProgress progress = bin(circles, grid, slab, 0, total - 1, {}).progress;
    EXPECT_EQ(progress.overflow, 1U);
    EXPECT_EQ(progress.used, total);
  }
}

}  // namespace
}  // namespace roundel::cuda
