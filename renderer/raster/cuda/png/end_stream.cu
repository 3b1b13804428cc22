#include "renderer/raster/cuda/launch.cuh"
#include "renderer/raster/cuda/png/png_stages.h"
#include "renderer/raster/cuda/warp.cuh"

// The CRC is computed from the stream's end: a unit's distance from it gives its power of x,
// whatever the size. Missing bytes in front are 0 and add nothing.

namespace roundel::cuda {
namespace {

constexpr int kThreads = static_cast<int>(kCrcUnits), kWarps = kThreads / 32;
constexpr int kUnitWords = static_cast<int>(kCrcUnit / 4);

struct StreamEnd {
  bool is_stored;
  std::uint32_t size;  ///< bytes, including "IDAT"

  __device__ explicit StreamEnd(const PngArgs& args) {
    const std::size_t coded =
        png_format::coded_bytes(args.state->end_bit - 8 * PngArgs::kBlock, true);
    const std::size_t stored = png_format::stored_bytes(args.filtered_bytes());
    is_stored = coded > stored;
    size = static_cast<std::uint32_t>(PngArgs::kBlock + (is_stored ? stored : coded) +
                                      PngArgs::kAdler);
  }
};

/// Returns the stream's word at byte `begin`, with the CRC's first inversion.
__device__ std::uint32_t coded_word(const PngArgs& args, std::int32_t begin) {
  const auto load = [&args](std::int32_t word) {
    return word < 0 ? 0 : word == 0 ? ~args.stream[0] : args.stream[word];
  };
  const std::int32_t word = begin >> 2, rest = begin & 3;
  return __funnelshift_r(load(word), rest > 0 ? load(word + 1) : 0,
                         8 * static_cast<unsigned>(rest));
}

/// Returns byte `at` of the filtered rows.
__device__ std::uint8_t filtered_byte(const PngArgs& args, std::uint32_t at) {
  const auto row_bytes = static_cast<std::uint32_t>(args.row_bytes());
  const std::uint32_t row = at / row_bytes, inside = at % row_bytes;
  if (inside == 0) return png_format::kFilterUp;
  const std::uint8_t* const byte = args.pixels + (at - row - 1);
  return static_cast<std::uint8_t>(*byte - (row > 0 ? *(byte - (row_bytes - 1)) : 0));
}

/// Returns byte `at` of a stored block.
__device__ std::uint8_t stored_byte(const PngArgs& args, std::uint32_t at) {
  constexpr auto kMaxSize = static_cast<std::uint32_t>(png_format::kMaxStored),
                 kHeader = static_cast<std::uint32_t>(png_format::kStoredHeader);
  const auto size = static_cast<std::uint32_t>(args.filtered_bytes());
  const std::uint32_t begin = at / (kHeader + kMaxSize) * kMaxSize,
                      inside = at % (kHeader + kMaxSize);
  if (inside >= kHeader) return filtered_byte(args, begin + inside - kHeader);
  const std::uint32_t count = size - begin < kMaxSize ? size - begin : kMaxSize;
  return png_format::stored_header(inside, count, begin + count == size);
}

/// Writes a word of a stored block and returns it as coded_word() does.
__device__ std::uint32_t stored_word(const PngArgs& args, const StreamEnd& end,
                                     std::int32_t begin) {
  auto* const bytes = reinterpret_cast<std::uint8_t*>(args.stream);
  std::uint32_t word = 0;
  for (int k = 0; k < 4; ++k) {
    const auto at = static_cast<std::uint32_t>(begin + k);
    if (begin + k < 0 || at >= end.size - PngArgs::kAdler) continue;
    if (at >= PngArgs::kBlock) bytes[at] = stored_byte(args, at - PngArgs::kBlock);
    const std::uint32_t byte = at < PngArgs::kType ? bytes[at] ^ 255u : bytes[at];
    word |= byte << 8 * k;
  }
  return word;
}

/// Writes Adler's sum and returns it as a word of the stream.
__device__ std::uint32_t end_with_adler(const PngArgs& args, const StreamEnd& end) {
  const std::uint64_t low = (1 + args.state->sum) % kAdlerModulus;
  const std::uint64_t high = (args.filtered_bytes() + args.state->weighted_sum) % kAdlerModulus;
  const auto word = __byte_perm(static_cast<std::uint32_t>(high << 16 | low), 0, 0x0123);
  auto* const bytes = reinterpret_cast<std::uint8_t*>(args.stream) + end.size - PngArgs::kAdler;
  for (int k = 0; k < 4; ++k) bytes[k] = static_cast<std::uint8_t>(word >> 8 * k);
  return word;
}

/// Block (a chunk of the stream, from its end), thread (a unit, from the chunk's begin).
__global__ void __launch_bounds__(kThreads)
    end_stream_kernel(const __grid_constant__ PngArgs args) {
  __shared__ std::uint32_t tables[4][256];
  __shared__ std::uint32_t sums[kWarps];
  if (args.begins_early) wait_for_previous_kernel();
  const StreamEnd end(args);
  if (blockIdx.x * kCrcChunk >= end.size) return;
  const auto thread = static_cast<int>(threadIdx.x);
  const std::uint32_t units_after = kCrcUnits - 1 - threadIdx.x;  // in the chunk
  const std::uint32_t power = args.powers->units[units_after];
  for (int k = 0; k < 4; ++k) tables[k][thread] = args.powers->words.bytes[k][thread];
  const std::uint32_t behind = blockIdx.x * kCrcUnits + units_after;
  const auto begin =
      static_cast<std::int32_t>(end.size) - static_cast<std::int32_t>((behind + 1) * kCrcUnit);
  std::uint32_t words[kUnitWords];
#pragma unroll
  for (int k = 0; k < kUnitWords; ++k)
    words[k] =
        end.is_stored ? stored_word(args, end, begin + 4 * k) : coded_word(args, begin + 4 * k);
  if (behind == 0) {
    words[kUnitWords - 1] = end_with_adler(args, end);
    args.state->size = end.size - PngArgs::kType;
  }
  __syncthreads();
  std::uint32_t crc = 0;
#pragma unroll
  for (const std::uint32_t word : words) crc = crc32::add_word(tables, crc, word);
  crc = crc32::product(crc, power);
  for (int distance = 16; distance > 0; distance /= 2)
    crc ^= __shfl_down_sync(kAllLanes, crc, distance);
  if (lane() == 0) sums[thread / 32] = crc;
  __syncthreads();
  if (thread != 0) return;
  for (int warp = 1; warp < kWarps; ++warp) crc ^= sums[warp];
  atomicXor(&args.state->crc, crc32::product(crc, args.chunks[blockIdx.x]));
}

}  // namespace

void end_stream(const PngArgs& args, cudaStream_t stream) {
  launch(end_stream_kernel, dim3(args.num_chunks()), kThreads, 0, args, args.begins_early, stream);
}

}  // namespace roundel::cuda
