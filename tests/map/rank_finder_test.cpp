#include "renderer/map/rank_finder.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <random>

#include "renderer/map/survey_rows.h"
#include "tests/testing.h"

namespace roundel {
namespace {

/// Returns the value of rank ⌈part·n/whole⌉, at least 1.
double sorted_percentile(const std::vector<double>& sorted, RankFinder::Share share) {
  const auto rank = static_cast<std::size_t>(
      std::ceil(static_cast<long double>(share.part) * static_cast<long double>(sorted.size()) /
                static_cast<long double>(share.whole)));
  return sorted[std::max<std::size_t>(rank, 1) - 1];
}

/// Compares with a sort. Returns the number of passes over the numbers.
int check(std::vector<double> numbers, const std::vector<RankFinder::Share>& shares,
          std::uint64_t part_bytes = RankFinder::kMaxPartBytes) {
  RankFinder finder(shares, part_bytes);
  int passes = 0;
  bool again = true;
  while (again) {
    ++passes;
    // Two parts, as for two threads.
    const std::size_t half = numbers.size() / 3;
    for (const auto& part : {std::span(numbers).first(half), std::span(numbers).subspan(half)}) {
      RankFinder::Counts found;
      finder.count(part, found);
      EXPECT_LE(found.size() * sizeof(found[0]), part_bytes);
      finder.add(found);
    }
    again = finder.end_pass();
  }
  numbers.erase(
      std::remove_if(numbers.begin(), numbers.end(), [](double x) { return std::isnan(x); }),
      numbers.end());
  std::sort(numbers.begin(), numbers.end());
  EXPECT_EQ(finder.percentiles().size(), numbers.empty() ? 0 : shares.size());
  for (std::size_t i = 0; i < finder.percentiles().size(); ++i)
    EXPECT_EQ(finder.percentiles()[i], sorted_percentile(numbers, shares[i]))
        << shares[i].part << "/" << shares[i].whole;
  return passes;
}

std::vector<RankFinder::Share> steps(std::uint64_t count) {
  std::vector<RankFinder::Share> shares;
  for (std::uint64_t k = 0; k <= count; ++k) shares.push_back({k, count});
  return shares;
}

TEST(RankFinder, MatchesASort) {
  std::mt19937_64 engine(1);
  std::normal_distribution<double> normal(0, 100);
  for (const std::size_t count : {0u, 1u, 2u, 3u, 99u, 100u, 101u, 257u, 10'000u}) {
    std::vector<double> numbers(count);
    for (double& number : numbers) number = normal(engine);
    check(numbers, steps(256));
    check(numbers, {RankFinder::share_of_percent(99.9), RankFinder::share_of_percent(1e-9),
                    RankFinder::share_of_percent(0), RankFinder::share_of_percent(100)});
  }
}

TEST(RankFinder, SmallMemoryTakesMorePasses) {
  std::mt19937_64 engine(2);
  std::normal_distribution<double> normal(0, 100);
  std::vector<double> numbers(100'000);
  for (double& number : numbers) number = normal(engine);
  EXPECT_EQ(check(numbers, steps(256)), 2);
  EXPECT_GT(check(numbers, steps(256), RankFinder::kMinPartBytes), 3);
}

TEST(RankFinder, PercentilesTakeAThirdOfTheMemory) {
  constexpr std::uint64_t kMemory = std::uint64_t{20} << 20;
  constexpr std::uint64_t kRows = std::uint64_t{1} << 23;
  EXPECT_TRUE(PercentileMemory(kRows, 3, 0).keeps_numbers);
  const PercentileMemory small(kRows, 3, kMemory);
  EXPECT_FALSE(small.keeps_numbers);
  EXPECT_LE(small.bytes, kMemory / 3);
}

TEST(RankFinder, AcceptsAllKindsOfNumbers) {
  constexpr double kMaxDouble = std::numeric_limits<double>::max();
  constexpr double kInfinity = std::numeric_limits<double>::infinity();
  constexpr double kTiny = std::numeric_limits<double>::denorm_min();
  check({0.0, -0.0, kTiny, -kTiny, kMaxDouble, -kMaxDouble, kInfinity, -kInfinity, std::nan(""), 1,
         -1, 1, 1},
        steps(12));
  check(std::vector<double>(1000, std::nan("")), steps(4));
  check(std::vector<double>(1000, -3.5), steps(256));
}

/// Many numbers that are too close for their first bits to distinguish them.
TEST(RankFinder, DistinguishesTheLastBits) {
  if (kAddressSanitized) GTEST_SKIP() << "compares millions of numbers";
  std::mt19937_64 engine(2);
  std::vector<double> numbers(3'000'000);
  for (double& number : numbers) number = 1 + static_cast<double>(engine() % 1024) * 0x1p-52;
  EXPECT_GE(check(numbers, {{1, 100}, {1, 2}, {99, 100}}), 5);
  for (double& number : numbers) number = -static_cast<double>(engine() % 4'000'000);
  EXPECT_GE(check(numbers, steps(256)), 2);
}

}  // namespace
}  // namespace roundel
