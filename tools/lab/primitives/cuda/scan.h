#pragma once
#include <cuda_runtime_api.h>

#include <cstdint>

#include "tools/lab/primitives/cuda/scratch.h"

namespace roundel::primitives {

/// One exclusive scan on the device: out[i] = in[0] + … + in[i − 1] modulo 2³². All pointers are to
/// device memory, aligned to 16 bytes; `in` and `out` do not overlap.
struct DeviceScan {
  const std::int32_t* in;  ///< [n]
  std::int32_t* out;       ///< [n]
  std::int64_t* total;     ///< [1]: the sum of all, in 64 bits
  std::uint64_t n;         ///< > 0
  Scratch& scratch;
  cudaStream_t stream;
};

/// From the plainest to the fastest; each file explains its method and names its source. They start
/// kernels in the stream and return at once, except scan_blocks_host_sums(). Throw Error for CUDA's
/// errors.
void scan_naive(const DeviceScan& scan);
void scan_tree(const DeviceScan& scan);
void scan_tree_active(const DeviceScan& scan);
void scan_one_block_static(const DeviceScan& scan);
void scan_one_block_static_padded(const DeviceScan& scan);
void scan_one_block_dynamic(const DeviceScan& scan);
void scan_one_block_dynamic_padded(const DeviceScan& scan);
void scan_blocks_tree(const DeviceScan& scan);
void scan_blocks_host_sums(const DeviceScan& scan);
void scan_blocks_shuffles(const DeviceScan& scan);
void scan_look_back(const DeviceScan& scan);
void scan_bulk(const DeviceScan& scan);  ///< requires has_bulk_copies()
void scan_cub(const DeviceScan& scan);   ///< writes no total

/// The single-pass scan for this n and device.
void scan_single_pass(const DeviceScan& scan);

inline constexpr std::uint64_t kOneBlockStatic = 4096;    ///< maximal number of elements
inline constexpr std::uint64_t kOneBlockDynamic = 32768;  ///< maximal number of elements

/// Returns true if the device has 1-D bulk copies, barriers that count their bytes, and shared
/// memory for the stages: compute capability 9.0 and 10.0, but not 12.0 with its 99 KiB a block.
bool has_bulk_copies();

}  // namespace roundel::primitives
