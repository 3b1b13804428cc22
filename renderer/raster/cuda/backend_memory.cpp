#include <algorithm>
#include <string>

#include "renderer/raster/cuda/cuda_backend.h"

namespace roundel::cuda {
namespace {

/// bytes of an overlap in a list and of its slab overlap
constexpr std::uint64_t kBytesPerOverlap = sizeof(Overlap) + sizeof(SlabOverlap);
/// Slabs differ less than frames do.
constexpr double kSlabMargin = 1.1;
/// The densest macrotile is estimated from a few hundred samples.
constexpr double kDensityMargin = 1.5;
/// Two or six were no faster.
constexpr std::uint64_t kBinBlocksPerProcessor = 3;
/// One block orders tiles; with more of them it takes longer than it saves.
constexpr int kMaxOrderedTiles = 1 << 14;
constexpr std::uint64_t kMaxOverlaps = std::uint64_t{1} << 32;  // OverlapRun::start has 32 bits

}  // namespace

/// Chooses slabs large enough to keep the device busy, and small enough that most slabs' overlaps
/// with the densest macrotile fit into a block's memory. Small slabs are slow with many macrotiles:
/// a block takes 2 KiB for counts.
std::uint32_t CudaBackend::slab_circles(std::uint64_t circles, double overlaps_per_circle) const {
  const auto macrotiles = static_cast<std::uint64_t>(num_macrotiles(bin_.grid));
  const std::uint64_t blocks =
      std::max<std::uint64_t>(kBinBlocksPerProcessor * num_processors_ / macrotiles, 1);
  static_assert(kSquareTiles == kMacrotileSide);
  const double in_densest =
      overlaps_per_circle * std::min(kDensityMargin * estimate_.densest_square, 1.0);
  const auto fitting = static_cast<std::uint64_t>(bin_.max_slab_overlaps /
                                                  (kSlabMargin * std::max(in_densest, 0.01)));
  const std::uint64_t slab = (circles + blocks - 1) / blocks;
  const std::uint64_t least = circles / kMaxSlabs / kSlabStep * kSlabStep + kSlabStep;
  return static_cast<std::uint32_t>(std::clamp<std::uint64_t>(
      (slab + kSlabStep - 1) / kSlabStep * kSlabStep, least,
      std::clamp<std::uint64_t>(fitting / kSlabStep * kSlabStep, least, kMaxSlabCircles)));
}

/// Waits for the device if memory grows.
void CudaBackend::reserve_lists(const Chunk& chunk) {
  const auto num_tiles = static_cast<std::uint64_t>(bin_.grid.num_tiles());
  reserve(lists_, num_tiles);
  bin_.lists = lists_.data();
  // Later chunks' lists may be empty, so they have no order.
  const bool is_ordered =
      chunk.number == 0 && !fits_regions(chunk) && bin_.grid.num_tiles() <= kMaxOrderedTiles;
  if (is_ordered) reserve(tile_order_, num_tiles);
  bin_.tile_order = is_ordered ? tile_order_.data() : nullptr;
  if (fits_regions(chunk)) {
    reserve(overlaps_, chunk.count() * num_tiles);
  } else {
    const double per_circle = tiles_per_circle(chunk);
    const auto expected =
        kExtraOverlaps + static_cast<std::uint64_t>(
                             kCapacityMargin * static_cast<double>(chunk.count()) * per_circle);
    const std::uint64_t capacity =
        std::min({std::max(expected, needed_overlaps_), overlap_capacity(), kMaxOverlaps});
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
    // If all blocks run at once, shared memory helps most: overlapping kernels wait less (rand1M 77
    // µs instead of 83). Else the L1 cache does.
    const bool run_at_once =
        bin_.num_groups() * static_cast<std::uint64_t>(num_macrotiles(bin_.grid)) <=
        num_processors_;
    bin_.shared_percent =
        run_at_once ? cudaSharedmemCarveoutMaxShared : cudaSharedmemCarveoutDefault;
  }
  bin_.slab_overlaps = slab_overlaps_.data();
  bin_.slab_runs = slab_runs_.data();
  bin_.counts = counts_.data();
  bin_.offsets = offsets_.data();
  bin_.scan_words = scan_words_.data();
  bin_.overlaps = overlaps_.data();
  bin_.capacity = std::min<std::uint64_t>(slab_overlaps_.size(), kMaxOverlaps);
}

std::uint64_t CudaBackend::num_pixels() const {
  return pixel_count(bin_.grid.width, bin_.grid.height);
}

std::uint64_t CudaBackend::slab_bytes() const {
  constexpr std::uint64_t kBytes =  // for each macrotile
      kTilesPerMacrotile * (sizeof(std::uint16_t) + sizeof(std::uint32_t) / kGroupSlabs) +
      sizeof(OverlapRun);
  return static_cast<std::uint64_t>(num_macrotiles(bin_.grid)) * kBytes;
}

/// Returns the largest chunk that fits, with its lists, into the memory budget.
std::uint64_t CudaBackend::largest_chunk(std::uint64_t count) {
  compute_budget(count);
  const TileGrid& grid = bin_.grid;
  const std::uint64_t fixed =
      framebuffer_.bytes() + sums_.bytes() + changes_.bytes() + bytes_.bytes() +
      (out_.png != nullptr ? PngEncoder::needed_bytes(shape_) : 0) +
      num_pixels() * (sizeof(SavedPixel) + (blend_.styles.any() ? sizeof(float2) : 0)) +
      static_cast<std::uint64_t>(grid.height) * sizeof(float4) +
      static_cast<std::uint64_t>(grid.num_tiles()) * (sizeof(std::uint8_t) + sizeof(OverlapRun));
  const double tiles = std::max(estimate_.front_tiles_per_circle, estimate_.tiles_per_circle);
  // Slabs of small chunks are smaller, but few.
  const double per_circle =
      static_cast<double>(sizeof(Shape) + sizeof(Paint)) +
      static_cast<double>(slab_bytes()) / slab_circles(kMaxDeviceChunkCircles, tiles) +
      kCapacityMargin * static_cast<double>(kBytesPerOverlap) * tiles;
  // For a one-slab chunk whose circles may cover every tile.
  const std::uint64_t least = fixed + kExtraOverlaps * kBytesPerOverlap + slab_bytes() +
                              static_cast<std::uint64_t>(grid.num_tiles()) * kBytesPerOverlap;
  if (budget_ < least)
    throw Error(ExitCode::kRuntimeFailure,
                "--memory: this picture needs at least " + std::to_string(least / (1 << 20) + 1) +
                    "M of device memory, got " + std::to_string(budget_ / (1 << 20)) + "M");
  const auto fitting =
      static_cast<std::uint64_t>(static_cast<double>(budget_ - fixed) / per_circle);
  return std::clamp<std::uint64_t>(std::min<std::uint64_t>(fitting, kMaxDeviceChunkCircles), 1,
                                   std::max<std::uint64_t>(count, 1));
}

/// Asks the device, which takes as long as drawing, unless as many circles were drawn earlier and
/// the lists have not grown.
void CudaBackend::compute_budget(std::uint64_t count) {
  if (budget_ > 0 && count <= known_count_ && work_bytes() == known_bytes_) return;
  std::size_t free = 0, total = 0;
  ROUNDEL_CUDA_CHECK(cudaMemGetInfo(&free, &total));
  known_count_ = std::max(count, known_count_);
  known_bytes_ = work_bytes();
  const std::uint64_t most = (free + held_bytes()) / 10 * 9;
  budget_ =
      options_.memory_budget > 0 ? std::min<std::uint64_t>(options_.memory_budget, most) : most;
}

/// Number of overlaps that fit, including the present capacity.
std::uint64_t CudaBackend::overlap_capacity() const {
  const std::uint64_t left = budget_ > held_bytes() ? budget_ - held_bytes() : 0;
  return left / kBytesPerOverlap + std::min(overlaps_.size(), slab_overlaps_.size());
}

std::uint64_t CudaBackend::work_bytes() const {
  return counts_.bytes() + offsets_.bytes() + slab_overlaps_.bytes() + slab_runs_.bytes() +
         scan_words_.bytes() + lists_.bytes() + tile_order_.bytes() + overlaps_.bytes() +
         progress_.bytes() + active_subtiles_.bytes() + states_.bytes() +
         other_transmittances_.bytes() + background_.bytes();
}

std::uint64_t CudaBackend::held_bytes() const {
  return device_circles_.bytes() + framebuffer_.bytes() + sums_.bytes() + changes_.bytes() +
         bytes_.bytes() + png_encoder_.bytes() + work_bytes();
}

}  // namespace roundel::cuda
