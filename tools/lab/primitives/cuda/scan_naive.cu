#include <bit>

#include "renderer/raster/cuda/cuda_check.h"
#include "tools/lab/primitives/cuda/block_total.cuh"
#include "tools/lab/primitives/cuda/scan.h"

namespace roundel::primitives {
namespace {

using namespace cuda_kernels;

constexpr int kThreads = 256;

/// Stores out[i] = in[i − 1]: its inclusive scan is the exclusive scan of `in`.
__global__ void __launch_bounds__(kThreads)
    shift_kernel(const std::int32_t* in, std::int32_t* out, std::uint64_t n, Totals* totals,
                 std::int64_t* total) {
  const std::uint64_t i = std::uint64_t{blockIdx.x} * kThreads + threadIdx.x;
  const std::int32_t value = i < n ? in[i] : 0;
  if (i == 0) out[0] = 0;
  if (i + 1 < n) out[i + 1] = value;
  add_block_to_total<kThreads>(totals, value, total);
}

/// One of log₂ n steps: [a, b, c, d] → [a, a+b, b+c, c+d] → [a, a+b, a+b+c, a+b+c+d].
__global__ void __launch_bounds__(kThreads)
    add_distant_kernel(const std::int32_t* in, std::int32_t* out, std::uint64_t n,
                       std::uint64_t distance) {
  const std::uint64_t i = std::uint64_t{blockIdx.x} * kThreads + threadIdx.x;
  if (i >= n) return;
  const auto own = static_cast<std::uint32_t>(in[i]);
  const auto other = i >= distance ? static_cast<std::uint32_t>(in[i - distance]) : 0U;
  out[i] = static_cast<std::int32_t>(own + other);
}

}  // namespace

/// Hillis & Steele 1986, "Data parallel algorithms": log₂ n passes over global memory, each of
/// which reads every element twice and writes it, n log₂ n additions. Two arrays alternate, so that
/// a pass never overwrites unread elements.
void scan_naive(const DeviceScan& scan) {
  const auto blocks = static_cast<unsigned>((scan.n + kThreads - 1) / kThreads);
  auto* const totals = scan.scratch.take<Totals>(Scratch::kTotals, 1);
  auto* other = scan.scratch.take<std::int32_t>(Scratch::kElements, scan.n);
  const int passes = std::bit_width(scan.n - 1);  // the least p with 2^p >= n
  std::int32_t* from = passes % 2 == 0 ? scan.out : other;
  std::int32_t* to = passes % 2 == 0 ? other : scan.out;
  shift_kernel<<<blocks, kThreads, 0, scan.stream>>>(scan.in, from, scan.n, totals, scan.total);
  for (int pass = 0; pass < passes; ++pass) {
    add_distant_kernel<<<blocks, kThreads, 0, scan.stream>>>(from, to, scan.n,
                                                             std::uint64_t{1} << pass);
    std::swap(from, to);
  }
  ROUNDEL_CUDA_CHECK(cudaGetLastError());
}

}  // namespace roundel::primitives
