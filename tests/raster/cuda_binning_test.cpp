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
  std::vector<std::vector<Overlap>> of_tile;  ///< front to back
  std::vector<OverlapRun> places;             ///< for each tile
  std::vector<std::uint32_t> tile_order;      ///< column below row
  FrameProgress progress;
};

/// Used instead of a number of circles a slab.
constexpr std::uint32_t kByRegion = 0;

constexpr std::uint32_t kSlabForLittleMemory = 1024;

/// Bins on the device. `active` has a byte a tile, or is empty for a first chunk.
Lists bin(const Circles& circles, const TileGrid& grid, std::uint32_t slab_circles,
          std::uint64_t capacity, const std::vector<std::uint8_t>& active) {
  const auto shapes = to_device(circles.shapes.data(), circles.count());
  const auto active_subtiles = to_device(active.data(), active.size());
  FrameProgress progress{};
  progress.active_subtiles[0] = 1;  // left by the previous chunk
  const auto device_progress = to_device(&progress, 1);
  BinCirclesArgs args;
  args.grid = grid;
  args.chunk_number = active.empty() ? 0 : 1;
  args.shapes = shapes.data();
  args.count = static_cast<std::uint32_t>(circles.count());
  const bool by_region = slab_circles == kByRegion;
  if (by_region) {
    capacity = circles.count() * static_cast<std::uint64_t>(grid.num_tiles());
  } else {
    args.slab_circles = slab_circles;
    args.num_slabs = (args.count + slab_circles - 1) / slab_circles;
    // Slabs of this size are binned as on devices with less shared memory.
    if (slab_circles == kSlabForLittleMemory)
      args.max_slab_overlaps = fitting_slab_overlaps(48 << 10);
  }
  args.active_subtiles = active_subtiles.data();
  const std::size_t num_counts = args.num_blocks() * kTilesPerMacrotile;
  const DeviceBuffer<std::uint16_t> counts(std::max<std::size_t>(num_counts, 1));
  const DeviceBuffer<std::uint32_t> offsets(std::max<std::size_t>(num_counts, 1));
  const DeviceBuffer<SlabOverlap> slab_overlaps(std::max<std::uint64_t>(capacity, 1));
  const DeviceBuffer<OverlapRun> slab_runs(std::max<std::uint64_t>(args.num_blocks(), 1));
  const DeviceBuffer<std::uint64_t> scan_words(args.num_scan_words());
  const DeviceBuffer<OverlapRun> device_lists(static_cast<std::size_t>(grid.num_tiles()));
  const DeviceBuffer<std::uint32_t> tile_order(static_cast<std::size_t>(grid.num_tiles()));
  const DeviceBuffer<Overlap> overlaps(std::max<std::uint64_t>(capacity, 1));
  args.counts = counts.data();
  args.offsets = offsets.data();
  args.slab_overlaps = slab_overlaps.data();
  args.slab_runs = slab_runs.data();
  args.scan_words = scan_words.data();
  args.lists = device_lists.data();
  args.tile_order = tile_order.data();
  args.overlaps = overlaps.data();
  args.capacity = capacity;
  args.progress = device_progress.data();
  (by_region ? bin_regions : bin_circles)(args, nullptr);
  ROUNDEL_CUDA_CHECK(cudaDeviceSynchronize());

  Lists lists{{}, to_host(device_lists), to_host(tile_order), to_host(device_progress).front()};
  if (lists.progress.overflow != 0) return lists;
  const auto host_overlaps = to_host(overlaps);
  for (const OverlapRun& place : lists.places) {
    const auto begin = host_overlaps.begin() + place.start;
    lists.of_tile.emplace_back(begin, begin + place.count);
  }
  return lists;
}

/// Returns the lists of every circle × every tile: its box touches the subtiles of the mask.
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
  for (auto& list : lists) std::reverse(list.begin(), list.end());  // front to back
  return lists;
}

std::uint64_t size_of(const std::vector<std::vector<Overlap>>& lists) {
  std::uint64_t total = 0;
  for (const auto& list : lists) total += list.size();
  return total;
}

TEST(CudaBinning, ListsHoldEveryOverlapOnceFrontToBack) {
  ROUNDEL_NEEDS_CUDA();
  std::mt19937 engine(3);
  for (const auto& [width, height] : {std::pair{333, 217}, {31, 33}, {2500, 1100}}) {
    const TileGrid grid = TileGrid::make(width, height, kTileSize);
    for (const std::size_t count : {1U, 63U, 64U, 65U, 1000U, 5000U, 16'384U, kMaxRegionCircles}) {
      if (count == kMaxRegionCircles && width > 500) continue;  // brute force takes long
      Circles circles = random_circles(count, 0.03f, 0.5f, 0);
      for (std::size_t i = 0; i < count; i += 50)
        circles.shapes[i].radius *= 30;                                           // over many tiles
      for (std::size_t i = 25; i < count; i += 50) circles.shapes[i].radius = 0;  // over 0 tiles
      std::vector<std::uint8_t> some(static_cast<std::size_t>(grid.num_tiles()));
      for (std::uint8_t& active : some) active = engine() % 3 == 0 ? 0x81 : 0;
      std::vector<std::uint8_t> one_tile(some.size());  // other macrotiles have none
      one_tile.back() = 1;
      for (const auto& active : {std::vector<std::uint8_t>(), some, one_tile}) {
        const auto expected = brute_force(circles, grid, active);
        const std::uint64_t total = size_of(expected);
        std::vector<OverlapRun> places;
        for (const std::uint32_t slab :
             {kByRegion, kSlabStep, kSlabForLittleMemory, kMaxSlabCircles}) {
          const Lists lists = bin(circles, grid, slab, total, active);
          ASSERT_EQ(lists.progress.overflow, 0U);
          EXPECT_EQ(lists.progress.listed, total);
          ASSERT_EQ(lists.of_tile, expected) << count << " circles, slabs of " << slab;
          if (slab == kByRegion) continue;
          // The lists fill the memory, each in its own run.
          std::vector<std::uint8_t> taken(total);
          for (const OverlapRun& place : lists.places)
            for (std::uint32_t i = 0; i < place.count; ++i) ++taken[place.start + i];
          EXPECT_EQ(std::count(taken.begin(), taken.end(), 1), static_cast<std::ptrdiff_t>(total));
          // Their places come from the scan, so they do not depend on the slabs' size.
          if (slab == kSlabStep) places = lists.places;
          if (slab <= kSlabStep) continue;
          for (std::size_t tile = 0; tile < places.size(); ++tile)
            EXPECT_EQ(lists.places[tile].start, places[tile].start);
        }
      }
    }
  }
}

TEST(CudaBinning, TilesWithTheLongestListsComeFirst) {
  ROUNDEL_NEEDS_CUDA();
  const TileGrid grid = TileGrid::make(500, 300, kTileSize);
  for (const bool is_uneven : {false, true}) {
    Circles circles = random_circles(20'000, 0.01f, 0.5f, 0);
    if (is_uneven)
      for (std::size_t i = 0; i < circles.count(); i += 2)
        circles.shapes[i].x = circles.shapes[i].y = 0.1f;
    const auto expected = brute_force(circles, grid, {});
    const Lists lists = bin(circles, grid, kMaxSlabCircles, size_of(expected), {});
    ASSERT_EQ(lists.of_tile, expected);
    std::vector<bool> seen(expected.size());
    std::size_t before = expected.front().size();
    for (std::size_t i = 0; i < expected.size(); ++i) {
      const std::uint32_t place = lists.tile_order[i];
      const std::size_t tile =
          (place >> 16) * static_cast<std::size_t>(grid.tiles_x) + place % 65'536;
      ASSERT_LT(tile, expected.size());
      EXPECT_FALSE(seen[tile]);
      seen[tile] = true;
      if (!is_uneven) {
        EXPECT_EQ(tile, i);
      } else if (i > 0) {
        EXPECT_LE(expected[tile].size(), before * 5 / 4 + 1);  // a class is a quarter of an octave
      }
      before = expected[tile].size();
    }
  }
}

TEST(CudaBinning, OverflowReportsTheNeededCapacity) {
  ROUNDEL_NEEDS_CUDA();
  const TileGrid grid = TileGrid::make(200, 200, kTileSize);
  const Circles circles = random_circles(3000, 0.1f, 0.5f, 0);
  const std::uint64_t total = size_of(brute_force(circles, grid, {}));
  for (const std::uint32_t slab : {kSlabStep, 1024U}) {
    const FrameProgress progress = bin(circles, grid, slab, total - 1, {}).progress;
    EXPECT_EQ(progress.overflow, 1U);
    EXPECT_EQ(progress.listed, total);
  }
}

}  // namespace
}  // namespace roundel::cuda
