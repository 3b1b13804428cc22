#pragma once
#include <cstdint>

namespace roundel::cuda {

/// Appends bits to words in shared memory that are 0 at first; others may write to the same words.
class BitWriter {
 public:
  __device__ BitWriter(std::uint32_t* words, std::uint32_t first_bit)
      : words_(words + first_bit / 32), count_(first_bit % 32) {}
  /// `count` <= 32.
  __device__ void put(std::uint32_t bits, std::uint32_t count) {
    word_ |= static_cast<std::uint64_t>(bits) << count_;
    count_ += count;
    if (count_ >= 32) {
      atomicOr(words_++, static_cast<std::uint32_t>(word_));
      word_ >>= 32;
      count_ -= 32;
    }
  }
  __device__ void finish() {
    if (word_ != 0) atomicOr(words_, static_cast<std::uint32_t>(word_));
  }

 private:
  std::uint32_t* words_;
  std::uint64_t word_ = 0;
  std::uint32_t count_;
};

}  // namespace roundel::cuda
