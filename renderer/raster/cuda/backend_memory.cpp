// How much device memory a frame may take, and what its lists get of that.
#include <algorithm>
#include <string>

#include "renderer/raster/cuda/cuda_backend.h"

namespace roundel::cuda {
namespace {

/// Of an overlap in a list, and of the same one on its way there.
constexpr std::uint64_t kBytesPerOverlap = sizeof(Overlap) + sizeof(SlabOverlap);
/// Room for a slab's overlaps beyond what is expected, a factor. Slabs differ less than frames do.
constexpr double kSlabMargin = 1.1;
/// The same for the densest macrotile, which only a few hundred samples tell of.
constexpr double kDensityMargin = 1.5;
/// Blocks of binning for each multiprocessor; two or six were no faster.
constexpr std::uint64_t kBinBlocksPerProcessor = 3;
/// Circles of a slab at least: each has a count for every tile.
constexpr std::uint64_t kLeastSlab = 256;
/// Tiles that are put in order by one block, which takes longer than what it saves if there are
/// more.
constexpr int kMostOrderedTiles = 1 << 14;
constexpr std::uint64_t kMostOverlaps = std::uint64_t{1} << 32;  // OverlapRun::start has 32 bits

}  // namespace

/// Slabs as large as keep the device busy, but so small that the overlaps of most of them with the
/// densest macrotile fit into a block's memory. `overlaps_per_circle`: with all macrotiles. Small
/// slabs take long where there are many macrotiles: a block takes 2 KiB of memory for counts.
std::uint32_t CudaBackend::slab_circles(std::uint64_t circles, double overlaps_per_circle) const {
  const auto macrotiles = static_cast<std::uint64_t>(num_macrotiles(bin_.grid));
  const std::uint64_t blocks =
      std::max<std::uint64_t>(kBinBlocksPerProcessor * num_processors_ / macrotiles, 1);
  static_assert(kSquareTiles == kMacrotileSide);
  const double in_densest =
      overlaps_per_circle * std::min(kDensityMargin * estimate_.densest_square, 1.0);
  const auto fitting = static_cast<std::uint64_t>(bin_.most_slab_overlaps /
                                                  (kSlabMargin * std::max(in_densest, 1.0)));
  const std::uint64_t slab = (circles + blocks - 1) / blocks;
  return static_cast<std::uint32_t>(std::clamp<std::uint64_t>(
      (slab + kSlabStep - 1) / kSlabStep * kSlabStep, kLeastSlab,
      std::clamp<std::uint64_t>(fitting / kSlabStep * kSlabStep, kLeastSlab, kMostSlabCircles)));
}

/// Memory for a chunk's lists. Waits for the device if it grows.
void CudaBackend::reserve_lists(const Chunk& chunk) {
  const auto num_tiles = static_cast<std::uint64_t>(bin_.grid.num_tiles());
  reserve(lists_, num_tiles);
  bin_.lists = lists_.data();
  // Behind the front chunk there may be nothing to list, and no order.
  const bool is_ordered =
      chunk.number == 0 && !is_for_regions(chunk) && bin_.grid.num_tiles() <= kMostOrderedTiles;
  if (is_ordered) reserve(tile_order_, num_tiles);
  bin_.tile_order = is_ordered ? tile_order_.data() : nullptr;
  if (is_for_regions(chunk)) {
    reserve(overlaps_, chunk.count() * num_tiles);
  } else {
    const double per_circle =
        chunk.number == 0 ? estimate_.front_tiles_per_circle : estimate_.tiles_per_circle;
    const auto expected =
        kFewOverlaps + static_cast<std::uint64_t>(kCapacityMargin *
                                                  static_cast<double>(chunk.count()) * per_circle);
    const std::uint64_t capacity =
        std::min({std::max(expected, needed_overlaps_), overlap_capacity(), kMostOverlaps});
    reserve(overlaps_, capacity);
    reserve(slab_overlaps_, capacity);
    bin_.slab_circles = slab_circles(chunk.count(), per_circle);
    bin_.num_slabs =
        static_cast<std::uint32_t>((chunk.count() + bin_.slab_circles - 1) / bin_.slab_circles);
    reserve(slab_runs_, bin_.num_blocks());
    reserve(counts_, bin_.num_blocks() * kTilesPerMacrotile);
    reserve(offsets_, static_cast<std::uint64_t>(bin_.num_groups()) * kTilesPerMacrotile *
                          static_cast<std::uint64_t>(num_macrotiles(bin_.grid)));
    reserve(scan_words_, bin_.num_scan_words());
    // Where all blocks run at once, as much shared memory as can be had: kernels that overlap wait
    // less for each other (rand1M 77 µs, and 83 without). Elsewhere the L1 cache counts.
    const bool are_few =
        bin_.num_groups() * static_cast<std::uint64_t>(num_macrotiles(bin_.grid)) <=
        num_processors_;
    bin_.shared_percent = are_few ? cudaSharedmemCarveoutMaxShared : cudaSharedmemCarveoutDefault;
  }
  bin_.slab_overlaps = slab_overlaps_.data();
  bin_.slab_runs = slab_runs_.data();
  bin_.counts = counts_.data();
  bin_.offsets = offsets_.data();
  bin_.scan_words = scan_words_.data();
  bin_.overlaps = overlaps_.data();
  bin_.capacity = std::min<std::uint64_t>(slab_overlaps_.size(), kMostOverlaps);
}

std::uint64_t CudaBackend::num_pixels() const {
  return pixel_count(bin_.grid.width, bin_.grid.height);
}

std::uint64_t CudaBackend::slab_bytes() const {
  constexpr std::uint64_t kBytes =  // of a macrotile
      kTilesPerMacrotile * (sizeof(std::uint16_t) + sizeof(std::uint32_t) / kGroupSlabs) +
      sizeof(OverlapRun);
  return static_cast<std::uint64_t>(num_macrotiles(bin_.grid)) * kBytes;
}

/// How many circles a chunk may have so that it and its lists stay within the memory budget.
std::uint64_t CudaBackend::largest_chunk(std::uint64_t count) {
  compute_budget(count);
  const TileGrid& grid = bin_.grid;
  const std::uint64_t fixed =
      framebuffer_.bytes() + bytes_.bytes() +
      (out_.png != nullptr ? PngEncoder::needed_bytes(shape_) : 0) +
      num_pixels() * (sizeof(SavedPixel) + (blend_.looks.any() ? sizeof(float2) : 0)) +
      static_cast<std::uint64_t>(grid.height) * sizeof(float4) +
      static_cast<std::uint64_t>(grid.num_tiles()) * (sizeof(std::uint8_t) + sizeof(OverlapRun));
  const double tiles = std::max(estimate_.front_tiles_per_circle, estimate_.tiles_per_circle);
  // Slabs of small chunks are smaller, but there are few of them.
  const double per_circle =
      static_cast<double>(sizeof(Shape) + sizeof(Paint)) +
      static_cast<double>(slab_bytes()) / slab_circles(kMostChunkCircles, tiles) +
      kCapacityMargin * static_cast<double>(kBytesPerOverlap) * tiles;
  // Enough for a chunk of one slab whose circles may cover every tile.
  const std::uint64_t least = fixed + kFewOverlaps * kBytesPerOverlap + slab_bytes() +
                              static_cast<std::uint64_t>(grid.num_tiles()) * kBytesPerOverlap;
  if (budget_ < least)
    throw Error(ExitCode::kRuntimeFailure,
                "--memory: this picture needs at least " + std::to_string(least / (1 << 20) + 1) +
                    "M of device memory, got " + std::to_string(budget_ / (1 << 20)) + "M");
  const auto fitting =
      static_cast<std::uint64_t>(static_cast<double>(budget_ - fixed) / per_circle);
  return std::clamp<std::uint64_t>(std::min<std::uint64_t>(fitting, kMostChunkCircles), 1,
                                   std::max<std::uint64_t>(count, 1));
}

/// Asks the device, which takes as long as drawing, unless as many circles have been drawn before
/// and the lists have not grown since.
void CudaBackend::compute_budget(std::uint64_t count) {
  if (budget_ > 0 && count <= known_count_ && work_bytes() == known_bytes_) return;
  std::size_t free = 0, total = 0;
  ROUNDEL_CUDA_CHECK(cudaMemGetInfo(&free, &total));
  known_count_ = std::max(count, known_count_);
  known_bytes_ = work_bytes();
  const std::uint64_t most = (free + held()) / 10 * 9;
  budget_ =
      options_.memory_budget > 0 ? std::min<std::uint64_t>(options_.memory_budget, most) : most;
}

/// Overlaps that the lists may have, with what they have now.
std::uint64_t CudaBackend::overlap_capacity() const {
  const std::uint64_t left = budget_ > held() ? budget_ - held() : 0;
  return left / kBytesPerOverlap + std::min(overlaps_.size(), slab_overlaps_.size());
}

/// Device memory that bin and blend work in.
std::uint64_t CudaBackend::work_bytes() const {
  return counts_.bytes() + offsets_.bytes() + slab_overlaps_.bytes() + slab_runs_.bytes() +
         scan_words_.bytes() + lists_.bytes() + tile_order_.bytes() + overlaps_.bytes() +
         progress_.bytes() + active_subtiles_.bytes() + states_.bytes() +
         other_transmittances_.bytes() + background_.bytes();
}

/// Device memory of all buffers.
std::uint64_t CudaBackend::held() const {
  return device_circles_.bytes() + framebuffer_.bytes() + bytes_.bytes() + png_encoder_.bytes() +
         work_bytes();
}

}  // namespace roundel::cuda
