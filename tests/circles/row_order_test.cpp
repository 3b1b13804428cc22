#include "renderer/circles/row_order.h"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <limits>
#include <numeric>
#include <random>

#include "circles_testing.h"
#include "renderer/base/error.h"
#include "renderer/scene/load_scene.h"
#include "renderer/scene/resolve_scene.h"
#include "tests/data/zip_writer.h"
#include "tests/testing.h"

namespace roundel {
namespace {

constexpr std::size_t kRows = 600'000;  // more than are made in memory

/// A row's number is its x; some values are missing, many equal.
struct Row {
  double x;
  float value;
  char kind[4];
};

/// Scenes of kRows rows, sorted.
class SortedRows : public testing::Test {
 protected:
  SortedRows() : path_(folder_ / "sorted_rows.npy"), rows_(kRows) {
    std::mt19937 engine(3);
    for (std::size_t i = 0; i < kRows; ++i) {
      const auto random = static_cast<std::uint32_t>(engine());
      const float missing = std::numeric_limits<float>::quiet_NaN();
      rows_[i] = {static_cast<double>(i),
                  random % 50 == 0 ? missing : static_cast<float>(random % 10'007) - 100,
                  {"cab"[random % 3], static_cast<char>('a' + random % 26), 0, 0}};
    }
    std::string header =
        "{'descr': [('x', '<f8'), ('v', '<f4'), ('kind', '|S4')], 'fortran_order': False, "
        "'shape': (600000,), }";
    header.resize(181, ' ');
    header += '\n';
    std::ofstream file(path_, std::ios::binary);
    file << "\x93NUMPY" << '\x01' << '\x00' << static_cast<char>(header.size()) << '\x00' << header;
    static_assert(sizeof(Row) == 16);
    file.write(reinterpret_cast<const char*>(rows_.data()), kRows * sizeof(Row));
  }

  void write_csv() const {
    std::ofstream file(folder_ / "sorted_rows.csv");
    file << "x,v,kind\n";
    for (const Row& row : rows_)
      file << static_cast<int>(row.x) << ','
           << (std::isnan(row.value) ? "" : std::to_string(static_cast<int>(row.value))) << ','
           << row.kind << '\n';
  }

  /// Writes the rows to a file that is slow to read.
  void write_deflated() const {
    std::ifstream array(path_, std::ios::binary);
    const std::string bytes{std::istreambuf_iterator<char>(array), {}};
    std::ofstream(folder_ / "sorted_rows.npz", std::ios::binary)
        << zip_of({{"rows.npy", bytes, true}});
  }

  Scene scene_with(const std::string& keys, const std::string& ending = "npy") const {
    return parse_scene(
        "version: 1\nview: {x: [0, 600000], y: [0, 600000]}\n"
        "layers:\n  - random: {count: 70000}\n  - {data: sorted_rows." +
            ending + ", " + keys + "}\n  - random: {count: 5}\n",
        folder_ / "s.yaml");
  }

  /// Sorts the rows that satisfy `keeps`, stably.
  template <typename Keeps, typename Before>
  std::vector<double> sorted(const Keeps& keeps, const Before& before) const {
    std::vector<Row> kept;
    std::copy_if(rows_.begin(), rows_.end(), std::back_inserter(kept), keeps);
    std::stable_sort(kept.begin(), kept.end(), before);
    std::vector<double> positions;
    for (const Row& row : kept) positions.push_back(row.x);
    return positions;
  }

  /// Expects the stream's rows in this order, both made chunk by chunk and all first in memory.
  static void expect_rows(const Scene& scene, const std::vector<double>& expected,
                          bool is_streamed = true) {
    CircleSource source(scene);
    ASSERT_EQ(source.is_streamed(), is_streamed);
    Circles memory, buffer;
    const CircleStream stream = source.at(0, memory);
    ASSERT_EQ(stream.in_memory() == nullptr, is_streamed);
    ASSERT_EQ(stream.traits().is_parallel, is_streamed);
    ASSERT_EQ(stream.count(), expected.size() + 70'005);
    EXPECT_LT(stream.traits().largest_chunk, stream.count());
    const Circles& all = stream.all(buffer);
    for (std::size_t i = 0; i < expected.size(); ++i)
      ASSERT_EQ(std::lround(static_cast<double>(all.shapes[70'000 + i].x) * 600'000), expected[i]);
    const auto expect_same = [&](std::size_t first, std::size_t n, const Circles& some) {
      EXPECT_EQ(std::memcmp(some.shapes.data(), &all.shapes[first], n * sizeof(Shape)), 0) << first;
      EXPECT_EQ(std::memcmp(some.paints.data(), &all.paints[first], n * sizeof(Paint)), 0) << first;
    };
    Circles some;
    for (const std::size_t first : {0UL, 69'990UL, 123'456UL, stream.count() - 20}) {
      some = {Buffer<Shape>(20), Buffer<Paint>(20), 0};
      stream.fetch(first, some.shapes.span(), some.paints.span());
      expect_same(first, 20, some);
    }
    stream.fetch_in_parallel(60'000, 250'000, some);
    expect_same(60'000, 250'000, some);
    Circles made;
    source.generate(0, made);
    EXPECT_TRUE(same_bits(all, made));
    const std::uint64_t indices[] = {0, expected.size() / 2, expected.size() - 1};
    const std::vector<std::uint64_t> found = source.rows_of(1, indices);
    for (std::size_t k = 0; k < 3; ++k)
      EXPECT_EQ(static_cast<double>(found[k]), expected[indices[k]]);
  }

  const TemporaryFolder folder_;
  const std::string path_;
  std::vector<Row> rows_;
};

const auto kAll = [](const Row&) { return true; };
/// Orders NaN lowest.
bool is_less(float a, float b) {
  return std::isnan(a) ? !std::isnan(b) : a < b;
}

TEST_F(SortedRows, SortedByNumberAreMadeByChunk) {
  expect_rows(
      scene_with("map: {x: x, y: x, radius: 1px, color: {column: v, missing: \"#ff0000\"}}, "
                 "order: v"),
      sorted(kAll, [](const Row& a, const Row& b) { return is_less(a.value, b.value); }));
}

TEST_F(SortedRows, FilteredAreMadeByChunk) {
  if (kSanitized) GTEST_SKIP() << "reads millions of rows";
  expect_rows(
      scene_with("map: {x: x, y: x, radius: v, color: {column: kind, categories: tab10}}, "
                 "invalid: skip, where: {x: {min: 1000}}, order: {column: v, descending: true}"),
      sorted([](const Row& row) { return row.value > 0 && row.x >= 1000; },
             [](const Row& a, const Row& b) { return a.value > b.value; }));
}

TEST_F(SortedRows, SortedByTextAreMadeByChunk) {
  if (kThreadSanitized) GTEST_SKIP() << "reads millions of rows";
  expect_rows(scene_with("map: {x: x, y: x, radius: 1px}, order: kind"),
              sorted(kAll, [](const Row& a, const Row& b) {
                return std::strncmp(a.kind, b.kind, sizeof(a.kind)) < 0;
              }));
}

TEST_F(SortedRows, FromCsvAreMadeByChunk) {
  if (kSanitized) GTEST_SKIP() << "reads millions of rows";
  write_csv();
  expect_rows(scene_with("map: {x: x, y: x, radius: v, color: {column: kind, categories: tab10}}, "
                         "invalid: skip, where: {x: {min: 1000}}, order: kind",
                         "csv"),
              sorted([](const Row& row) { return row.value > 0 && row.x >= 1000; },
                     [](const Row& x, const Row& y) {
                       return std::strncmp(x.kind, y.kind, sizeof(x.kind)) < 0;
                     }));
}

TEST_F(SortedRows, FromDeflatedFileAreMadeOnce) {
  if (kSanitized) GTEST_SKIP() << "reads millions of rows";
  write_deflated();
  const std::string map =
      "map: {x: x, y: x, radius: v, alpha: 0.5, "
      "color: {column: kind, categories: tab10}}, invalid: skip, "
      "where: {x: {min: 1000}}";
  const auto keeps = [](const Row& row) { return row.value > 0 && row.x >= 1000; };
  expect_rows(scene_with(map + ", order: {column: v, descending: true}", "npz"),
              sorted(keeps, [](const Row& a, const Row& b) { return a.value > b.value; }), false);
  expect_rows(
      scene_with(map + ", order: kind", "npz"),
      sorted(keeps, [](const Row& a,
                       const Row& b) { return std::strncmp(a.kind, b.kind, sizeof(a.kind)) < 0; }),
      false);
  const Scene unsorted = scene_with(map, "npz");
  expect_rows(unsorted, sorted(keeps, [](const Row&, const Row&) { return false; }), false);
}

TEST_F(SortedRows, FromLargeDeflatedFileAreMadeByChunk) {
  if (kSanitized) GTEST_SKIP() << "reads millions of rows";
  write_deflated();
  Scene scene = scene_with(
      "map: {x: x, y: x, radius: 1px, color: {column: v, missing: \"#ff0000\"}}, "
      "order: v",
      "npz");
  const auto expected =
      sorted(kAll, [](const Row& a, const Row& b) { return is_less(a.value, b.value); });
  constexpr std::uint64_t kBytesOfCircle = 40;  // and its number in the order, twice
  scene.memory = 3 * kBytesOfCircle * count_circles(scene);
  expect_rows(scene, expected, false);
  scene.memory -= 3;
  expect_rows(scene, expected);
}

TEST_F(SortedRows, TruncatedCsvIsAnError) {
  write_csv();
  const Scene scene = scene_with("map: {x: x, y: x, radius: 1px}, order: v", "csv");
  std::filesystem::resize_file(folder_ / "sorted_rows.csv", 4096);
  CircleSource source(scene);
  Circles none;
  try {
    source.at(0, none);
    FAIL() << "no error";
  } catch (const Error& error) {
    EXPECT_EQ(error.exit_code(), ExitCode::kRuntimeFailure);
    EXPECT_EQ(std::string(error.what()),
              folder_ / "sorted_rows.csv" + std::string(": has changed while it was read"));
  }
}

TEST_F(SortedRows, TruncatedFileIsAnError) {
  const Scene scene = scene_with("map: {x: x, y: x, radius: 1px}, order: v");
  CircleSource source(scene);
  Circles none, all;
  const CircleStream stream = source.at(0, none);
  std::filesystem::resize_file(path_, 4096);
  try {
    stream.all(all);
    FAIL() << "no error";
  } catch (const Error& error) {
    EXPECT_EQ(error.exit_code(), ExitCode::kRuntimeFailure);
    EXPECT_EQ(std::string(error.what()), path_ + ": has changed while it was read");
  }
}

/// Compares with a stable sort: NaN lowest, rows of equal numbers in their order.
void expect_sorted(const std::vector<double>& numbers, bool descending) {
  std::vector<std::uint32_t> all(numbers.size());
  std::iota(all.begin(), all.end(), 0U);
  NumberOrder order(numbers.size());
  constexpr std::size_t kBlock = 8192;
  for (std::size_t i = 0; i < numbers.size(); i += kBlock) {
    const std::size_t count = std::min(kBlock, numbers.size() - i);
    order.add(i, std::span(numbers).subspan(i, count), std::span(all).first(count), descending);
  }
  std::stable_sort(all.begin(), all.end(), [&](std::uint32_t a, std::uint32_t b) {
    if (std::isnan(numbers[a]) || std::isnan(numbers[b]))
      return std::isnan(numbers[a]) && !std::isnan(numbers[b]);
    return descending ? numbers[a] > numbers[b] : numbers[a] < numbers[b];
  });
  const RowNumbers sorted = order.sorted();
  EXPECT_TRUE(std::equal(all.begin(), all.end(), sorted.begin(), sorted.end()));
}

TEST(NumberOrder, MatchesAStableSort) {
  if (kSanitized) GTEST_SKIP() << "compares millions of numbers";
  std::mt19937_64 engine(5);
  constexpr double kInfinity = std::numeric_limits<double>::infinity();
  const auto check = [](std::size_t count, const auto& number) {
    std::vector<double> numbers(count);
    for (double& value : numbers) value = number();
    expect_sorted(numbers, false);
    expect_sorted(numbers, true);
  };
  const auto whole = [&](std::uint64_t below) { return static_cast<double>(engine() % below); };
  const auto near_one = [&] { return 1 + whole(1024) * 0x1p-52; };
  for (const std::size_t count : {0u, 1u, 2u, 33'000u, 200'000u})
    check(count,
          [&] { return std::ldexp(whole(1U << 20) - 1e5, static_cast<int>(whole(2000)) - 1000); });
  check(200'000, [] { return 1.0; });
  check(200'000, [&] { return whole(3) - 1; });
  check(200'000, [&] { return whole(3) == 0 ? std::nan("") : near_one(); });
  // All but some in one bucket of the first bits, and again of the next ones.
  check(200'000, [&] { return whole(10'000) == 0 ? kInfinity : whole(10) == 0 ? 0 : near_one(); });
  check(200'000, [&] { return whole(100) == 0 ? -1e300 : 1e9 + whole(1'000'000); });
  double ascending = 0;
  check(200'000, [&] { return ++ascending; });
}

}  // namespace
}  // namespace roundel
