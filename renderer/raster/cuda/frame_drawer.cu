#include "renderer/raster/cuda/frame_drawer.h"

#include <algorithm>

#include "renderer/raster/cuda/cuda_check.h"

namespace roundel::cuda {
namespace {

/// Up to so many circles, every tile's block looks at all of them: lists would cost more.
constexpr std::uint64_t kMostUnlisted = 2048;
constexpr std::uint64_t kMostUnlistedTests = kMostUnlisted * 1024;  // circles · tiles
/// Blocks that binning should at least have, to keep a large device busy.
constexpr std::uint64_t kBinBlocks = 396;
constexpr std::uint64_t kMostOverlaps = std::uint64_t{1} << 32;  // ListSegment::start has 32 bits

}  // namespace

void FrameDrawer::begin(const ImageSettings& image, const Target& target, cudaStream_t stream) {
  const TileGrid grid = TileGrid::make(image.width, image.height, kTileSize);
  bin_.grid = blend_.grid = grid;
  blend_.ramp = snow_ramp(image.blend_space);
  blend_.keep_alpha = image.alpha;
  blend_.blend_space = image.blend_space;
  blend_.framebuffer = target.framebuffer;
  blend_.bytes = target.bytes;
  const BackgroundRows background(image);
  blend_.background = nullptr;
  blend_.flat_background = background.row(0);
  if (!background.is_flat()) {
    background_.reserve_discard(static_cast<std::size_t>(image.height));
    fill_background(background, background_.data(), stream);
    blend_.background = background_.data();
  }
  active_subtiles_.reserve_discard(static_cast<std::size_t>(grid.num_tiles()));
  bin_.active_subtiles = blend_.active_subtiles = active_subtiles_.data();
  progress_.reserve_discard(1);
  bin_.progress = blend_.progress = progress_.data();
  clear_overflow(stream);
}

void FrameDrawer::clear_overflow(cudaStream_t stream) {
  FrameProgress* const progress = progress_.data();
  ROUNDEL_CUDA_CHECK(cudaMemsetAsync(&progress->used, 0, sizeof progress->used, stream));
  ROUNDEL_CUDA_CHECK(cudaMemsetAsync(&progress->listed, 0, sizeof progress->listed, stream));
  ROUNDEL_CUDA_CHECK(cudaMemsetAsync(&progress->overflow, 0, sizeof progress->overflow, stream));
}

std::uint64_t FrameDrawer::fixed_bytes() const {
  const auto pixels =
      static_cast<std::uint64_t>(grid().width) * static_cast<std::uint64_t>(grid().height);
  return pixels * sizeof(SavedPixel) + static_cast<std::uint64_t>(grid().height) * sizeof(float4) +
         static_cast<std::uint64_t>(grid().num_tiles());
}

std::uint64_t FrameDrawer::bytes_per_circle() const {
  // Slabs of small chunks are smaller, but there are few of them.
  return (static_cast<std::uint64_t>(num_macrotiles(grid())) * kTilesPerMacrotile *
              sizeof(ListSegment) +
          kMostSlabCircles - 1) /
         kMostSlabCircles;
}

std::uint32_t FrameDrawer::slab_circles(std::uint64_t circles) const {
  const auto macrotiles = static_cast<std::uint64_t>(num_macrotiles(grid()));
  const std::uint64_t blocks = std::max<std::uint64_t>(kBinBlocks / macrotiles, 1);
  const std::uint64_t slab = (circles + blocks - 1) / blocks;
  constexpr std::uint64_t kStep = kFewSlabCircles;
  return static_cast<std::uint32_t>(
      std::clamp<std::uint64_t>((slab + kStep - 1) / kStep * kStep, kStep, kMostSlabCircles));
}

void FrameDrawer::reserve(const Chunk& chunk) {
  const std::uint64_t slab = slab_circles(chunk.count);
  segments_.reserve_discard((chunk.count + slab - 1) / slab * kTilesPerMacrotile *
                            static_cast<std::uint64_t>(num_macrotiles(grid())));
  overlaps_.reserve_discard(std::min(chunk.slab_capacity + chunk.overflow_capacity, kMostOverlaps));
  if (!chunk.is_last)
    states_.reserve_discard(static_cast<std::size_t>(grid().width) *
                            static_cast<std::size_t>(grid().height));
}

bool FrameDrawer::needs_no_lists(std::uint64_t circles) const {
  return circles <= kMostUnlisted &&
         circles * static_cast<std::uint64_t>(grid().num_tiles()) <= kMostUnlistedTests;
}

void FrameDrawer::tile(const Chunk& chunk, cudaStream_t stream) {
  bin_.chunk_number = chunk.number;
  bin_.shapes = chunk.shapes;
  bin_.count = chunk.count;
  bin_.slab_circles = slab_circles(chunk.count);
  bin_.num_slabs = (chunk.count + bin_.slab_circles - 1) / bin_.slab_circles;
  bin_.segments = segments_.data();
  bin_.overlaps = overlaps_.data();
  const std::uint64_t blocks = std::max<std::uint64_t>(bin_.num_slabs, 1) *
                               static_cast<std::uint64_t>(num_macrotiles(grid()));
  bin_.slab_capacity =
      static_cast<std::uint32_t>(std::min(chunk.slab_capacity, overlaps_.size()) / blocks);
  bin_.overflow_capacity = overlaps_.size() - bin_.slab_capacity * blocks;
  bin_circles(bin_, stream);
}

void FrameDrawer::blend(const Chunk& chunk, cudaStream_t stream) {
  blend_.chunk_number = chunk.number;
  blend_.is_last_chunk = chunk.is_last;
  blend_.shapes = chunk.shapes;
  blend_.paints = chunk.paints;
  blend_.count = chunk.count;
  blend_.segments = chunk.is_listed ? segments_.data() : nullptr;
  blend_.num_slabs = bin_.num_slabs;
  blend_.overlaps = overlaps_.data();
  blend_.states = states_.data();
  blend_tiles(blend_, stream);
}

FrameProgress FrameDrawer::progress(cudaStream_t stream) {
  FrameProgress progress;
  ROUNDEL_CUDA_CHECK(cudaMemcpyAsync(&progress, progress_.data(), sizeof(progress),
                                     cudaMemcpyDeviceToHost, stream));
  ROUNDEL_CUDA_CHECK(cudaStreamSynchronize(stream));
  return progress;
}

std::uint64_t FrameDrawer::bytes() const {
  return segments_.bytes() + overlaps_.bytes() + progress_.bytes() + active_subtiles_.bytes() +
         states_.bytes() + background_.bytes();
}

}  // namespace roundel::cuda
