#include "renderer/raster/cuda/launch.cuh"
#include "renderer/raster/cuda/png/segment.cuh"

namespace roundel::cuda {
namespace {

template <int kPixelBytes>
struct SymbolCounter {
  std::uint32_t* counts;

  __device__ void literals(int, typename ThreadPixels<kPixelBytes>::Pixel pixel) {
#pragma unroll
    for (int k = 0; k < kPixelBytes; ++k) atomicAdd(counts + (pixel >> 8 * k & 255), 1u);
  }
  __device__ void match(int, int pixels, bool) {
    atomicAdd(counts + png_format::length_symbol(static_cast<std::size_t>(pixels) * kPixelBytes),
              1u);
  }
};

/// Block (a segment of a sampled row).
template <int kPixelBytes>
__global__ void __launch_bounds__(kSegmentThreads)
    count_sample_kernel(const __grid_constant__ PngArgs args) {
  constexpr auto kSymbols = static_cast<unsigned>(png_format::kNumSymbols);
  __shared__ SegmentMemory<kPixelBytes> memory;
  __shared__ std::uint32_t counts[kSymbols];
  let_next_kernel_begin();
  const std::uint32_t row_segments = args.row_segments();
  const std::size_t row = png_format::sample_row(blockIdx.x / row_segments);
  if (row >= args.height) return;
  const SegmentPosition position(args, static_cast<std::uint32_t>(row), blockIdx.x % row_segments);
  for (unsigned k = threadIdx.x; k < kSymbols; k += kSegmentThreads)
    counts[k] = k == png_format::kFilterUp && position.first == 0 ? 1 : 0;
  load_segment(args, position, memory);
  __syncthreads();
  ThreadPixels<kPixelBytes> pixels;
  pixels.load(position, memory);
  __syncthreads();
  pixels.find_neighbours(memory);
  SymbolCounter<kPixelBytes> counter{counts};
  pixels.put_tokens(counter);
  __syncthreads();
  for (unsigned k = threadIdx.x; k < kSymbols; k += kSegmentThreads)
    if (counts[k] > 0) atomicAdd(args.counts + k, counts[k]);
}

}  // namespace

void count_sample(const PngArgs& args, cudaStream_t stream) {
  const dim3 blocks((args.height + 7) / 8 * args.row_segments());
  const auto kernel = with_pixel_bytes(
      args.pixel_bytes, [](auto bytes) { return &count_sample_kernel<decltype(bytes)::value>; });
  launch(kernel, blocks, kSegmentThreads, 0, args, false, stream);
}

}  // namespace roundel::cuda
