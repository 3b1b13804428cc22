#include "renderer/circles/glibc_random.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <initializer_list>
#include <vector>

namespace roundel {
namespace {

constexpr std::uint32_t kSeeds[] = {0,          1,          2,           5,           12345,
                                    2147483646, 2147483647, 2147483648u, 0xfffffffeu, 0xffffffffu};

TEST(GlibcRandom, FirstOutputsOfSeedOneMatchThePublishedOnes) {
  GlibcRandom stream(1);
  for (const std::uint32_t expected : {1804289383u, 846930886u, 1681692777u, 1714636915u})
    EXPECT_EQ(stream.next(), expected);
}

TEST(GlibcRandom, SeedZeroEqualsSeedOne) {
  GlibcRandom zero(0), one(1);
  for (int i = 0; i < 100; ++i) EXPECT_EQ(zero.next(), one.next());
}

#ifdef __GLIBC__
TEST(GlibcRandom, MatchesThePlatformsGenerator) {
  for (const std::uint32_t seed : kSeeds) {
    srandom(seed);
    GlibcRandom stream(seed);
    for (int k = 0; k < 5000; ++k)
      ASSERT_EQ(stream.next(), static_cast<std::uint32_t>(random()))
          << "seed " << seed << " k " << k;
  }
}
#endif

TEST(GlibcRandom, SkippingEqualsDrawing) {
  for (const std::uint32_t seed : kSeeds)
    for (const std::uint64_t count : std::initializer_list<std::uint64_t>{
             0, 1, 2, 3, 28, 30, 31, 32, 33, 310, 1023, 1024, 99991}) {
      GlibcRandom drawn(seed), skipped(seed);
      for (std::uint64_t k = 0; k < count; ++k) drawn.next();
      skipped.skip(count);
      for (int k = 0; k < 40; ++k) ASSERT_EQ(drawn.next(), skipped.next()) << seed << " " << count;
    }
}

TEST(GlibcRandom, LongSkipsAddUp) {
  GlibcRandom once(7), twice(7);
  once.skip((std::uint64_t{1} << 50) + 12345);
  twice.skip(12344);
  twice.skip(std::uint64_t{1} << 50);
  twice.next();
  for (int k = 0; k < 40; ++k) ASSERT_EQ(once.next(), twice.next());
}

TEST(GlibcRandom, DrawsDoNotDependOnPortions) {
  GlibcRandom outputs(3);
  std::vector<float> expected(5000);
  for (float& u : expected) u = static_cast<float>(outputs.next()) / 2147483648.0f;
  for (const std::size_t portion :
       std::initializer_list<std::size_t>{1, 2, 5, 31, 1022, 1023, 1024, 5000}) {
    GlibcRandom stream(3);
    std::vector<float> drawn(expected.size());
    for (std::size_t first = 0; first < drawn.size(); first += portion)
      stream.draw(&drawn[first], std::min(portion, drawn.size() - first));
    EXPECT_EQ(drawn, expected) << portion;
  }
}

}  // namespace
}  // namespace roundel
