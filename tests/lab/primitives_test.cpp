#include <gtest/gtest.h>
#include <tbb/task_arena.h>

#include <algorithm>
#include <cstdlib>
#include <iterator>
#include <limits>
#include <numeric>
#include <random>

#include "renderer/base/error.h"
#include "renderer/raster/rasterizer.h"
#include "tools/lab/primitives/chunks.h"
#include "tools/lab/primitives/cuda/device_rows.h"
#include "tools/lab/primitives/measure.h"
#include "tools/lab/primitives/saxpy.h"
#include "tools/lab/primitives/scan.h"
#include "tools/lab/primitives/select.h"
#include "tools/roundel/cli/command_line.h"

namespace roundel::primitives {
namespace {

using Integers = std::vector<std::int32_t>;

#ifdef ROUNDEL_SANITIZED
constexpr std::size_t kMaxCount = std::size_t{1} << 17;  // several parts
#else
constexpr std::size_t kMaxCount = std::size_t{1} << 20;
#endif
/// Around all sizes at which chunks, parts and vectors are cut.
const std::size_t kSizes[] = {
    0,    1,    2,     3,     4,     5,     7,     8,     9,     15,        16,
    17,   31,   32,    33,    1023,  1024,  1025,  4095,  4096,  4097,      8191,
    8192, 8193, 32767, 32768, 32769, 65535, 65536, 65537, 99999, kMaxCount, kMaxCount - 3};

constexpr std::uint32_t kGuard = 0xABABABAB;  // fills memory that must not be written

Integers random_integers(std::size_t n, std::int32_t low, std::int32_t high, unsigned seed = 1) {
  std::mt19937 engine(seed);
  std::uniform_int_distribution<std::int32_t> value(low, high);
  Integers integers(n);
  std::generate(integers.begin(), integers.end(), [&] { return value(engine); });
  return integers;
}

/// Runs `check` with 1, 2 and 7 threads.
template <typename Check>
void with_threads(const Check& check) {
  for (const int threads : {1, 2, 7}) tbb::task_arena(threads).execute(check);
}

/// Runs `check` with the code of each instruction set that this machine has.
template <typename Check>
void with_vector_targets(const Check& check) {
  for (const std::string& target : cpu_vector_targets()) {
    SCOPED_TRACE(target);
    ASSERT_TRUE(force_cpu_vector_target(target));
    check();
  }
  force_cpu_vector_target("");
}

TEST(Chunks, CoverAllElementsOnceAndInOrder) {
  with_threads([] {
    for (const std::size_t n : kSizes) {
      const Chunks chunks(n);
      EXPECT_GE(chunks.count, 1U);
      EXPECT_EQ(chunks.begin(0), 0U);
      EXPECT_EQ(chunks.end(chunks.count - 1), n);
      for (std::size_t i = 0; i < chunks.count; ++i) EXPECT_LE(chunks.begin(i), chunks.end(i));
    }
    const std::size_t most = std::numeric_limits<std::size_t>::max();
    const Chunks huge(most);
    EXPECT_EQ(huge.end(huge.count - 1), most);
    EXPECT_LT(huge.begin(huge.count - 1), most);
  });
}

TEST(Saxpy, AddsAMultiple) {
  with_threads([] {
    for (const std::size_t n : kSizes) {
      std::vector<float> x(n), y(n), expected(n);
      for (std::size_t i = 0; i < n; ++i) {
        x[i] = static_cast<float>(random_bits(i) % 1000) / 7;
        y[i] = static_cast<float>(random_bits(n + i) % 1000) / 3;
        expected[i] = 1.7f * x[i] + y[i];
      }
      std::vector<float> serial = y;
      saxpy_serial(1.7f, x, serial);
      saxpy_parallel(1.7f, x, y);
      EXPECT_EQ(serial, expected) << n;
      EXPECT_EQ(y, expected) << n;
    }
  });
}

TEST(Scan, MatchesTheStandardLibrary) {
  for (const std::size_t n : kSizes) {
    const Integers in = random_integers(n, -50, 100);
    Integers expected(n);
    std::exclusive_scan(in.begin(), in.end(), expected.begin(), 0);
    const std::int64_t total = std::accumulate(in.begin(), in.end(), std::int64_t{0});
    const auto check = [&] {
      for (const auto scan : {exclusive_scan_serial, exclusive_scan_one_pass}) {
        Integers out(n, -1);
        EXPECT_EQ(scan(in, out), total) << n;
        EXPECT_EQ(out, expected) << n;
        Integers in_place = in;
        EXPECT_EQ(scan(in_place, in_place), total) << n;
        EXPECT_EQ(in_place, expected) << n;
      }
    };
    with_vector_targets([&] { with_threads(check); });
  }
}

TEST(ScanPart, WritesOnlyItsSumsAtAnyOffset) {
  const Integers integers = random_integers(100, -50, 100);
  const std::vector<std::uint32_t> in(integers.begin(), integers.end());
  with_vector_targets([&] {
    for (std::size_t n = 0; n <= in.size(); ++n) {
      for (std::size_t place = 0; place <= 16; ++place) {
        std::vector<std::uint32_t> out(place + n + 16, kGuard), expected = out;
        std::exclusive_scan(in.begin(), in.begin() + static_cast<std::ptrdiff_t>(n),
                            expected.begin() + static_cast<std::ptrdiff_t>(place), 7U);
        scan_part(7, in.data(), n, out.data() + place, in);
        ASSERT_EQ(out, expected) << n << " at " << place;
      }
    }
  });
}

TEST(Scan, TotalsHave64BitsAndSumsWrapAround) {
  with_threads([] {
    const std::int32_t most = std::numeric_limits<std::int32_t>::max();
    const Integers in(30000, most);
    for (const auto scan : {exclusive_scan_serial, exclusive_scan_one_pass}) {
      Integers out(in.size());
      EXPECT_EQ(scan(in, out), std::int64_t{30000} * most);
      for (std::size_t i = 0; i < in.size(); ++i)
        ASSERT_EQ(static_cast<std::uint32_t>(out[i]),
                  static_cast<std::uint32_t>(i) * static_cast<std::uint32_t>(most));
    }
  });
}

template <typename Value>
using Selecting = std::uint64_t (*)(std::span<const std::int32_t>, Value*);

/// Both keep `expected`; in one pass nothing is written after it.
template <typename Value>
void expect_kept(const Integers& in, const std::vector<Value>& expected, Selecting<Value> serial,
                 Selecting<Value> one_pass) {
  constexpr auto kBehind = static_cast<Value>(kGuard);
  std::vector<Value> out(in.size() + 1, kBehind);
  ASSERT_EQ(serial(in, out.data()), expected.size()) << in.size();
  EXPECT_TRUE(std::equal(expected.begin(), expected.end(), out.begin())) << in.size();
  EXPECT_EQ(out.back(), kBehind) << "written behind the room for " << in.size();
  std::vector<Value> expected_out = expected;
  expected_out.resize(out.size(), kBehind);
  with_vector_targets([&] {
    with_threads([&] {
      std::fill(out.begin(), out.end(), kBehind);
      EXPECT_EQ(one_pass(in, out.data()), expected.size()) << in.size();
      EXPECT_EQ(out, expected_out) << in.size();
    });
  });
}

TEST(Compaction, KeepsNonZeroElementsInOrder) {
  for (const std::size_t n : kSizes) {
    for (const int kind : {0, 1, 2}) {  // none, all, some
      const Integers in = random_integers(n, kind == 1 ? 1 : 0, kind == 0 ? 0 : 3);
      Integers expected;
      std::copy_if(in.begin(), in.end(), std::back_inserter(expected),
                   [](std::int32_t value) { return value != 0; });
      expect_kept(in, expected, compact_serial, compact_one_pass);
    }
  }
}

TEST(SelectionBelow, KeepsValuesBelowTheLimitInOrder) {
  for (const std::size_t n : kSizes) {
    for (const std::int32_t low : {0, -7, -1'000'000}) {  // none, some, nearly all
      const Integers in = random_integers(n, kSelectionLimit + low, kSelectionLimit + 7);
      Integers expected;
      std::copy_if(in.begin(), in.end(), std::back_inserter(expected),
                   [](std::int32_t value) { return value < kSelectionLimit; });
      expect_kept(in, expected, select_below_serial, select_below_one_pass);
    }
  }
}

TEST(FindRepeats, FindsEveryPositionWithAnEqualNext) {
  for (const std::size_t n : kSizes) {
    for (const std::int32_t high : {0, 1, 7, 1'000'000}) {
      const Integers in = random_integers(n, 0, high);
      std::vector<std::uint32_t> expected;
      auto at = std::adjacent_find(in.begin(), in.end());
      for (; at != in.end(); at = std::adjacent_find(at + 1, in.end()))
        expected.push_back(static_cast<std::uint32_t>(at - in.begin()));
      expect_kept(in, expected, find_repeats_serial, find_repeats_one_pass);
    }
  }
}

TEST(SelectPart, GathersAnyRangeAndWritesNothingAfterIt) {
  constexpr std::size_t kCount = 100;
  const Integers in = random_integers(kCount + 1, -1, 1);
  const auto keeps = [&](Kept what, std::size_t i) {
    if (what == Kept::kRepeated) return in[i] == in[i + 1];
    return what == Kept::kNotZero ? in[i] != 0 : in[i] < kSelectionLimit;
  };
  with_vector_targets([&] {
    for (const Kept what : {Kept::kNotZero, Kept::kBelowLimit, Kept::kRepeated}) {
      for (std::size_t begin = 0; begin < kCount; ++begin) {
        std::vector<std::uint32_t> expected;
        for (std::size_t end = begin; end < kCount; ++end) {
          std::vector<std::uint32_t> kept(end - begin + 16, kGuard);
          ASSERT_EQ(gather_part(what, in.data(), begin, end, kept.data()), expected.size());
          ASSERT_TRUE(std::equal(expected.begin(), expected.end(), kept.begin()));
          for (std::size_t i = end - begin; i < kept.size(); ++i) ASSERT_EQ(kept[i], kGuard);
          if (!keeps(what, end)) continue;
          const std::size_t value =
              what == Kept::kRepeated ? end : static_cast<std::uint32_t>(in[end]);
          expected.push_back(static_cast<std::uint32_t>(value));
        }
      }
    }
  });
}

TEST(SelectPart, WritesOnlyItsElementsAtAnyOffset) {
  std::vector<std::uint32_t> in(100);
  std::iota(in.begin(), in.end(), 1U);
  with_vector_targets([&] {
    for (std::size_t n = 0; n <= in.size(); ++n) {
      for (std::size_t place = 0; place <= 16; ++place) {
        std::vector<std::uint32_t> out(place + n + 16, kGuard), expected = out;
        std::copy_n(in.begin(), n, expected.begin() + static_cast<std::ptrdiff_t>(place));
        stream_part(in.data(), n, out.data() + place);
        ASSERT_EQ(out, expected) << n << " at " << place;
      }
    }
  });
}

TEST(SelectSerial, AcceptsAnyPredicateAndKeepsTheOrder) {
  for (const std::uint64_t n : {0U, 1U, 5U, 100000U}) {
    const auto is_third = [](std::uint64_t i) { return i % 3 == 0; };
    const auto square = [](std::uint64_t i) { return i * i; };
    std::vector<std::uint64_t> out(n), expected;
    for (std::uint64_t i = 0; i < n; i += 3) expected.push_back(i * i);
    out.resize(select_serial(n, is_third, square, out.data()));
    EXPECT_EQ(out, expected);
  }
}

constexpr auto kMakers = {make_saxpy, make_scan, make_compaction, make_selection,
                          make_find_repeats};

// Also on a device, if there is one.
TEST(Measure, EveryRowOfEveryPrimitiveIsRight) {
  const std::vector<std::uint64_t> sizes = {0,    1,    2,    3,    31,    32,    33,     1021,
                                            1023, 1024, 1025, 4093, 4095,  4096,  4097,   7679,
                                            7680, 7681, 8191, 8193, 32768, 32769, 100003, 2000003};
  for (const auto make : kMakers) {
    const std::unique_ptr<Primitive> primitive = make(sizes.back());
    std::size_t expected = 0, seen = 0;
    for (const Variant& variant : primitive->variants())
      for (const std::uint64_t n : sizes) expected += n <= variant.most ? 1U : 0U;
    EXPECT_GE(expected, 2 * sizes.size());
    const std::vector<Row> rows = measure(*primitive, sizes, 3, [&](const Row&) { ++seen; });
    EXPECT_EQ(rows.size(), expected);
    EXPECT_EQ(seen, rows.size());
    for (const Row& row : rows) {
      EXPECT_TRUE(row.is_right) << primitive->name() << " " << row.variant << " " << row.n;
      EXPECT_GE(row.bytes, 4.0 * static_cast<double>(row.n));
      EXPECT_EQ(row.timing.repeats, 3);
    }
  }
}

TEST(Measure, UncomputedResultsAreWrong) {
  for (const auto make : kMakers) {
    const std::unique_ptr<Primitive> primitive = make(1000);
    for (const Variant& variant : primitive->variants()) {
      variant.run(1000, 1);
      primitive->spoil(1000);
      if (primitive->name() != "saxpy") {  // for which unwritten output is right, too
        EXPECT_FALSE(primitive->is_right(1000)) << primitive->name();
      }
      variant.run(900, 1);
      EXPECT_TRUE(primitive->is_right(900)) << primitive->name() << " " << variant.name;
      EXPECT_FALSE(primitive->is_right(1000)) << primitive->name() << " " << variant.name;
    }
  }
}

bool lacks_device() {
  return missing_device_reason() != "" && std::getenv("ROUNDEL_REQUIRE_CUDA") == nullptr;
}

TEST(DeviceScan, SumsWrapAroundAndTotalsHave64Bits) {
  if (lacks_device()) GTEST_SKIP() << "needs a GPU";
  Integers in(100'000, std::numeric_limits<std::int32_t>::max());
  for (std::size_t i = 50'000; i < in.size(); ++i) in[i] = std::numeric_limits<std::int32_t>::min();
  Integers out(in.size());
  std::int64_t total = 0;
  bool has_total = false;
  const std::vector<Variant> variants = device_scan_variants(in, out, total, has_total);
  ASSERT_GE(variants.size(), 13U);
  for (const Variant& variant : variants) {
    const std::uint64_t n = std::min<std::uint64_t>(in.size(), variant.most);
    variant.run(n, 1);
    std::int64_t sum = 0;
    for (std::uint64_t i = 0; i < n; ++i) {
      ASSERT_EQ(static_cast<std::uint32_t>(out[i]), static_cast<std::uint32_t>(sum))
          << variant.name << " at " << i;
      sum += in[i];
    }
    if (has_total) {
      EXPECT_EQ(total, sum) << variant.name;
    }
  }
}

TEST(DeviceSelect, KeepsNoneAllAndSome) {
  if (lacks_device()) GTEST_SKIP() << "needs a GPU";
  constexpr std::uint64_t kCount = 100'000;
  for (const int kind : {0, 1, 2}) {
    const Integers in = random_integers(kCount, kind == 1 ? 1 : 0, kind == 0 ? 0 : 3);
    Integers out(kCount), kept;
    std::copy_if(in.begin(), in.end(), std::back_inserter(kept),
                 [](std::int32_t value) { return value != 0; });
    std::uint64_t count = 0;
    const std::vector<Variant> variants = device_compaction_variants(in, out, count);
    ASSERT_GE(variants.size(), 7U);
    for (const Variant& variant : variants) {
      variant.run(kCount, 1);
      EXPECT_EQ(count, kept.size()) << variant.name;
      EXPECT_TRUE(std::equal(kept.begin(), kept.end(), out.begin())) << variant.name;
    }
  }
}

TEST(Sizes, RoundTripAsText) {
  EXPECT_EQ(parse_sizes("0,7,2^4,2^4-3,2^4+1"), (std::vector<std::uint64_t>{0, 7, 16, 13, 17}));
  EXPECT_EQ(parse_sizes("2^32"), (std::vector<std::uint64_t>{std::uint64_t{1} << 32}));
  for (const char* text : {"", ",", "1,", "-1", "2^", "2^33", "2^-1", "2^3-9", "2^32+1", "2^3-",
                           "1e6", "3^2", "2^2^2", "4294967297"})
    EXPECT_THROW(parse_sizes(text), Expected) << text;
  const std::vector<std::uint64_t> usual = usual_sizes();
  EXPECT_EQ(usual.size(), 42U);
  EXPECT_EQ(usual.front(), 1021U);
  EXPECT_EQ(usual.back(), std::uint64_t{1} << 28);
}

}  // namespace
}  // namespace roundel::primitives
