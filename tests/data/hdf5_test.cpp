#include <array>
#include <cstdlib>
#include <memory>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "renderer/data/table.h"
#include "tests/data/table_values.h"
#include "tests/testing.h"

namespace roundel {
namespace {

constexpr std::uint64_t kRows = 100'000;

/// Files of make_tables.py.
class Files : public testing::Test {
 protected:
  static void SetUpTestSuite() {
    if (std::system(ROUNDEL_PYTHON " -c 'import h5py' 2>/dev/null") != 0) return;
    folder_ = std::make_unique<TemporaryFolder>();
    const std::string command = std::string(ROUNDEL_PYTHON) + " " + ROUNDEL_SOURCE_DIR +
                                "/tests/data/make_tables.py " + folder_->path().string();
    ASSERT_EQ(std::system(command.c_str()), 0);
  }
  static void TearDownTestSuite() { folder_.reset(); }
  void SetUp() override {
    if (!folder_) GTEST_SKIP() << "needs h5py (python3-h5py)";
  }

  static std::unique_ptr<Table> open(const std::string& name, const std::string& dataset = "") {
    return open_table(*folder_ / name, {dataset});
  }
  static std::string problem(const std::string& name, const std::string& dataset = "") {
    const std::string path = *folder_ / name;
    const std::string error = message_of([&] { open_table(path, {dataset}); });
    EXPECT_TRUE(error.starts_with(path + ": ")) << error;
    return error.substr(path.size() + 2);
  }

  /// Returns true if the column of this name, or number, holds value(row), in runs and at single
  /// rows.
  template <typename Value>
  static void expect_numbers(const Table& table, std::size_t column, const Value& value) {
    ASSERT_LT(column, table.columns().size());
    ASSERT_EQ(table.rows(), kRows);
    TableRows rows;
    const std::size_t columns[] = {column};
    for (const auto& [first, count] : std::vector<std::pair<std::uint64_t, std::uint64_t>>{
             {0, kRows}, {99'999, 1}, {2'999, 2}, {50'001, 12'345}}) {
      table.read(columns, first, count, rows);
      for (std::size_t i = 0; i < count; ++i)
        ASSERT_EQ(rows.numbers(0)[i], value(static_cast<double>(first + i))) << first + i;
    }
  }
  static void expect_texts(const Table& table, std::size_t column, std::uint64_t first,
                           std::uint64_t count) {
    TableRows rows;
    const std::size_t columns[] = {column};
    table.read(columns, first, count, rows);
    for (std::size_t i = 0; i < count; ++i)
      ASSERT_EQ(rows.texts(0)[i], "k" + std::to_string((first + i) % 7));
  }
  static std::size_t column(const Table& table, const std::string& name) {
    return find_column(table, name).value_or(table.columns().size());
  }

  static std::unique_ptr<TemporaryFolder> folder_;
};
std::unique_ptr<TemporaryFolder> Files::folder_;

const auto kNumber = [](double n) { return n; };
const auto kHalf = [](double n) { return n / 2; };
const auto kSmall = [](double n) { return static_cast<double>(static_cast<int>(n) % 256); };

using NumpyFiles = Files;
using Hdf5 = Files;

TEST_F(NumpyFiles, MatchNumpysValues) {
  for (const std::string name : {"stored.npz", "deflated.npz", "fortran.npy", "structured.npy"}) {
    const auto table = open(name);
    const bool has_names = name != "fortran.npy";
    expect_numbers(*table, has_names ? column(*table, "n") : 0, kNumber);
    expect_numbers(*table, has_names ? column(*table, "half") : 1, kHalf);
    expect_numbers(*table, has_names ? column(*table, "small") : 2, kSmall);
  }
  const auto table = open("structured.npy");
  expect_numbers(*table, column(*table, "rgb[1]"), [](double n) { return n + .25; });
  expect_texts(*table, column(*table, "name"), 0, kRows);
  EXPECT_EQ(values_of(*open("blanks.txt")).at(3 * 301 + 1), 150.5);
}

TEST_F(Hdf5, DatasetOfAGroupIsAColumn) {
  const auto table = open("groups.h5", "cells");
  EXPECT_EQ(table->columns().size(), 10u);
  expect_numbers(*table, column(*table, "n"), kNumber);
  expect_numbers(*table, column(*table, "half"), kHalf);
  expect_numbers(*table, column(*table, "small"), kSmall);
  expect_numbers(*table, column(*table, "even"),
                 [](double n) { return static_cast<int>(n) % 2 == 0 ? 1.0 : 0.0; });
  expect_numbers(*table, column(*table, "f2"),
                 [](double n) { return static_cast<double>(static_cast<int>(n) % 100); });
  expect_numbers(*table, column(*table, "rgb[2]"), [](double n) { return n + .5; });
  expect_texts(*table, column(*table, "name"), 0, kRows);
  expect_texts(*table, column(*table, "fixed"), 77, 1000);
  EXPECT_EQ(table->columns()[column(*table, "small")].one, 255);
}

TEST_F(Hdf5, DatasetOfCompoundsIsATable) {
  for (const std::string dataset : {"", "table", "/table"}) {
    const auto table = open("compound.h5", dataset);
    expect_numbers(*table, column(*table, "n"), kNumber);
    expect_numbers(*table, column(*table, "half"), kHalf);
    expect_numbers(*table, column(*table, "rgb[1]"), [](double n) { return n + .25; });
    expect_numbers(*table, column(*table, "in.k"),
                   [](double n) { return static_cast<double>(static_cast<int>(n) % 1000); });
    expect_texts(*table, column(*table, "name"), 0, kRows);
  }
}

TEST_F(Hdf5, ArrayIsATableWithoutNames) {
  for (const std::string name : {"array.h5", "chunked_array.h5"}) {
    const auto table = open(name);
    EXPECT_EQ(table->columns().at(0).name, "");
    expect_numbers(*table, 0, kNumber);
    expect_numbers(*table, 1, kHalf);
    expect_numbers(*table, 2, kSmall);
  }
}

TEST_F(Hdf5, ManyThreadsReadAtOnce) {
  const auto table = open("groups.h5", "cells");
  std::vector<std::thread> threads;
  for (int t = 0; t < 4; ++t)
    threads.emplace_back([&] {
      expect_numbers(*table, column(*table, "half"), kHalf);
      expect_texts(*table, column(*table, "name"), 0, 20'000);
    });
  for (std::thread& thread : threads) thread.join();
}

TEST_F(Hdf5, RejectsOtherFiles) {
  EXPECT_EQ(problem("groups.h5"),
            "\"/\" has no dataset [n] or [n, k]; name one with \"dataset\"; there are cells, "
            "cube, deep, genes, link and scalar");
  EXPECT_EQ(problem("groups.h5", "cell"),
            "has no dataset or group \"cell\"; at its root there are cells, "
            "cube, deep, genes, link and scalar");
  EXPECT_EQ(problem("groups.h5", "link"), "\"link\" leads to another file or to nothing");
  EXPECT_EQ(problem("groups.h5", "cube"),
            "cube: expected a dataset [n] or [n, k], got 3 dimensions");
  EXPECT_EQ(problem("groups.h5", "scalar"),
            "scalar: expected a dataset [n] or [n, k], got 0 dimensions");
  EXPECT_EQ(problem("virtual.h5"), "/v: its rows are in other files");
  EXPECT_EQ(problem("external.h5"), "/x: its rows are in other files");
  EXPECT_EQ(problem("filter.h5").substr(0, 23), "/x: needs filter 32015 ");
  EXPECT_EQ(problem("large_chunks.h5"), "/x: its chunks are too large (at most 268435456 bytes)");
  EXPECT_EQ(problem("types.h5", "reference"), "reference: expected numbers or texts");
  EXPECT_EQ(problem("types.h5", "list"), "list: expected numbers or texts");
  EXPECT_EQ(values_of(*open("types.h5", "complex")).size(), 6u);
}

TEST_F(Hdf5, OnlyUsedColumnsMustBeReadableAndOfOneLength) {
  const std::shared_ptr<const Table> mixed = open("mixed.h5");
  const auto number = [&](const std::string& name) { return find_column(*mixed, name).value(); };
  EXPECT_EQ(describe_columns(*mixed),
            "there are longer (3 rows), table.a (2 rows), x (100,000 rows) and y (100,000 rows)");
  const auto used = table_for(mixed, {number("x"), number("y")});
  expect_numbers(*used, number("x"), kNumber);
  expect_numbers(*used, number("y"), kHalf);
  EXPECT_EQ(
      message_of([&] {
        table_for(mixed, {number("x"), number("longer")});
      }),
      mixed->path() + ": expected columns of the same length, but x has 100,000 rows, longer 3");
  TableRows rows;
  const std::size_t columns[] = {number("table.a")};
  table_for(mixed, {number("table.a")})->read(columns, 0, 2, rows);
  EXPECT_EQ(rows.numbers(0)[1], 1);
  const auto reason = [&](const std::string& name) {
    const std::string text = missing_column_text(*mixed, name),
                      start = mixed->path() + ": " + name + ": ";
    EXPECT_TRUE(text.starts_with(start)) << text;
    return text.substr(std::min(text.size(), start.size()));
  };
  EXPECT_EQ(reason("box"), "expected a dataset [n] or [n, k], got 0 dimensions");
  EXPECT_EQ(reason("cube"), "expected a dataset [n] or [n, k], got 3 dimensions");
  EXPECT_EQ(reason("link"), "leads to another file or to nothing");
  EXPECT_EQ(reason("packed").substr(0, 19), "needs filter 32015 ");
  for (const std::string name : {"list", "long", "opaque", "reference", "table.b"})
    EXPECT_EQ(reason(name), "expected numbers or texts");
  EXPECT_TRUE(
      missing_column_text(*used, "z")
          .ends_with("; not as columns: box (expected a dataset [n] or [n, k], got 0 dimensions), "
                     "cube (expected a dataset [n] or [n, k], got 3 dimensions), link (leads to "
                     "another file or to nothing), list (expected numbers or texts), "
                     "long (expected numbers or texts) and 4 more"))
      << missing_column_text(*used, "z");
}

TEST_F(Hdf5, TablesOfOtherLibrariesAreReportedWithARemedy) {
  const std::string pandas =
      "\"df\" is a table of pandas: draw it in Python, as df = pandas.read_hdf(FILE, \"df\"); "
      "scene.add(df, x=\"x\", y=\"y\", radius=\"2px\")";
  EXPECT_EQ(problem("pandas.h5"), pandas);
  EXPECT_EQ(problem("pandas.h5", "df"), pandas);
  EXPECT_EQ(open("pandas.h5", "df/block0_values")->columns().size(), 2u);
  EXPECT_EQ(problem("pandas_table.h5"), pandas);
  const auto table = open("pandas_table.h5", "df");
  EXPECT_EQ(missing_column_text(*table, "x"),
            table->path() +
                " has no column \"x\"; there are table.index and table.values_block_0[0]; it is a "
                "table of pandas, which has the names in Python: df = pandas.read_hdf(FILE), then "
                "scene.add(df, x=\"x\", y=\"y\", radius=\"2px\")");
  EXPECT_TRUE(
      problem("cells.h5ad")
          .starts_with("is a file of AnnData: name one of its datasets, as dataset: obsm/X_umap or "
                       "dataset: X, or "
                       "draw it in Python, as a = anndata.read_h5ad(FILE); scene.add(a.obs, "));
  EXPECT_EQ(open("cells.h5ad", "X")->columns().size(), 3u);
  EXPECT_EQ(open("cells.h5ad", "obsm/X_umap")->columns().size(), 2u);
  const auto obs = open("cells.h5ad", "obs");
  EXPECT_EQ(missing_column_text(*obs, "cell_type"),
            obs->path() +
                " has no column \"cell_type\"; there are _index and score; it is a table of "
                "AnnData, which has its categories in Python: a = anndata.read_h5ad(FILE), then "
                "scene.add(a.obs, ...)");
}

TEST_F(Hdf5, RejectsTruncatedFiles) {
  const std::vector<std::uint8_t> file = read_bytes(*folder_ / "groups.h5");
  for (const std::size_t size : {8u, 100u, 2000u, 100'000u, 1'000'000u}) {
    write_bytes(*folder_ / "short.h5", std::span(file).first(size));
    EXPECT_TRUE(problem("short.h5", "cells").starts_with("cannot be read as HDF5: ")) << size;
  }
  write_bytes(*folder_ / "no.h5", std::span(file).subspan(1));
  EXPECT_TRUE(problem("no.h5").starts_with("cannot be read as HDF5: "));
}

// The first one is a find of a fuzzer.
TEST(Hdf5Types, RejectsRowsShorterThanTheirColumns) {
  const std::string folder = std::string(ROUNDEL_SOURCE_DIR) + "/tests/fuzz/corpus/hdf5/";
  const std::string beyond = folder + "member_beyond_row.h5", empty = folder + "no_columns.h5";
  // Newer versions of libhdf5 may refuse it first.
  EXPECT_TRUE(message_of([&] { open_table(beyond); }).starts_with(beyond + ": "));
  EXPECT_EQ(missing_column_text(*open_table(empty), "a"),
            empty + ": a: expected at least one column");
}

TEST(Hdf5Types, MissingTextsDoNotDependOnTheFirstRow) {
  // A length at the texts is 39 instead of 7, so that libhdf5 1.10.8 finds one of six.
  const std::string path =
      std::string(ROUNDEL_SOURCE_DIR) + "/tests/fuzz/corpus/hdf5/missing_texts.h5";
  const auto table = open_table(path);
  const std::size_t columns[] = {find_column(*table, "kind").value()};
  TableRows rows;
  for (std::uint64_t first = 0; first < 6; ++first) {
    const auto error = catch_error([&] { table->read(columns, first, 6 - first, rows); });
    if (error) {  // newer versions
      EXPECT_TRUE(std::string(error->what()).starts_with(path + ": ")) << error->what();
      continue;
    }
    for (std::uint64_t row = first; row < 6; ++row)
      EXPECT_EQ(rows.texts(0)[row - first], row == 3 ? "aaatext" : "") << first << ' ' << row;
  }
}

}  // namespace
}  // namespace roundel
