#include "renderer/raster/cuda/launch.cuh"
#include "renderer/raster/cuda/look_back.cuh"
#include "renderer/raster/cuda/png/bit_writer.cuh"
#include "renderer/raster/cuda/png/segment.cuh"

namespace roundel::cuda {
namespace {

/// The segment's threads, and a warp that finds where it begins.
constexpr int kThreads = kSegmentThreads + 32;

__device__ std::uint32_t bits_of(PngSymbol symbol) {
  return symbol >> 6;
}
__device__ std::uint32_t count_of(PngSymbol symbol) {
  return symbol & 63;
}

/// Symbols of a thread's pixels: a word of at most 30 bits for two bytes of a pixel.
template <int kPixelBytes>
struct ThreadCode {
  static constexpr int kWords = (kPixelBytes + 1) / 2;
  const PngSymbols& code;  // in shared memory
  std::uint32_t words[kThreadPixels][kWords] = {}, counts[kThreadPixels][kWords] = {};

  __device__ void literals(int k, typename ThreadPixels<kPixelBytes>::Pixel pixel) {
#pragma unroll
    for (int byte = 0; byte < kPixelBytes; ++byte) {
      const PngSymbol symbol = code.literals[pixel >> 8 * byte & 255];
      words[k][byte / 2] |= bits_of(symbol) << counts[k][byte / 2];
      counts[k][byte / 2] += count_of(symbol);
    }
  }
  __device__ void match(int k, int pixels, bool is_one_byte) {
    const PngSymbol symbol = (is_one_byte ? code.byte_matches : code.matches)[pixels];
    words[k][0] = bits_of(symbol);
    counts[k][0] = count_of(symbol);
  }
  __device__ std::uint32_t bits() const {
    std::uint32_t sum = 0;
#pragma unroll
    for (const auto& of_pixel : counts)
#pragma unroll
      for (const std::uint32_t count : of_pixel) sum += count;
    return sum;
  }
  __device__ void write(BitWriter& writer) const {
#pragma unroll
    for (int k = 0; k < kThreadPixels; ++k)
#pragma unroll
      for (int i = 0; i < kWords; ++i) writer.put(words[k][i], counts[k][i]);
  }
};

/// Sums over a segment, or a part of one.
struct Sums {
  std::uint32_t bits;
  std::uint32_t bytes, weighted;  ///< see PngState; `weighted` to the segment's end
};

/// Adds a thread's filtered bytes; `left`: bytes from its first one to the segment's end.
template <int kPixelBytes>
__device__ void add_bytes(const ThreadPixels<kPixelBytes>& pixels, int left, Sums& sums) {
  std::uint32_t bytes = 0, offsets = 0;
#pragma unroll
  for (int k = 0; k < ThreadPixels<kPixelBytes>::kWords; ++k) {
    bytes = __dp4a(pixels.words[k], 0x01010101u, bytes);
    offsets =
        __dp4a(pixels.words[k], 0x03020100u + 0x04040404u * static_cast<unsigned>(k), offsets);
  }
  sums.bytes += bytes;
  std::uint32_t weighted = static_cast<std::uint32_t>(left) * bytes - offsets;
  if (kPixelBytes > 4) weighted %= kAdlerModulus;  // a segment's sum does not fit
  sums.weighted += weighted;
}

template <typename T>
__device__ T warp_sum(T value) {
  for (int distance = 16; distance > 0; distance /= 2)
    value += __shfl_down_sync(kAllLanes, value, distance);
  return value;  // in the first lane
}

__device__ void add_to_picture(const PngArgs& args, const SegmentPosition& position,
                               const Sums& sums) {
  const std::uint64_t behind = args.row_bytes() * (args.height - position.row) - 1 -
                               std::uint64_t{position.first + position.count} * args.pixel_bytes;
  atomicAdd(reinterpret_cast<unsigned long long*>(&args.state->sum), sums.bytes);
  atomicAdd(reinterpret_cast<unsigned long long*>(&args.state->weighted_sum),
            (sums.weighted + behind * sums.bytes) % kAdlerModulus);
}

/// Copies `bits` of `coded` to bit `begin` of the stream; other blocks share the words at its ends.
/// Writes nothing past the stream's end: such a block will be stored.
__device__ void copy_to_stream(const PngArgs& args, const std::uint32_t* coded, std::uint64_t begin,
                               std::uint32_t bits) {
  const std::uint64_t end = begin + bits, first = begin / 32, last = (end - 1) / 32;
  const auto shift = static_cast<unsigned>(begin % 32);
  for (std::uint64_t at = first + threadIdx.x; at <= last && at < args.stream_words();
       at += kThreads) {
    const std::uint64_t k = at - first;
    const std::uint32_t word = __funnelshift_l(k > 0 ? coded[k - 1] : 0, coded[k], shift);
    if (32 * at >= begin && 32 * at + 32 <= end)
      args.stream[at] = word;
    else
      atomicOr(args.stream + at, word);
  }
}

template <int kPixelBytes>
__global__ void __launch_bounds__(kThreads)
    code_segments_kernel(const __grid_constant__ PngArgs args) {
  using Pixels = ThreadPixels<kPixelBytes>;
  // Includes the filter byte, the block's end, and a word for shifting; a multiple of four words.
  constexpr int kMaxBits = (static_cast<int>(png_format::kSegmentPixels) * kPixelBytes + 2) *
                           static_cast<int>(png_format::kMaxCodeBits);
  constexpr int kMaxWords = (kMaxBits + 32 + 127) / 128 * 4;
  __shared__ SegmentMemory<kPixelBytes> memory;
  __shared__ PngSymbols code;
  alignas(16) __shared__ std::uint32_t coded[kMaxWords];
  __shared__ Sums warp_sums[kSegmentWarps];
  __shared__ std::uint64_t begin;
  const auto thread = static_cast<int>(threadIdx.x);
  const std::uint32_t row_segments = args.row_segments();
  const SegmentPosition position(args, blockIdx.x / row_segments, blockIdx.x % row_segments);
  const bool begins_row = position.first == 0, is_last = blockIdx.x == gridDim.x - 1;

  if (thread < kSegmentThreads) load_segment(args, position, memory);
  for (int k = thread; k < kMaxWords / 4; k += kThreads)
    reinterpret_cast<uint4*>(coded)[k] = uint4{0, 0, 0, 0};
  __syncthreads();
  Pixels pixels;
  if (thread < kSegmentThreads) pixels.load(position, memory);
  if (args.begins_early) wait_for_previous_kernel();  // for its code
  constexpr auto kCodeWords = static_cast<int>(sizeof(PngSymbols) / sizeof(PngSymbol));
  for (int k = thread; k < kCodeWords; k += kThreads)
    reinterpret_cast<PngSymbol*>(&code)[k] =
        reinterpret_cast<const PngSymbol*>(&args.code->symbols)[k];
  __syncthreads();

  ThreadCode<kPixelBytes> own{code};
  Sums sums{};
  std::uint32_t bits_before = 0;  // bits of earlier threads in the warp
  const bool has_filter = thread == 0 && begins_row;
  const bool has_end = thread == kSegmentThreads - 1 && is_last;
  if (thread < kSegmentThreads) {
    pixels.find_neighbours(memory);
    pixels.put_tokens(own);
    const auto size = static_cast<int>(position.count) * kPixelBytes;
    add_bytes(pixels, size - kThreadPixels * kPixelBytes * thread, sums);
    sums.bits = own.bits();
    if (has_filter) {
      sums.bits += count_of(code.literals[png_format::kFilterUp]);
      sums.bytes += png_format::kFilterUp;
      sums.weighted += png_format::kFilterUp * static_cast<unsigned>(size + 1);
    }
    if (has_end) sums.bits += count_of(code.literals[png_format::kEndOfBlock]);
    const std::uint32_t bits = warp_inclusive_sum(sums.bits);
    bits_before = bits - sums.bits;
    const std::uint32_t bytes = warp_sum(sums.bytes), weighted = warp_sum(sums.weighted);
    if (lane() == 31) warp_sums[thread / 32].bits = bits;
    if (lane() == 0) {
      warp_sums[thread / 32].bytes = bytes;
      warp_sums[thread / 32].weighted = weighted;
    }
  }
  __syncthreads();
  Sums all{};
  for (int warp = 0; warp < kSegmentWarps; ++warp) {
    if (warp < thread / 32) bits_before += warp_sums[warp].bits;
    all.bits += warp_sums[warp].bits;
    all.bytes += warp_sums[warp].bytes;
    all.weighted += warp_sums[warp].weighted;
  }
  if (thread >= kSegmentThreads) {
    const std::uint64_t before =
        args.first_bit() + look_back<8>(args.scan_words, static_cast<int>(blockIdx.x), all.bits);
    if (lane() == 0) {
      begin = before;
      if (is_last) args.state->end_bit = before + all.bits;
    }
  } else {
    BitWriter writer(coded, bits_before);
    if (has_filter) {
      const PngSymbol filter = code.literals[png_format::kFilterUp];
      writer.put(bits_of(filter), count_of(filter));
    }
    own.write(writer);
    if (has_end) {
      const PngSymbol end = code.literals[png_format::kEndOfBlock];
      writer.put(bits_of(end), count_of(end));
    }
    writer.finish();
    if (thread == 0) add_to_picture(args, position, all);
  }
  let_next_kernel_begin();
  __syncthreads();
  copy_to_stream(args, coded, begin, all.bits);
}

}  // namespace

void code_segments(const PngArgs& args, cudaStream_t stream) {
  const auto kernel = with_pixel_bytes(
      args.pixel_bytes, [](auto bytes) { return &code_segments_kernel<decltype(bytes)::value>; });
  launch(kernel, dim3(args.num_segments()), kThreads, 0, args, args.begins_early, stream);
}

}  // namespace roundel::cuda
