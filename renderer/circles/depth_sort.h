#pragma once
#include <cstddef>
#include <cstdint>
#include <vector>

#include "renderer/base/buffer.h"
#include "renderer/circles/glibc_random.h"

namespace roundel {

/// Numbers in [0, 2), without −0 and NaN. One thread.
void sort_descending(Buffer<float>& values);

/// Draws of a stream in descending order, in buckets of about a thousand. The task that uses a
/// bucket sorts it, in L1.
class SortedDraws {
 public:
  /// Uses all threads.
  SortedDraws(const GlibcRandom& stream, std::size_t count);

  std::size_t num_buckets() const { return begins_.size() - 1; }
  /// Draws before the bucket; all for num_buckets().
  std::size_t begin(std::size_t bucket) const { return begins_[bucket]; }

  /// Sorts the draws of a bucket. Thread-safe for different buckets; call it once for each.
  void sort_bucket(std::size_t bucket, std::vector<float>& draws);

 private:
  int shift_;                        ///< a key's bucket is key >> shift_
  Buffer<std::uint32_t> keys_;       ///< [count], bucket after bucket
  std::vector<std::size_t> begins_;  ///< [num_buckets + 1]
};

}  // namespace roundel
