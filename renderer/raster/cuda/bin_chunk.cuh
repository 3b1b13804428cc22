#pragma once
#include "renderer/raster/cuda/bin_circles.h"
#include "renderer/raster/cuda/launch.cuh"

/// What the kernels that bin have in common. Device code only.
namespace roundel::cuda {

/// What every block of a chunk's first kernel does first. False if there is nothing to do.
template <bool kIsFirstChunk>
__device__ bool begin_chunk(const BinCirclesArgs& args) {
  if (!kIsFirstChunk && args.begins_early) wait_for_kernel_in_front();
  const FrameProgress& progress = *args.progress;
  if (!kIsFirstChunk && progress.active_tiles[(args.chunk_number + 1) % 2] == 0) return false;
  return progress.overflow == 0 || progress.overflow == args.chunk_number + 1;
}

/// By one thread, which knows how many overlaps the chunk has.
inline __device__ void end_scan(const BinCirclesArgs& args, std::uint64_t overlaps) {
  args.progress->listed = overlaps;
  if (overlaps > args.capacity) args.progress->overflow = args.chunk_number + 1;
}

}  // namespace roundel::cuda
