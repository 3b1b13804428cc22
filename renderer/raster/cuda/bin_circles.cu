#include "renderer/raster/cuda/bin_circles.h"

#include <algorithm>
#include <cub/device/device_scan.cuh>
#include <cuda/std/functional>

namespace roundel::cuda {
namespace {

constexpr int kThreads = 256;
constexpr int kWarps = kThreads / 32;
constexpr int kWords = kSlabCircles / 32;  // mask words a bin and slab
constexpr int kGroupSide = 16;             // bins a side of the group that one block looks at
constexpr int kGroupBins = kGroupSide * kGroupSide;
constexpr int kPaddedWords = kWords + 1;  // against bank conflicts between bins
static_assert(kGroupBins == kThreads, "one thread sums one bin's counts");
static_assert(kWords == 32, "one warp handles one bin's words, a word a lane");

struct BinKernelArgs {
  TileGrid grid;
  const Shape* shapes;  // [count]
  std::uint32_t count;
  const std::uint32_t* unfinished;  // [num_bins]
  std::uint32_t num_slabs;
  std::uint32_t* counts;         // [num_bins][num_slabs]
  const std::uint64_t* offsets;  // [num_bins · num_slabs + 1]
  std::uint32_t* indices;        // [offsets[num_bins · num_slabs]]
};

/// One bit a circle: bit l of word w of bin b is set when circle 32·w + l of the slab may cover a
/// pixel of the group's bin b.
struct SlabMasks {
  std::uint32_t words[kGroupBins][kPaddedWords];
};

struct GroupBin {
  int x, y;     // in the grid
  bool exists;  // groups reach beyond the grid's edge
  __device__ int index(const TileGrid& grid) const { return y * grid.bins_x + x; }
};

__device__ GroupBin group_bin(const TileGrid& grid, int bin_in_group) {
  const int groups_x = (grid.bins_x + kGroupSide - 1) / kGroupSide;
  const int x = static_cast<int>(blockIdx.y) % groups_x * kGroupSide + bin_in_group % kGroupSide;
  const int y = static_cast<int>(blockIdx.y) / groups_x * kGroupSide + bin_in_group / kGroupSide;
  return {x, y, x < grid.bins_x && y < grid.bins_y};
}

/// Builds the masks of slab blockIdx.x and bin group blockIdx.y. All threads of the block call it.
/// Circles that touch few bins set their bits one by one; where one of a warp's 32 circles touches
/// many, the warp goes through the bins together and writes whole words.
__device__ void build_masks(const BinKernelArgs& args, SlabMasks& masks) {
  __shared__ bool is_open[kGroupBins];  // bins that exist and are not finished
  {
    const GroupBin bin = group_bin(args.grid, threadIdx.x);
    is_open[threadIdx.x] = bin.exists && args.unfinished[bin.index(args.grid)] != 0;
  }
  for (int i = threadIdx.x; i < kGroupBins * kPaddedWords; i += kThreads) masks.words[0][i] = 0;
  __syncthreads();

  const GroupBin origin = group_bin(args.grid, 0);
  const int lane = threadIdx.x % 32, warp = threadIdx.x / 32;
  for (int word = warp; word < kWords; word += kWarps) {
    const std::uint32_t circle = blockIdx.x * kSlabCircles + word * 32 + lane;
    Shape shape{};
    PixelRect bins{0, 0, -1, -1};
    if (circle < args.count) {
      shape = args.shapes[circle];
      const PixelRect bounds = args.grid.pixel_bounds(shape);
      if (!bounds.empty()) {
        bins = args.grid.bins_of(bounds);
        bins = {max(bins.x0 - origin.x, 0), max(bins.y0 - origin.y, 0),
                min(bins.x1 - origin.x, kGroupSide - 1), min(bins.y1 - origin.y, kGroupSide - 1)};
      }
    }
    const auto overlaps = [&](int x, int y) {
      return is_open[y * kGroupSide + x] &&
             may_cover(shape, args.grid.bin_pixels(origin.x + x, origin.y + y), args.grid.s);
    };
    const int touched = bins.empty() ? 0 : (bins.x1 - bins.x0 + 1) * (bins.y1 - bins.y0 + 1);
    if (__any_sync(~0u, touched > kGroupSide)) {
      for (int bin = 0; bin < kGroupBins; ++bin) {
        const int x = bin % kGroupSide, y = bin / kGroupSide;
        const bool inside = x >= bins.x0 && x <= bins.x1 && y >= bins.y0 && y <= bins.y1;
        const std::uint32_t bits = __ballot_sync(~0u, inside && overlaps(x, y));
        if (lane == 0) masks.words[bin][word] = bits;
      }
    } else {
      for (int y = bins.y0; y <= bins.y1; ++y)
        for (int x = bins.x0; x <= bins.x1; ++x)
          if (overlaps(x, y)) atomicOr(&masks.words[y * kGroupSide + x][word], 1u << lane);
    }
  }
  __syncthreads();
}

/// Block (slab, group) of 256 threads counts one slab's overlaps with each of a group's 256 bins:
/// counts[b · num_slabs + slab].
__global__ void __launch_bounds__(kThreads) count_overlaps_kernel(const BinKernelArgs args) {
  __shared__ SlabMasks masks;
  build_masks(args, masks);
  const GroupBin bin = group_bin(args.grid, threadIdx.x);
  if (!bin.exists) return;
  int count = 0;
  for (int word = 0; word < kWords; ++word) count += __popc(masks.words[threadIdx.x][word]);
  args.counts[static_cast<std::size_t>(bin.index(args.grid)) * args.num_slabs + blockIdx.x] = count;
}

/// Block (slab, group) of 256 threads writes one slab's circles into the lists of a group's bins: a
/// warp a bin, a mask word a lane. Paint order: slabs by the scan's offsets, words by a scan over
/// the lanes, bits from the lowest up. [2,3,0,2,1] circles in five slabs start at [0,2,5,5,7].
__global__ void __launch_bounds__(kThreads) emit_lists_kernel(const BinKernelArgs args) {
  __shared__ SlabMasks masks;
  build_masks(args, masks);
  const int lane = threadIdx.x % 32, warp = threadIdx.x / 32;
  for (int i = warp; i < kGroupBins; i += kWarps) {
    const GroupBin bin = group_bin(args.grid, i);
    if (!bin.exists) continue;
    std::uint32_t bits = masks.words[i][lane];
    const int count = __popc(bits);
    int before = count;  // inclusive scan over the lanes
    for (int distance = 1; distance < 32; distance *= 2) {
      const int other = __shfl_up_sync(~0u, before, distance);
      if (lane >= distance) before += other;
    }
    const std::uint64_t start =
        args.offsets[static_cast<std::size_t>(bin.index(args.grid)) * args.num_slabs + blockIdx.x];
    std::uint32_t* next = args.indices + start + (before - count);
    for (; bits != 0; bits &= bits - 1)
      *next++ = blockIdx.x * kSlabCircles + lane * 32 + (__ffs(bits) - 1);
  }
}

dim3 bin_kernel_grid(const TileGrid& grid, std::uint32_t num_slabs) {
  const int groups_x = (grid.bins_x + kGroupSide - 1) / kGroupSide;
  const int groups_y = (grid.bins_y + kGroupSide - 1) / kGroupSide;
  return dim3(num_slabs, static_cast<unsigned>(groups_x * groups_y));
}

}  // namespace

void BinLists::count(const Input& input, cudaStream_t stream) {
  num_slabs_ = std::max((input.count + kSlabCircles - 1) / kSlabCircles, 1u);
  num_cells_ = static_cast<std::size_t>(input.grid.num_bins()) * num_slabs_;
  counts_.reserve_discard(num_cells_ + 1);
  offsets_.reserve_discard(num_cells_ + 1);
  ROUNDEL_CUDA_CHECK(
      cudaMemsetAsync(counts_.data() + num_cells_, 0, sizeof(std::uint32_t), stream));
  count_overlaps_kernel<<<bin_kernel_grid(input.grid, num_slabs_), kThreads, 0, stream>>>(
      {input.grid, input.shapes, input.count, input.unfinished, num_slabs_, counts_.data(), nullptr,
       nullptr});
  ROUNDEL_CUDA_CHECK(cudaGetLastError());

  const auto scan = [&](void* space, std::size_t& space_size) {
    return cub::DeviceScan::ExclusiveScan(space, space_size, counts_.data(), offsets_.data(),
                                          ::cuda::std::plus<std::uint64_t>{}, std::uint64_t{0},
                                          num_cells_ + 1, stream);
  };
  std::size_t space_size = 0;
  ROUNDEL_CUDA_CHECK(scan(nullptr, space_size));
  scan_space_.reserve_discard(space_size);
  ROUNDEL_CUDA_CHECK(scan(scan_space_.data(), space_size));
}

void BinLists::emit(const Input& input, std::uint64_t total, cudaStream_t stream) {
  indices_.reserve_discard(total);
  if (total == 0) return;
  emit_lists_kernel<<<bin_kernel_grid(input.grid, num_slabs_), kThreads, 0, stream>>>(
      {input.grid, input.shapes, input.count, input.unfinished, num_slabs_, counts_.data(),
       offsets_.data(), indices_.data()});
  ROUNDEL_CUDA_CHECK(cudaGetLastError());
}

}  // namespace roundel::cuda
