#include <bit>

#include "renderer/raster/cuda/cuda_check.h"
#include "tools/lab/primitives/cuda/block_total.cuh"
#include "tools/lab/primitives/cuda/scan.h"

namespace roundel::primitives {
namespace {

using namespace cuda_kernels;

constexpr int kThreads = 1024;

/// Returns the address of element i of the tree. Nodes of a level are a power of two apart, so that
/// without padding up to 32 lanes access one bank; skipping a word in every 32 spreads them.
template <bool kPadded>
__host__ __device__ constexpr unsigned address(unsigned i) {
  return kPadded ? i + i / kWarp : i;
}

template <bool kPadded>
__device__ void scan_in_shared_memory(std::uint32_t* tree, const std::int32_t* in,
                                      std::int32_t* out, unsigned n, unsigned padded,
                                      std::int64_t* total) {
  std::int64_t sum = 0;
  for (unsigned i = threadIdx.x; i < padded; i += kThreads) {
    const std::int32_t value = i < n ? in[i] : 0;
    tree[address<kPadded>(i)] = static_cast<std::uint32_t>(value);
    sum += value;
  }
  for (unsigned distance = 1; distance < padded / 2; distance *= 2) {
    __syncthreads();
    for (unsigned node = threadIdx.x; node < padded / (2 * distance); node += kThreads) {
      const unsigned right = (node + 1) * 2 * distance - 1;
      tree[address<kPadded>(right)] += tree[address<kPadded>(right - distance)];
    }
  }
  for (unsigned distance = padded / 2; distance > 0; distance /= 2) {
    __syncthreads();
    const unsigned nodes = padded / (2 * distance);
    for (unsigned node = threadIdx.x; node < nodes; node += kThreads) {
      const unsigned right = (node + 1) * 2 * distance - 1;
      const std::uint32_t left_sum = tree[address<kPadded>(right - distance)];
      const std::uint32_t before = nodes == 1 ? 0 : tree[address<kPadded>(right)];
      tree[address<kPadded>(right - distance)] = before;
      tree[address<kPadded>(right)] = before + left_sum;
    }
  }
  __syncthreads();
  for (unsigned i = threadIdx.x; i < n; i += kThreads)
    out[i] = padded == 1 ? 0 : static_cast<std::int32_t>(tree[address<kPadded>(i)]);
  sum = block_total<kThreads>(sum);
  if (threadIdx.x == 0) *total = sum;
}

template <bool kPadded>
__global__ void __launch_bounds__(kThreads)
    scan_static_kernel(const std::int32_t* in, std::int32_t* out, unsigned n, unsigned padded,
                       std::int64_t* total) {
  __shared__ std::uint32_t tree[address<kPadded>(kOneBlockStatic)];
  scan_in_shared_memory<kPadded>(tree, in, out, n, padded, total);
}

template <bool kPadded>
__global__ void __launch_bounds__(kThreads)
    scan_dynamic_kernel(const std::int32_t* in, std::int32_t* out, unsigned n, unsigned padded,
                        std::int64_t* total) {
  extern __shared__ std::uint32_t tree[];
  scan_in_shared_memory<kPadded>(tree, in, out, n, padded, total);
}

template <bool kPadded>
void scan_static(const DeviceScan& scan) {
  const auto n = static_cast<unsigned>(scan.n);
  scan_static_kernel<kPadded>
      <<<1, kThreads, 0, scan.stream>>>(scan.in, scan.out, n, std::bit_ceil(n), scan.total);
  ROUNDEL_CUDA_CHECK(cudaGetLastError());
}

template <bool kPadded>
void scan_dynamic(const DeviceScan& scan) {
  constexpr int kMaxBytes = address<kPadded>(kOneBlockDynamic) * sizeof(std::uint32_t);
  ROUNDEL_CUDA_CHECK(cudaFuncSetAttribute(scan_dynamic_kernel<kPadded>,
                                          cudaFuncAttributeMaxDynamicSharedMemorySize, kMaxBytes));
  const auto n = static_cast<unsigned>(scan.n);
  const unsigned padded = std::bit_ceil(n);
  const std::size_t bytes = address<kPadded>(padded) * sizeof(std::uint32_t);
  scan_dynamic_kernel<kPadded>
      <<<1, kThreads, bytes, scan.stream>>>(scan.in, scan.out, n, padded, scan.total);
  ROUNDEL_CUDA_CHECK(cudaGetLastError());
}

}  // namespace

// Harris, Sengupta & Owens 2007, "Parallel prefix sum (scan) with CUDA", GPU Gems 3, chapter 39:
// Blelloch's tree in the shared memory of one block. Barriers instead of launches between levels;
// the input is read once and written once. Static shared memory is at most 48 KiB; dynamic memory
// can be all of a multiprocessor's.
void scan_one_block_static(const DeviceScan& scan) {
  scan_static<false>(scan);
}
void scan_one_block_static_padded(const DeviceScan& scan) {
  scan_static<true>(scan);
}
void scan_one_block_dynamic(const DeviceScan& scan) {
  scan_dynamic<false>(scan);
}
void scan_one_block_dynamic_padded(const DeviceScan& scan) {
  scan_dynamic<true>(scan);
}

}  // namespace roundel::primitives
