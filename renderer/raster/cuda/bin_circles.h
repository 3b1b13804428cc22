#pragma once
#include <cuda_runtime_api.h>

#include <cstdint>

#include "renderer/raster/circle.h"
#include "renderer/raster/cuda/device_buffer.h"
#include "renderer/raster/tile_grid.h"

namespace roundel::cuda {

/// Circles that one thread block bins together; their order inside is kept by bit masks.
inline constexpr int kSlabCircles = 1024;

/// For each bin of a grid the circles of one chunk that may cover one of its pixels, in paint
/// order: counts → offsets → lists, all in device memory. Bin b's list is indices[offsets[b ·
/// num_slabs]] .. indices[offsets[(b + 1) · num_slabs] − 1].
class BinLists {
 public:
  struct Input {
    TileGrid grid;
    const Shape* shapes;  // [count], of the chunk
    std::uint32_t count;
    const std::uint32_t*
        unfinished;  // [num_bins], 0: nothing behind can change the bin; not listed
  };

  /// Counts the overlaps of every slab and bin and scans the counts.
  void count(const Input& input, cudaStream_t stream);
  /// Where the total number of overlaps is after count(), on the device.
  const std::uint64_t* total() const { return offsets_.data() + num_cells_; }
  /// Writes the lists. `total` is what total() pointed to.
  void emit(const Input& input, std::uint64_t total, cudaStream_t stream);

  const std::uint64_t* offsets() const { return offsets_.data(); }
  const std::uint32_t* indices() const { return indices_.data(); }
  std::uint32_t num_slabs() const { return num_slabs_; }
  /// Device memory held by the counts, offsets and lists.
  std::uint64_t bytes() const {
    return counts_.bytes() + offsets_.bytes() + indices_.bytes() + scan_space_.bytes();
  }
  std::uint64_t list_capacity() const { return indices_.size(); }

 private:
  std::uint32_t num_slabs_ = 0;
  std::size_t num_cells_ = 0;            // num_bins · num_slabs
  DeviceBuffer<std::uint32_t> counts_;   // [num_bins][num_slabs], then a 0
  DeviceBuffer<std::uint64_t> offsets_;  // exclusive scan of counts_, [num_cells + 1]
  DeviceBuffer<std::uint32_t> indices_;  // [offsets[num_cells]], relative to the chunk
  DeviceBuffer<std::byte> scan_space_;
};

}  // namespace roundel::cuda
