#include <numeric>
#include <vector>

#include "renderer/raster/cuda/cuda_check.h"
#include "tools/lab/primitives/cuda/block_total.cuh"
#include "tools/lab/primitives/cuda/scan.h"

namespace roundel::primitives {
namespace {

using namespace cuda_kernels;

/// Sums of elements wrap around; sums of blocks do not.
template <typename Element>
using Wrapping = std::conditional_t<sizeof(Element) == 4, std::uint32_t, std::int64_t>;

template <typename Element>
struct BlockScanArgs {
  const Element* in;   ///< [n]
  Element* out;        ///< [n]; may be `in`
  std::int64_t* sums;  ///< [blocks]
  std::uint64_t n;
};

/// Scans a block's part by a tree in padded shared memory, two elements a thread: 2 log₂ 2048 = 22
/// barriers.
struct TreeInBlock {
  static constexpr int kThreads = 1024;
  static constexpr int kElements = 2 * kThreads;

  __device__ static constexpr unsigned address(unsigned i) { return i + i / kWarp; }

  template <typename Element>
  __device__ static void scan(const BlockScanArgs<Element>& args) {
    using T = Wrapping<Element>;
    __shared__ T tree[kElements + kElements / kWarp];
    const std::uint64_t begin = std::uint64_t{blockIdx.x} * kElements;
    std::int64_t sum = 0;
    for (unsigned i = threadIdx.x; i < kElements; i += kThreads) {
      const Element value = begin + i < args.n ? args.in[begin + i] : 0;
      tree[address(i)] = static_cast<T>(value);
      sum += value;
    }
    for (unsigned distance = 1; distance < kElements / 2; distance *= 2) {
      __syncthreads();
      if (threadIdx.x < kElements / (2 * distance)) {
        const unsigned right = (threadIdx.x + 1) * 2 * distance - 1;
        tree[address(right)] += tree[address(right - distance)];
      }
    }
    for (unsigned distance = kElements / 2; distance > 0; distance /= 2) {
      __syncthreads();
      if (threadIdx.x < kElements / (2 * distance)) {
        const unsigned right = (threadIdx.x + 1) * 2 * distance - 1;
        const T left_sum = tree[address(right - distance)];
        const T before = distance == kElements / 2 ? 0 : tree[address(right)];
        tree[address(right - distance)] = before;
        tree[address(right)] = before + left_sum;
      }
    }
    __syncthreads();
    for (unsigned i = threadIdx.x; i < kElements; i += kThreads)
      if (begin + i < args.n) args.out[begin + i] = static_cast<Element>(tree[address(i)]);
    sum = block_total<kThreads>(sum);
    if (threadIdx.x == 0) args.sums[blockIdx.x] = sum;
  }
};

/// Scans a block's part by shuffles, four elements a thread: the lanes of a warp scan theirs
/// without shared memory, then every warp reads the 32 warps' sums. Two barriers, the second one
/// for the sums' total in 64 bits.
struct ShufflesInBlock {
  static constexpr int kThreads = 1024;
  static constexpr int kPerThread = 4;
  static constexpr int kElements = kPerThread * kThreads;

  template <typename T>
  __device__ static T inclusive(T value) {
    for (int distance = 1; distance < kWarp; distance *= 2) {
      const T other = __shfl_up_sync(kAllLanes, value, distance);
      if (lane_id() >= distance) value += other;
    }
    return value;
  }

  template <typename Element>
  __device__ static void scan(const BlockScanArgs<Element>& args) {
    using T = Wrapping<Element>;
    __shared__ T warp_sums[kWarp];
    const std::uint64_t first =
        std::uint64_t{blockIdx.x} * kElements + std::uint64_t{threadIdx.x} * kPerThread;
    Element values[kPerThread] = {};
    if (sizeof(Element) == 4 && first + kPerThread <= args.n) {
      const int4 v = *reinterpret_cast<const int4*>(args.in + first);
      values[0] = v.x, values[1] = v.y, values[2] = v.z, values[3] = v.w;
    } else {
      for (int i = 0; i < kPerThread; ++i)
        if (first + i < args.n) values[i] = args.in[first + i];
    }
    std::int64_t sum = 0;
    for (const Element value : values) sum += value;
    const T inclusive_sum = inclusive(static_cast<T>(sum));
    if (lane_id() == kWarp - 1) warp_sums[warp_id()] = inclusive_sum;
    __syncthreads();
    const T warps = inclusive(warp_sums[lane_id()]);
    T before = inclusive_sum - static_cast<T>(sum);
    if (warp_id() > 0) before += __shfl_sync(kAllLanes, warps, warp_id() - 1);
    Element results[kPerThread];
    for (int i = 0; i < kPerThread; ++i) {
      results[i] = static_cast<Element>(before);
      before += static_cast<T>(values[i]);
    }
    if (sizeof(Element) == 4 && first + kPerThread <= args.n) {
      *reinterpret_cast<int4*>(args.out + first) =
          make_int4(static_cast<int>(results[0]), static_cast<int>(results[1]),
                    static_cast<int>(results[2]), static_cast<int>(results[3]));
    } else {
      for (int i = 0; i < kPerThread; ++i)
        if (first + i < args.n) args.out[first + i] = results[i];
    }
    sum = block_total<kThreads>(sum);
    if (threadIdx.x == 0) args.sums[blockIdx.x] = sum;
  }
};

template <typename Block, typename Element>
__global__ void __launch_bounds__(Block::kThreads) scan_blocks_kernel(BlockScanArgs<Element> args) {
  Block::template scan<Element>(args);
}

/// Adds the sum before each block to its elements.
template <typename Block, typename Element>
__global__ void __launch_bounds__(Block::kThreads)
    add_sums_kernel(Element* out, const std::int64_t* sums, std::uint64_t n) {
  using T = Wrapping<Element>;
  const auto before = static_cast<T>(sums[blockIdx.x]);
  for (unsigned i = threadIdx.x; i < Block::kElements; i += Block::kThreads) {
    const std::uint64_t at = std::uint64_t{blockIdx.x} * Block::kElements + i;
    if (at < n) out[at] = static_cast<Element>(static_cast<T>(out[at]) + before);
  }
}

template <typename Block>
std::uint64_t blocks_for(std::uint64_t n) {
  return (n + Block::kElements - 1) / Block::kElements;
}

template <typename Block, typename Element>
void scan_level(const Element* in, Element* out, std::uint64_t n, int level,
                const DeviceScan& scan) {
  const std::uint64_t blocks = blocks_for<Block>(n);
  auto* const sums =
      blocks == 1 ? scan.total : scan.scratch.take<std::int64_t>(Scratch::kSums + level, blocks);
  scan_blocks_kernel<Block, Element>
      <<<static_cast<unsigned>(blocks), Block::kThreads, 0, scan.stream>>>({in, out, sums, n});
  ROUNDEL_CUDA_CHECK(cudaGetLastError());
  if (blocks == 1) return;
  scan_level<Block, std::int64_t>(sums, sums, blocks, level + 1, scan);
  add_sums_kernel<Block, Element>
      <<<static_cast<unsigned>(blocks), Block::kThreads, 0, scan.stream>>>(out, sums, n);
  ROUNDEL_CUDA_CHECK(cudaGetLastError());
}

}  // namespace

/// Harris, Sengupta & Owens 2007: any n by blocks; the blocks' sums are scanned in the same way,
/// and added in another pass: 16 bytes an element.
void scan_blocks_tree(const DeviceScan& scan) {
  scan_level<TreeInBlock, std::int32_t>(scan.in, scan.out, scan.n, 0, scan);
}

/// Shuffles (CUDA 9's, "Using CUDA warp-level primitives", Lin & Grover 2018) instead of a tree.
void scan_blocks_shuffles(const DeviceScan& scan) {
  scan_level<ShufflesInBlock, std::int32_t>(scan.in, scan.out, scan.n, 0, scan);
}

/// The plain way with two kernels: the host scans the blocks' sums. Host and device wait for each
/// other.
void scan_blocks_host_sums(const DeviceScan& scan) {
  using Block = TreeInBlock;
  const std::uint64_t blocks = blocks_for<Block>(scan.n);
  auto* const sums = scan.scratch.take<std::int64_t>(Scratch::kSums, blocks);
  const std::size_t bytes = blocks * sizeof(std::int64_t);
  scan_blocks_kernel<Block, std::int32_t>
      <<<static_cast<unsigned>(blocks), Block::kThreads, 0, scan.stream>>>(
          {scan.in, scan.out, sums, scan.n});
  ROUNDEL_CUDA_CHECK(cudaGetLastError());
  std::vector<std::int64_t> on_host(blocks + 1);
  ROUNDEL_CUDA_CHECK(
      cudaMemcpyAsync(on_host.data(), sums, bytes, cudaMemcpyDeviceToHost, scan.stream));
  ROUNDEL_CUDA_CHECK(cudaStreamSynchronize(scan.stream));
  std::exclusive_scan(on_host.begin(), on_host.end(), on_host.begin(), std::int64_t{0});
  ROUNDEL_CUDA_CHECK(
      cudaMemcpyAsync(sums, on_host.data(), bytes, cudaMemcpyHostToDevice, scan.stream));
  ROUNDEL_CUDA_CHECK(cudaMemcpyAsync(scan.total, &on_host[blocks], sizeof(std::int64_t),
                                     cudaMemcpyHostToDevice, scan.stream));
  add_sums_kernel<Block, std::int32_t>
      <<<static_cast<unsigned>(blocks), Block::kThreads, 0, scan.stream>>>(scan.out, sums, scan.n);
  ROUNDEL_CUDA_CHECK(cudaGetLastError());
  ROUNDEL_CUDA_CHECK(cudaStreamSynchronize(scan.stream));  // the host's sums end here
}

}  // namespace roundel::primitives
