#include "renderer/raster/cuda/bin_circles.h"

#include "renderer/raster/cuda/bin_chunk.cuh"

namespace roundel::cuda {

void bin_circles(const BinCirclesArgs& args, cudaStream_t stream) {
  count_overlaps(args, stream);
  scan_counts(args, stream);
  list_overlaps(args, stream);
}

}  // namespace roundel::cuda
