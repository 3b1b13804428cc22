#include "renderer/raster/cuda/frame_drawer.h"

#include <algorithm>

#include "renderer/raster/cuda/cuda_check.h"

namespace roundel::cuda {
namespace {

/// Up to so many circles, every bin's block looks at all of them: lists would cost more.
constexpr std::uint64_t kMostUnlisted = 2048;
constexpr std::uint64_t kMostUnlistedTests = kMostUnlisted * 1024;  // circles · bins
/// Blocks that binning should at least have, to keep a large device busy.
constexpr std::uint64_t kBinBlocks = 396;
constexpr std::uint64_t kMostOverlaps = std::uint64_t{1} << 32;  // Cell::start has 32 bits

}  // namespace

void FrameDrawer::begin(const ImageSettings& image, const Target& target, cudaStream_t stream) {
  const TileGrid grid = TileGrid::make(image.width, image.height, kBinSize);
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
  open_tiles_.reserve_discard(static_cast<std::size_t>(grid.num_bins()));
  bin_.open_tiles = blend_.open_tiles = open_tiles_.data();
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
  return pixels * sizeof(CarriedPixel) +
         static_cast<std::uint64_t>(grid().height) * sizeof(float4) +
         static_cast<std::uint64_t>(grid().num_bins());
}

std::uint64_t FrameDrawer::bytes_per_circle() const {
  // Slabs of small chunks are smaller, but there are few of them.
  return (static_cast<std::uint64_t>(num_windows(grid())) * kWindowBins * sizeof(Cell) +
          kMostSlabCircles - 1) /
         kMostSlabCircles;
}

std::uint32_t FrameDrawer::slab_circles(std::uint64_t circles) const {
  const auto windows = static_cast<std::uint64_t>(num_windows(grid()));
  const std::uint64_t blocks = std::max<std::uint64_t>(kBinBlocks / windows, 1);
  const std::uint64_t slab = (circles + blocks - 1) / blocks;
  constexpr std::uint64_t kStep = kFewSlabCircles;
  return static_cast<std::uint32_t>(
      std::clamp<std::uint64_t>((slab + kStep - 1) / kStep * kStep, kStep, kMostSlabCircles));
}

void FrameDrawer::reserve(const Chunk& chunk) {
  const std::uint64_t slab = slab_circles(chunk.count);
  cells_.reserve_discard((chunk.count + slab - 1) / slab * kWindowBins *
                         static_cast<std::uint64_t>(num_windows(grid())));
  overlaps_.reserve_discard(std::min(chunk.own_room + chunk.shared_room, kMostOverlaps));
  if (!chunk.is_last)
    states_.reserve_discard(static_cast<std::size_t>(grid().width) *
                            static_cast<std::size_t>(grid().height));
}

bool FrameDrawer::needs_no_lists(std::uint64_t circles) const {
  return circles <= kMostUnlisted &&
         circles * static_cast<std::uint64_t>(grid().num_bins()) <= kMostUnlistedTests;
}

void FrameDrawer::bin(const Chunk& chunk, cudaStream_t stream) {
  bin_.chunk_number = chunk.number;
  bin_.shapes = chunk.shapes;
  bin_.count = chunk.count;
  bin_.slab_circles = slab_circles(chunk.count);
  bin_.num_slabs = (chunk.count + bin_.slab_circles - 1) / bin_.slab_circles;
  bin_.cells = cells_.data();
  bin_.overlaps = overlaps_.data();
  const std::uint64_t blocks =
      std::max<std::uint64_t>(bin_.num_slabs, 1) * static_cast<std::uint64_t>(num_windows(grid()));
  bin_.own_room = static_cast<std::uint32_t>(std::min(chunk.own_room, overlaps_.size()) / blocks);
  bin_.shared_room = overlaps_.size() - bin_.own_room * blocks;
  bin_circles(bin_, stream);
}

void FrameDrawer::blend(const Chunk& chunk, cudaStream_t stream) {
  blend_.chunk_number = chunk.number;
  blend_.is_last_chunk = chunk.is_last;
  blend_.shapes = chunk.shapes;
  blend_.paints = chunk.paints;
  blend_.count = chunk.count;
  blend_.cells = chunk.is_listed ? cells_.data() : nullptr;
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
  return cells_.bytes() + overlaps_.bytes() + progress_.bytes() + open_tiles_.bytes() +
         states_.bytes() + background_.bytes();
}

}  // namespace roundel::cuda
