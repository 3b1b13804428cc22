#pragma once
#include <cstddef>
#include <cstdint>
#include <vector>

#include "renderer/base/buffer.h"
#include "renderer/circles/glibc_random.h"

namespace roundel {

/// Sorts numbers in [0, 2) in descending order (no −0, no NaN). One thread.
void sort_descending(Buffer<float>& values);

/// Draws of a stream in descending order, in buckets of about a thousand. The task that needs a
/// bucket sorts it, so that it is in L1 for use.
class SortedDraws {
 public:
  /// Takes `count` draws from the stream's position. Parallel.
  SortedDraws(const GlibcRandom& stream, std::size_t count);

  std::size_t num_buckets() const { return begins_.size() - 1; }
  /// Number of draws before the bucket; for num_buckets() the number of all.
  std::size_t begin(std::size_t bucket) const { return begins_[bucket]; }

  /// Returns the sorted draws of a bucket. Thread-safe for different buckets; call it once for
  /// each.
  void sort_bucket(std::size_t bucket, std::vector<float>& draws);

 private:
  int shift_;                        ///< a key's bucket is key >> shift_
  Buffer<std::uint32_t> keys_;       ///< [count], bucket after bucket
  std::vector<std::size_t> begins_;  ///< [num_buckets + 1]
};

}  // namespace roundel
