#include <algorithm>
#include <bit>

#include "renderer/raster/cuda/cuda_check.h"
#include "tools/lab/primitives/cuda/block_total.cuh"
#include "tools/lab/primitives/cuda/scan.h"

namespace roundel::primitives {
namespace {

using namespace cuda_kernels;

constexpr int kThreads = 256;

/// Copies, and pads to a power of two with zeros.
__global__ void __launch_bounds__(kThreads)
    pad_kernel(const std::int32_t* in, std::uint32_t* tree, std::uint64_t n, std::uint64_t padded,
               Totals* totals, std::int64_t* total) {
  const std::uint64_t i = std::uint64_t{blockIdx.x} * kThreads + threadIdx.x;
  const std::int32_t value = i < n ? in[i] : 0;
  if (i < padded) tree[i] = static_cast<std::uint32_t>(value);
  add_block_to_total<kThreads>(totals, value, total);
}

/// Computes a level of the tree, from its leaves to its root: each node gets the sum of its two
/// children. `nodes` is the number of active nodes: thread t has the node whose last leaf is (t +
/// 1) · 2 · distance − 1.
__global__ void __launch_bounds__(kThreads)
    up_sweep_kernel(std::uint32_t* tree, std::uint64_t nodes, std::uint64_t distance) {
  const std::uint64_t node = std::uint64_t{blockIdx.x} * blockDim.x + threadIdx.x;
  if (node >= nodes) return;
  const std::uint64_t right = (node + 1) * 2 * distance - 1;
  tree[right] += tree[right - distance];
}

/// Goes back down: the left child gets the sum before the node, the right one that plus the left
/// one's sum.
__global__ void __launch_bounds__(kThreads)
    down_sweep_kernel(std::uint32_t* tree, std::uint64_t nodes, std::uint64_t distance) {
  const std::uint64_t node = std::uint64_t{blockIdx.x} * blockDim.x + threadIdx.x;
  if (node >= nodes) return;
  const std::uint64_t right = (node + 1) * 2 * distance - 1;
  const std::uint32_t left_sum = tree[right - distance];
  const std::uint32_t before = nodes == 1 ? 0 : tree[right];  // the sum before the root is 0
  tree[right - distance] = before;
  tree[right] = before + left_sum;
}

/// Launches one level. If all threads are launched every time, most of them are idle.
template <typename Kernel>
void launch_level(Kernel kernel, std::uint32_t* tree, std::uint64_t padded, std::uint64_t distance,
                  bool only_active, cudaStream_t stream) {
  const std::uint64_t nodes = padded / (2 * distance);
  const std::uint64_t launched = only_active ? nodes : padded / 2;
  const auto threads = static_cast<unsigned>(
      only_active ? std::clamp<std::uint64_t>(nodes, kWarp, kThreads) : std::uint64_t{kThreads});
  const auto blocks = static_cast<unsigned>((launched + threads - 1) / threads);
  kernel<<<blocks, threads, 0, stream>>>(tree, nodes, distance);
}

void scan_with_tree(const DeviceScan& scan, bool only_active) {
  const std::uint64_t padded = std::bit_ceil(scan.n);
  auto* const tree = scan.scratch.take<std::uint32_t>(Scratch::kElements, padded);
  auto* const totals = scan.scratch.take<Totals>(Scratch::kTotals, 1);
  const auto blocks = static_cast<unsigned>((padded + kThreads - 1) / kThreads);
  pad_kernel<<<blocks, kThreads, 0, scan.stream>>>(scan.in, tree, scan.n, padded, totals,
                                                   scan.total);
  for (std::uint64_t distance = 1; distance < padded / 2; distance *= 2)
    launch_level(up_sweep_kernel, tree, padded, distance, only_active, scan.stream);
  for (std::uint64_t distance = padded / 2; distance > 0; distance /= 2)
    launch_level(down_sweep_kernel, tree, padded, distance, only_active, scan.stream);
  if (padded == 1) ROUNDEL_CUDA_CHECK(cudaMemsetAsync(tree, 0, sizeof(*tree), scan.stream));
  ROUNDEL_CUDA_CHECK(cudaMemcpyAsync(scan.out, tree, scan.n * sizeof(std::int32_t),
                                     cudaMemcpyDeviceToDevice, scan.stream));
  ROUNDEL_CUDA_CHECK(cudaGetLastError());
}

}  // namespace

/// Blelloch 1990, "Prefix sums and their applications": a balanced tree over global memory, up and
/// down, 2 n additions instead of n log₂ n. But each level is a launch, and deeper levels have more
/// distant words.
void scan_tree(const DeviceScan& scan) {
  scan_with_tree(scan, false);
}

/// Like scan_tree(), with only as many threads as a level has nodes, in blocks that shrink with
/// them.
void scan_tree_active(const DeviceScan& scan) {
  scan_with_tree(scan, true);
}

}  // namespace roundel::primitives
