#pragma once
#include <cstddef>
#include <cstdint>
#include <vector>

#include "renderer/base/buffer.h"
#include "renderer/circles/glibc_random.h"

namespace roundel {

/// Sorts numbers in [0, 2) from large to small (no −0, no NaN). One thread.
void sort_descending(Buffer<float>& values);

/// Draws of a stream in the order from large to small, in buckets of about a thousand that are
/// sorted one by one, when they are needed: a bucket stays in L1, where the task that uses it finds
/// it.
class SortedDraws {
 public:
  /// Takes `count` draws from where the stream stands. Parallel.
  SortedDraws(const GlibcRandom& stream, std::size_t count);

  std::size_t num_buckets() const { return begins_.size() - 1; }
  /// How many draws come before the bucket's first; for num_buckets() the number of all.
  std::size_t begin(std::size_t bucket) const { return begins_[bucket]; }

  /// The draws of one bucket. May be called for different buckets at the same time, once for each.
  void sort_bucket(std::size_t bucket, std::vector<float>& draws);

 private:
  int shift_;                        ///< a key's bucket is key >> shift_
  Buffer<std::uint32_t> keys_;       ///< [count], bucket after bucket
  std::vector<std::size_t> begins_;  ///< [num_buckets + 1]
};

}  // namespace roundel
