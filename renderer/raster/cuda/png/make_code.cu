#include <algorithm>

#include "renderer/raster/cuda/launch.cuh"
#include "renderer/raster/cuda/png/bit_writer.cuh"
#include "renderer/raster/cuda/png/png_stages.h"
#include "renderer/raster/cuda/warp.cuh"

// One block makes the code. The others meanwhile clear memory that later stages add to and the
// previous kernel does not touch.

namespace roundel::cuda {
namespace {

using png_format::kEndOfBlock;
using png_format::kMaxCodeBits;

constexpr int kSymbols = static_cast<int>(png_format::kNumSymbols);
/// A thread for each symbol, and for each package.
constexpr int kHalf = (kSymbols + 31) / 32 * 32, kThreads = 2 * kHalf;
constexpr int kSymbolWarps = kHalf / 32;
constexpr int kMaxHeaderWords = (8 * PngArgs::kBlock + png_format::header_bits(8) + 31) / 32;
constexpr std::uint32_t kImpossible = ~0u;  // impossible symbol

struct CodeMemory {
  alignas(16) std::uint32_t counts[kHalf];  // counts of symbols
  int ranks[kHalf];                         // ranks of symbols among the leaves, in two halves
  std::uint32_t leaves[kHalf];              // weights, ascending
  std::uint32_t list[2 * kHalf];            // list of a level
  std::uint32_t packages[kHalf];            // pairs of the lower level's list
  // Leaves before each position of a level's list.
  std::uint16_t leaves_before[kMaxCodeBits][2 * kHalf];
  std::uint32_t same_length[kSymbolWarps][32];  // symbols of a warp by length
  std::uint32_t next_code[kSymbolWarps][32];    // next code by warp and length
  std::uint8_t lengths[kSymbols];
  std::uint32_t codes[kSymbols];
  std::uint32_t header[kMaxHeaderWords];
};

/// Counts the values below the limit; they ascend.
__device__ int count_below(const std::uint32_t* values, int count, std::uint32_t limit) {
  int found = 0;
#pragma unroll
  for (int step = 256; step > 0; step /= 2)
    if (found + step <= count && values[found + step - 1] < limit) found += step;
  return found;
}

/// Counts the symbols of [first, first + kHalf / 2) that come before this one.
__device__ int rank_among(const CodeMemory& memory, int symbol, int first) {
  const std::uint32_t count = memory.counts[symbol];
  int rank = 0;
#pragma unroll 4
  for (int k = first; k < first + kHalf / 2; k += 4) {
    const uint4 others = *reinterpret_cast<const uint4*>(memory.counts + k);
    rank += others.x < count + (k < symbol ? 1u : 0u);
    rank += others.y < count + (k + 1 < symbol ? 1u : 0u);
    rank += others.z < count + (k + 2 < symbol ? 1u : 0u);
    rank += others.w < count + (k + 3 < symbol ? 1u : 0u);
  }
  return rank;
}

/// Returns the length of the thread's symbol, 0 if it is impossible: png_format's code_lengths(),
/// with a leaf or package for each thread. All threads call it.
__device__ unsigned code_length(CodeMemory& memory) {
  const auto thread = static_cast<int>(threadIdx.x);
  const int package = thread - kHalf;
  const bool is_symbol = package < 0 && memory.counts[thread] != kImpossible;
  const int n = __syncthreads_count(is_symbol);
  int leaf = rank_among(memory, thread % kHalf, package < 0 ? 0 : kHalf / 2);
  if (package >= 0) memory.ranks[package] = leaf;
  __syncthreads();
  std::uint32_t weight = 0;
  if (is_symbol) {
    leaf += memory.ranks[thread];
    weight = memory.counts[thread];
    memory.leaves[leaf] = memory.list[leaf] = weight;
    memory.leaves_before[0][leaf] = static_cast<std::uint16_t>(leaf);
  }
  if (thread == 0) memory.leaves_before[0][n] = static_cast<std::uint16_t>(n);
  __syncthreads();
  int size = n;
  for (unsigned level = 1; level < kMaxCodeBits; ++level) {
    const int packages = size / 2;
    size = n + packages;
    const bool is_package = package >= 0 && package < packages;
    if (is_package) {
      weight = memory.list[2 * package] + memory.list[2 * package + 1];
      memory.packages[package] = weight;
    }
    __syncthreads();
    if (is_symbol) {
      const int position = leaf + count_below(memory.packages, packages, weight);
      memory.list[position] = weight;
      memory.leaves_before[level][position] = static_cast<std::uint16_t>(leaf);
    } else if (is_package) {
      const int leaves = count_below(memory.leaves, n, weight + 1);
      memory.list[package + leaves] = weight;
      memory.leaves_before[level][package + leaves] = static_cast<std::uint16_t>(leaves);
    }
    if (thread == 0) memory.leaves_before[level][size] = static_cast<std::uint16_t>(n);
    __syncthreads();
  }
  unsigned length = 0;
  int taken = 2 * n - 2;
  for (int level = static_cast<int>(kMaxCodeBits) - 1; level >= 0; --level) {
    const int leaves = memory.leaves_before[level][taken];
    taken = 2 * (taken - leaves);
    length += leaf < leaves ? 1 : 0;
  }
  return is_symbol ? length : 0;
}

/// Returns the code of the thread's symbol: png_format's make_codes(). All threads call it.
__device__ png_format::Bits canonical_code(CodeMemory& memory, unsigned length) {
  const int warp = static_cast<int>(threadIdx.x / 32);
  std::uint32_t rank = 0;  // rank in the warp among symbols of this length
  if (warp < kSymbolWarps) {
    std::uint32_t number = 0;
    for (unsigned k = 1; k <= kMaxCodeBits; ++k) {
      const unsigned same = __ballot_sync(kAllLanes, length == k);
      const auto below = static_cast<std::uint32_t>(num_before(same));
      if (length == k) rank = below;
      if (static_cast<unsigned>(lane()) == k) number = static_cast<std::uint32_t>(__popc(same));
    }
    memory.same_length[warp][lane()] = number;
  }
  __syncthreads();
  if (warp == 0) {  // a length for each lane
    std::uint32_t all = 0;
    for (const auto& numbers : memory.same_length) all += numbers[lane()];
    std::uint32_t code = 0;
    for (unsigned k = 1; k < kMaxCodeBits; ++k) {
      const std::uint32_t shorter = __shfl_sync(kAllLanes, all, static_cast<int>(k));
      if (k < static_cast<unsigned>(lane())) code = (code + shorter) << 1;
    }
    for (int other = 0; other < kSymbolWarps; ++other) {
      memory.next_code[other][lane()] = code;
      code += memory.same_length[other][lane()];
    }
  }
  __syncthreads();
  if (length == 0) return {0, 0};
  return {png_format::reversed(memory.next_code[warp][length] + rank, length), length};
}

/// Returns 0 if there is no such piece.
template <int kPixelBytes>
__device__ PngSymbol match_symbol(const CodeMemory& memory, int pixels, std::size_t distance) {
  if (pixels == 0 || pixels > static_cast<int>(png_format::piece_pixels(kPixelBytes))) return 0;
  const std::size_t length = static_cast<std::size_t>(pixels) * kPixelBytes;
  const std::size_t symbol = png_format::length_symbol(length);
  const png_format::Bits match =
      png_format::match_bits(length, distance, {memory.codes[symbol], memory.lengths[symbol]});
  return match.bits << 6 | match.count;
}

template <int kPixelBytes>
__device__ void write_header(const PngArgs& args, CodeMemory& memory) {
  constexpr auto kLengths = static_cast<int>(png_format::header_lengths(kPixelBytes));
  constexpr int kFirst = 8 * PngArgs::kBlock + static_cast<int>(png_format::kFixedBits);
  const auto thread = static_cast<int>(threadIdx.x);
  if (thread < kLengths) {
    BitWriter writer(memory.header, static_cast<std::uint32_t>(kFirst + 4 * thread));
    writer.put(
        png_format::header_length(static_cast<std::size_t>(thread), memory.lengths, kPixelBytes),
        4);
    writer.finish();
  }
  __syncthreads();
  if (thread < static_cast<int>((args.first_bit() + 31) / 32))
    args.stream[thread] = memory.header[thread];
}

/// Called by all blocks except the first.
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
  if (args.begins_early) wait_for_previous_kernel();
  if (thread < kHalf) {
    std::uint32_t count = kImpossible;
    if (thread <= static_cast<int>(kEndOfBlock) ||
        (thread < kSymbols && (args.possible_lengths >> (thread - 257) & 1) != 0))
      count = args.counts[thread] + 1;
    memory.counts[thread] = count;
    if (thread < kSymbols) {
      args.counts[thread] = 0;
      args.code->counts[thread] = count == kImpossible ? 0 : count;
    }
  } else if (thread - kHalf < kMaxHeaderWords) {
    constexpr int kFixed = sizeof(args.fixed_words) / sizeof(std::uint32_t);
    const int word = thread - kHalf;
    memory.header[word] = word < kFixed ? args.fixed_words.words[word] : 0;
  }
  __syncthreads();
  const unsigned length = code_length(memory);
  let_next_kernel_begin();  // not sooner: its blocks would slow down others
  const png_format::Bits code = canonical_code(memory, length);
  if (thread < kSymbols) {
    memory.lengths[thread] = args.code->lengths[thread] = static_cast<std::uint8_t>(length);
    memory.codes[thread] = code.bits;
    if (thread <= static_cast<int>(kEndOfBlock))
      args.code->symbols.literals[thread] = code.bits << 6 | code.count;
  }
  __syncthreads();
  const int pixels = thread % kHalf;
  if (pixels <= kMaxPiecePixels) {
    if (thread < kHalf)
      args.code->symbols.matches[pixels] = match_symbol<kPixelBytes>(memory, pixels, kPixelBytes);
    else
      args.code->symbols.byte_matches[pixels] = match_symbol<kPixelBytes>(memory, pixels, 1);
  }
  write_header<kPixelBytes>(args, memory);
}

}  // namespace

void make_code(const PngArgs& args, cudaStream_t stream) {
  constexpr std::uint32_t kMaxClearingBlocks = 128, kWordsPerThread = 8;
  const std::uint32_t words = std::max(args.stream_words(), args.num_segments());
  const std::uint32_t clearing =
      std::min(kMaxClearingBlocks, words / (kThreads * kWordsPerThread) + 1);
  const auto kernel = with_pixel_bytes(
      args.pixel_bytes, [](auto bytes) { return &make_code_kernel<decltype(bytes)::value>; });
  launch(kernel, dim3(1 + clearing), kThreads, 0, args, args.begins_early, stream);
}

}  // namespace roundel::cuda
