#include <algorithm>

#include "renderer/raster/cuda/launch.cuh"
#include "renderer/raster/cuda/png/bit_writer.cuh"
#include "renderer/raster/cuda/png/png_stages.h"
#include "renderer/raster/cuda/warp.cuh"

// One block makes the code; the others meanwhile clear what is added to later.

namespace roundel::cuda {
namespace {

using png_format::kEndOfBlock;
using png_format::kLongestCode;

constexpr int kSymbols = static_cast<int>(png_format::kNumSymbols);
/// A thread for each symbol, and as many for packages of them.
constexpr int kHalf = (kSymbols + 31) / 32 * 32, kThreads = 2 * kHalf;
constexpr int kSymbolWarps = kHalf / 32;
constexpr int kMostHeaderWords = (8 * PngArgs::kBlock + png_format::header_bits(4) + 31) / 32;
constexpr std::uint32_t kNever = ~0u;  // a symbol that is not possible

struct CodeMemory {
  std::uint32_t counts[kHalf];                // of symbols
  std::uint32_t leaves[kHalf];                // their weights, rising
  std::uint32_t list[2 * kHalf];              // of a level
  std::uint32_t packages[kHalf];              // pairs of the list of the level below
  std::uint16_t places[kLongestCode][kHalf];  // of leaves in the lists
  std::uint8_t lengths[kSymbols];
  std::uint32_t same_length[kSymbolWarps][kLongestCode + 1];  // symbols of a warp
  std::uint32_t codes[kSymbols];
  std::uint32_t header[kMostHeaderWords];
};

/// How many of rising values are below the limit.
__device__ int count_below(const std::uint32_t* values, int count, std::uint32_t limit) {
  int found = 0;
#pragma unroll
  for (int step = 256; step > 0; step /= 2)
    if (found + step <= count && values[found + step - 1] < limit) found += step;
  return found;
}

/// The length of the calling thread's symbol, 0 where it is not possible: png_format's
/// code_lengths(), whose lists each thread merges a leaf and a package into. All threads call it.
__device__ unsigned code_length(CodeMemory& memory) {
  const auto thread = static_cast<int>(threadIdx.x);
  const bool is_symbol = thread < kHalf && memory.counts[thread] != kNever;
  const int n = __syncthreads_count(is_symbol);
  int leaf = kHalf;  // its place among the leaves
  if (is_symbol) {
    const std::uint32_t count = memory.counts[thread];
    leaf = 0;
#pragma unroll 8
    for (int k = 0; k < kHalf; ++k) leaf += memory.counts[k] < count + (k < thread ? 1u : 0u);
    memory.leaves[leaf] = memory.list[leaf] = count;
    memory.places[0][leaf] = static_cast<std::uint16_t>(leaf);
  }
  __syncthreads();
  const int package = thread - kHalf;
  int size = n;
  for (unsigned level = 1; level < kLongestCode; ++level) {
    const int packages = size / 2;
    size = n + packages;
    const bool is_package = package >= 0 && package < packages;
    std::uint32_t weight = 0;
    if (is_package) {
      weight = memory.list[2 * package] + memory.list[2 * package + 1];
      memory.packages[package] = weight;
    }
    __syncthreads();
    if (is_symbol) {
      const std::uint32_t count = memory.counts[thread];
      const int place = leaf + count_below(memory.packages, packages, count);
      memory.list[place] = count;
      memory.places[level][leaf] = static_cast<std::uint16_t>(place);
    } else if (is_package) {
      memory.list[package + count_below(memory.leaves, n, weight + 1)] = weight;
    }
    __syncthreads();
  }
  unsigned length = 0;
  int taken = 2 * n - 2;
  for (int level = static_cast<int>(kLongestCode) - 1; level >= 0; --level) {
    const bool is_taken = is_symbol && memory.places[level][leaf] < taken;
    taken = 2 * (taken - __syncthreads_count(is_taken));
    length += is_taken ? 1 : 0;
  }
  return length;
}

/// png_format's make_codes(): the code of the calling thread's symbol. All threads call it.
__device__ png_format::Bits canonical_code(CodeMemory& memory, unsigned length) {
  const auto thread = static_cast<int>(threadIdx.x);
  const int warp = thread / 32;
  std::uint32_t rank = 0;  // among the warp's symbols of this length
  if (warp < kSymbolWarps) {
    for (unsigned k = 1; k <= kLongestCode; ++k) {
      const unsigned same = __ballot_sync(kAllLanes, length == k);
      if (length == k) rank = static_cast<std::uint32_t>(__popc(same & ((1u << lane()) - 1)));
      if (lane() == 0) memory.same_length[warp][k] = static_cast<std::uint32_t>(__popc(same));
    }
  }
  __syncthreads();
  if (length == 0) return {0, 0};
  std::uint32_t code = 0;
  for (unsigned k = 1; k <= length; ++k) {
    code <<= 1;
    const int warps = k < length ? kSymbolWarps : warp;
    for (int other = 0; other < warps; ++other) code += memory.same_length[other][k];
  }
  return {png_format::reversed(code + rank, length), length};
}

/// The match of a thread, from 1 on by pixels.
template <int kPixelBytes>
__device__ PngSymbol match_symbol(const CodeMemory& memory, int pixels, std::size_t distance) {
  const std::size_t length = static_cast<std::size_t>(pixels) * kPixelBytes;
  const std::size_t symbol = png_format::length_symbol(length);
  const png_format::Bits match =
      png_format::match_bits(length, distance, {memory.codes[symbol], memory.lengths[symbol]});
  return match.bits << 6 | match.count;
}

/// What stands before the first segment.
template <int kPixelBytes>
__device__ void write_header(const PngArgs& args, CodeMemory& memory) {
  constexpr auto kLengths = static_cast<int>(png_format::header_lengths(kPixelBytes));
  constexpr std::uint32_t kFirst = 8 * PngArgs::kBlock;
  const auto thread = static_cast<int>(threadIdx.x);
  if (thread < kLengths) {
    BitWriter writer(memory.header, kFirst + png_format::kFixedBits + 4 * thread);
    writer.put(
        png_format::header_length(static_cast<std::size_t>(thread), memory.lengths, kPixelBytes),
        4);
    writer.finish();
  } else if (thread == kThreads - 1) {
    BitWriter writer(memory.header, 0);
    constexpr std::uint32_t kType = 'I' | 'D' << 8 | 'A' << 16 | 'T' << 24;
    constexpr std::uint32_t kZlib =
        png_format::kZlibHeader[0] | std::uint32_t{png_format::kZlibHeader[1]} << 8;
    writer.put(kType, 32);
    writer.put(kZlib, 16);
    png_format::put_fixed_bits(
        kPixelBytes, true, [&](std::uint32_t bits, unsigned count) { writer.put(bits, count); });
    writer.finish();
  }
  __syncthreads();
  for (int k = thread; k < static_cast<int>((args.first_bit() + 31) / 32); k += kThreads)
    args.stream[k] = memory.header[k];
}

/// By all blocks but the first.
__device__ void clear(const PngArgs& args) {
  const std::uint32_t first = (blockIdx.x - 1) * kThreads + threadIdx.x;
  const std::uint32_t step = (gridDim.x - 1) * kThreads;
  for (std::uint32_t k = (args.first_bit() + 31) / 32 + first; k < args.stream_words(); k += step)
    args.stream[k] = 0;
  for (std::uint32_t k = first; k < args.num_segments(); k += step) args.scan_words[k] = 0;
  if (first == 0) *args.state = {};
}

template <int kPixelBytes>
__global__ void __launch_bounds__(kThreads) make_code_kernel(const __grid_constant__ PngArgs args) {
  if (blockIdx.x > 0) return clear(args);
  __shared__ CodeMemory memory;
  const auto thread = static_cast<int>(threadIdx.x);
  if (thread < kHalf) {
    std::uint32_t count = kNever;
    if (thread <= static_cast<int>(kEndOfBlock) ||
        (thread < kSymbols && (args.possible_lengths >> (thread - 257) & 1) != 0))
      count = args.counts[thread] + 1;
    memory.counts[thread] = count;
    if (thread < kSymbols) {
      args.counts[thread] = 0;
      args.code->counts[thread] = count == kNever ? 0 : count;
    }
  } else if (thread - kHalf < kMostHeaderWords) {
    memory.header[thread - kHalf] = 0;
  }
  __syncthreads();
  const unsigned length = code_length(memory);
  const png_format::Bits code = canonical_code(memory, length);
  if (thread < kSymbols) {
    memory.lengths[thread] = args.code->lengths[thread] = static_cast<std::uint8_t>(length);
    memory.codes[thread] = code.bits;
    if (thread <= static_cast<int>(kEndOfBlock))
      args.code->symbols.literals[thread] = code.bits << 6 | code.count;
  }
  __syncthreads();
  constexpr int kPixels = static_cast<int>(png_format::piece_pixels(kPixelBytes));
  const int pixels = thread % kHalf;
  if (pixels >= 1 && pixels <= kPixels) {
    if (thread < kHalf)
      args.code->symbols.matches[pixels] = match_symbol<kPixelBytes>(memory, pixels, kPixelBytes);
    else
      args.code->symbols.byte_matches[pixels] = match_symbol<kPixelBytes>(memory, pixels, 1);
  }
  write_header<kPixelBytes>(args, memory);
}

}  // namespace

void make_code(const PngArgs& args, cudaStream_t stream) {
  constexpr std::uint32_t kMostClearing = 128, kWordsPerThread = 8;
  const std::uint32_t words = std::max(args.stream_words(), args.num_segments());
  const std::uint32_t clearing = std::min(kMostClearing, words / (kThreads * kWordsPerThread) + 1);
  launch(args.pixel_bytes == 3 ? make_code_kernel<3> : make_code_kernel<4>, dim3(1 + clearing),
         kThreads, 0, args, false, stream);
}

}  // namespace roundel::cuda
