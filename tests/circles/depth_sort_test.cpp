#include "renderer/circles/depth_sort.h"

#include <gtest/gtest.h>
#include <tbb/task_arena.h>

#include <algorithm>
#include <functional>
#include <initializer_list>
#include <vector>

#include "renderer/circles/glibc_random.h"
#include "tests/testing.h"

namespace roundel {
namespace {

Buffer<float> buffer_of(const std::vector<float>& values) {
  Buffer<float> buffer(values.size());
  std::copy(values.begin(), values.end(), buffer.begin());
  return buffer;
}

TEST(DepthSort, MatchesTheStandardLibrary) {
  for (const std::size_t size : std::initializer_list<std::size_t>{0, 1, 2, 1000, 100'003}) {
    std::vector<float> values(size);
    GlibcRandom(9).draw(values.data(), size);
    for (std::size_t i = 0; i < size; i += 3) values[i] = 0.0f;
    for (std::size_t i = 1; i < size; i += 7) values[i] = 1.0f;
    for (std::size_t i = 2; i < size; i += 5) values[i] *= 1e-9f;
    Buffer<float> sorted = buffer_of(values);
    sort_descending(sorted);
    std::sort(values.begin(), values.end(), std::greater<>());
    EXPECT_TRUE(std::equal(values.begin(), values.end(), sorted.begin(), sorted.end())) << size;
  }
}

TEST(DepthSort, KeepsTheLargestNumberBelowTwo) {
  std::vector<float> values(10'000, 0.5f);
  values[5000] = 1.99999988f;
  values[6000] = 1e-45f;
  Buffer<float> sorted = buffer_of(values);
  sort_descending(sorted);
  EXPECT_EQ(sorted[0], 1.99999988f);
  EXPECT_EQ(sorted[9999], 1e-45f);
}

TEST(DepthSort, BucketsHoldTheDrawsInStreamOrder) {
  if (kSanitized) GTEST_SKIP() << "compares millions of numbers";
  for (const std::size_t size : std::initializer_list<std::size_t>{
           0, 1, 2, 1023, 1024, 1025, 2047, 2048, 16384, 100'003, 3'000'000}) {
    GlibcRandom stream(9);
    stream.skip(5);
    std::vector<float> expected(size);
    GlibcRandom(stream).draw(expected.data(), size);
    std::sort(expected.begin(), expected.end(), std::greater<>());
    for (const int threads : {1, 2, 7}) {
      std::vector<float> sorted;
      tbb::task_arena(threads).execute([&] {
        SortedDraws draws(stream, size);
        std::vector<float> part;
        for (std::size_t bucket = 0; bucket < draws.num_buckets(); ++bucket) {
          EXPECT_EQ(draws.begin(bucket), sorted.size());
          draws.sort_bucket(bucket, part);
          sorted.insert(sorted.end(), part.begin(), part.end());
        }
        EXPECT_EQ(draws.begin(draws.num_buckets()), size);
      });
      EXPECT_EQ(sorted, expected) << size << " draws, " << threads << " threads";
    }
  }
}

}  // namespace
}  // namespace roundel
