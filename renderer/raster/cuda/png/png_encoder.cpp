#include "renderer/raster/cuda/png/png_encoder.h"

#include <algorithm>

#include "renderer/image/png_stream.h"
#include "renderer/raster/cuda/blend_tiles.h"
#include "renderer/raster/cuda/locked_pages.h"

namespace roundel::cuda {
namespace {

PngArgs args_of(const PngShape& shape) {
  PngArgs args;
  args.width = static_cast<std::uint32_t>(shape.width);
  args.height = static_cast<std::uint32_t>(shape.height);
  args.pixel_bytes = static_cast<std::uint32_t>(shape.pixel_bytes());
  return args;
}

std::uint32_t possible_lengths(std::size_t pixel_bytes) {
  std::uint32_t counts[png_format::kNumSymbols] = {}, lengths = 0;
  png_format::add_possible(pixel_bytes, counts);
  for (std::size_t k = 0; k < png_format::kNumSymbols - 257; ++k) lengths |= counts[257 + k] << k;
  return lengths;
}

PngFixedWords fixed_words(std::size_t pixel_bytes) {
  PngFixedWords fixed{};
  std::uint32_t at = 0;
  const auto put = [&](std::uint32_t bits, unsigned count) {
    for (unsigned k = 0; k < count; ++k, ++at) fixed.words[at / 32] |= (bits >> k & 1) << at % 32;
  };
  for (const char c : {'I', 'D', 'A', 'T'}) put(static_cast<std::uint8_t>(c), 8);
  for (const std::uint8_t byte : png_format::kZlibHeader) put(byte, 8);
  png_format::put_fixed_bits(pixel_bytes, true, put);
  return fixed;
}

/// powers[k] = x^(bits · k).
void fill_powers(std::uint64_t bits, std::span<std::uint32_t> powers) {
  const std::uint32_t factor = crc32::power(bits);
  std::uint32_t power = crc32::kOne;
  for (std::uint32_t& value : powers) {
    value = power;
    power = crc32::product(power, factor);
  }
}

/// Begin of the data in a file's memory, at a cache line.
std::size_t data_begin(const PngFile& file) {
  constexpr std::size_t kLine = 64, kSizeBytes = 4;
  return (file.head.size() + kSizeBytes + kLine - 1) / kLine * kLine;
}

}  // namespace

bool PngEncoder::can_encode(const PngShape& shape) {
  return shape.filtered_bytes() <= png_format::kBlockBytes;
}

std::uint64_t PngEncoder::needed_bytes(const PngShape& shape) {
  const PngArgs args = args_of(shape);
  return args.stream_words() * sizeof(std::uint32_t) + args.num_segments() * sizeof(std::uint64_t) +
         args.num_chunks() * sizeof(std::uint32_t) + sizeof(PngCode) + sizeof(PngState) +
         sizeof(PngPowers) + png_format::kNumSymbols * sizeof(std::uint32_t);
}

std::uint64_t PngEncoder::bytes() const {
  return counts_.bytes() + code_.bytes() + scan_words_.bytes() + state_.bytes() + stream_.bytes() +
         powers_.bytes() + chunks_.bytes();
}

/// Called before the first picture.
void PngEncoder::make_constants(cudaStream_t stream) {
  begins_early_ = can_begin_early();
  counts_ = DeviceBuffer<std::uint32_t>(png_format::kNumSymbols);
  code_ = DeviceBuffer<PngCode>(1);
  state_ = DeviceBuffer<PngState>(1);
  powers_ = DeviceBuffer<PngPowers>(1);
  ROUNDEL_CUDA_CHECK(cudaMemsetAsync(counts_.data(), 0, counts_.bytes(), stream));
  PngPowers powers{};
  fill_powers(std::uint64_t{8} * kCrcUnit, powers.units);
  copy_to_device<PngPowers>({&powers, 1}, powers_, stream);
  state_copy_ = locked_pages<PngState>(1);  // last, since the rest is complete
}

const PngArgs& PngEncoder::prepare(const std::uint8_t* pixels, const PngShape& shape,
                                   cudaStream_t stream) {
  if (state_copy_.empty()) make_constants(stream);
  args_ = args_of(shape);
  args_.pixels = pixels;
  args_.possible_lengths = possible_lengths(args_.pixel_bytes);
  args_.fixed_words = fixed_words(args_.pixel_bytes);
  args_.begins_early = begins_early_;
  if (chunks_.size() < args_.num_chunks()) {
    std::vector<std::uint32_t> chunks(args_.num_chunks());
    fill_powers(std::uint64_t{8} * kCrcChunk, chunks);
    copy_to_device<std::uint32_t>(chunks, chunks_, stream);
  }
  scan_words_.reserve_discard(args_.num_segments());
  stream_.reserve_discard(args_.stream_words());
  args_.counts = counts_.data();
  args_.code = code_.data();
  args_.scan_words = scan_words_.data();
  args_.state = state_.data();
  args_.state_copy = state_copy_.data();
  args_.stream = stream_.data();
  args_.powers = powers_.data();
  args_.chunks = chunks_.data();
  return args_;
}

void PngEncoder::copy_ahead(PngFile& file, cudaStream_t stream) {
  const std::size_t begin = data_begin(file), expected = last_size_ + last_size_ / 16;
  num_copied_ = std::min(
      {expected, stream_.bytes(), file.memory.size() - std::min(begin, file.memory.size())});
  if (num_copied_ > 0)
    ROUNDEL_CUDA_CHECK(cudaMemcpyAsync(file.memory.data() + begin, args_.stream, num_copied_,
                                       cudaMemcpyDeviceToHost, stream));
}

void pack_png(const PngArgs& args, cudaStream_t stream) {
  count_sample(args, stream);
  make_code(args, stream);
  code_segments(args, stream);
  end_stream(args, stream);
  ROUNDEL_CUDA_CHECK(cudaMemcpyAsync(args.state_copy, args.state, sizeof(PngState),
                                     cudaMemcpyDeviceToHost, stream));
}

bool PngEncoder::finish(PngFile& file, cudaStream_t stream) {
  const PngState& state = state_copy_[0];
  std::vector<std::uint8_t> head = file.head;
  append_u32(head, state.size);
  const std::vector<std::uint8_t> tail = png_tail(~state.crc);
  const std::size_t size = PngArgs::kType + std::size_t{state.size};
  const std::size_t data = data_begin(file), begin = data - head.size();
  const std::size_t needed = data + size + tail.size();
  if (file.memory.size() < needed) {
    file.memory = {};  // frees first: both may not fit at once
    file.memory = locked_pages<std::uint8_t>(needed + needed / 8);  // the next may be larger
    num_copied_ = 0;
  }
  std::uint8_t* const out = file.memory.data();
  const bool is_missing = num_copied_ < size;
  if (is_missing)
    ROUNDEL_CUDA_CHECK(cudaMemcpyAsync(
        out + data + num_copied_, reinterpret_cast<const std::uint8_t*>(args_.stream) + num_copied_,
        size - num_copied_, cudaMemcpyDeviceToHost, stream));
  std::copy(head.begin(), head.end(), out + begin);
  std::copy(tail.begin(), tail.end(), out + data + size);
  file.bytes = {out + begin, head.size() + size + tail.size()};
  last_size_ = size;
  num_copied_ = 0;
  return is_missing;
}

}  // namespace roundel::cuda
