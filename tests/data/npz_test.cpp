#include <libdeflate.h>

#include <cstring>
#include <iomanip>
#include <random>
#include <sstream>
#include <string>
#include <vector>

#include "renderer/data/table.h"
#include "tests/data/table_values.h"
#include "tests/data/zip_writer.h"
#include "tests/testing.h"

namespace roundel {
namespace {

template <typename T>
std::string npy(const std::string& type, const std::string& shape, const std::vector<T>& values) {
  const std::string header =
      "{'descr': " + type + ", 'fortran_order': False, 'shape': " + shape + "}";
  std::string file = "\x93NUMPY\1" + std::string(1, '\0') + little(header.size(), 2) + header;
  const std::size_t start = file.size();
  file.resize(start + values.size() * sizeof(T));
  std::memcpy(file.data() + start, values.data(), values.size() * sizeof(T));
  return file;
}
std::string floats(const std::vector<float>& values) {
  return npy("'<f4'", "(" + std::to_string(values.size()) + ",)", values);
}

std::string checksum_text(const std::string& bytes) {
  std::ostringstream text;
  text << std::hex << std::setw(8) << std::setfill('0')
       << libdeflate_crc32(0, bytes.data(), bytes.size());
  return text.str();
}

class Npz : public testing::Test {
 protected:
  std::unique_ptr<Table> open(const std::string& bytes, const std::string& dataset = "") {
    return open_table(folder.write("a.npz", bytes), {dataset});
  }
  std::string problem(const std::string& bytes, const std::string& dataset = "") {
    const std::string path = folder.write("a.npz", bytes);
    const std::string error = message_of([&] { open_table(path, {dataset}); });
    EXPECT_TRUE(error.starts_with(path + ": ")) << error;
    return error.substr(path.size() + 2);
  }
  std::vector<std::string> names_of(const Table& table) {
    std::vector<std::string> names;
    for (const TableColumn& column : table.columns()) names.push_back(column.name);
    return names;
  }
  TemporaryFolder folder;
};

using Names = std::vector<std::string>;
using Values = std::vector<double>;

TEST_F(Npz, EveryArrayIsAColumn) {
  for (const bool zip64 : {false, true}) {
    for (const bool deflated : {false, true}) {
      const auto table = open(zip_of({{"x.npy", floats({1, 2}), deflated},
                                      {"readme.txt", "no array", false},
                                      {"version.npy", npy<float>("'<f4'", "()", {7}), deflated},
                                      {"p.npy", npy<double>("'<f8'", "(2, 2)", {3, 4, 5, 6})},
                                      {"s.npy", npy<float>("[('a', '<f4')]", "(2,)", {8, 9})}},
                                     zip64));
      EXPECT_EQ(names_of(*table), (Names{"x", "p[0]", "p[1]", "s.a"}));
      EXPECT_EQ(values_of(*table), (Values{1, 3, 4, 8, 2, 5, 6, 9}));
    }
  }
}

TEST_F(Npz, SkipsOtherArrays) {
  const std::string objects = npy<float>("'|O'", "(3,)", {0, 0, 0});
  const std::string box = npy<float>("'<f4'", "(1, 1, 2)", {0, 0});
  const auto table =
      open(zip_of({{"meta.npy", objects}, {"x.npy", floats({1, 2})}, {"box.npy", box, true}}));
  EXPECT_EQ(names_of(*table), (Names{"x"}));
  EXPECT_EQ(values_of(*table), (Values{1, 2}));
  EXPECT_EQ(missing_column_text(*table, "meta"),
            table->path() +
                ": meta: expected numbers or texts, got elements of type \"|O\" (Python "
                "objects)");
  EXPECT_EQ(missing_column_text(*table, "box"),
            table->path() + ": box: expected an array [n] or [n, k], got 3 dimensions");
  EXPECT_EQ(missing_column_text(*table, "y"),
            table->path() +
                " has no column \"y\"; there is x; not as columns: box (expected an array [n] or "
                "[n, k], got 3 dimensions), meta (expected numbers or texts, got elements of type "
                "\"|O\" (Python objects))");
  EXPECT_EQ(problem(zip_of({{"meta.npy", objects}, {"box.npy", box}})),
            "box: expected an array [n] or [n, k], got 3 dimensions");
  EXPECT_EQ(problem(zip_of({{"meta.npy", objects}, {"x.npy", floats({1, 2})}}), "meta"),
            "meta: expected numbers or texts, got elements of type \"|O\" (Python objects)");
}

TEST_F(Npz, SingleArrayMatchesItsFile) {
  EXPECT_EQ(names_of(*open(zip_of({{"x.npy", floats({1, 2})}}))), Names{"x"});
  EXPECT_EQ(names_of(*open(zip_of({{"x.npy", npy<float>("'<f4'", "(1, 2)", {1, 2})}}))),
            (Names{"", ""}));
  const std::string two = zip_of(
      {{"s.npy", npy<float>("[('a', '<f4')]", "(2,)", {8, 9})}, {"x.npy", floats({1, 2, 3})}});
  EXPECT_EQ(names_of(*open(two, "s")), Names{"a"});
  EXPECT_EQ(values_of(*open(two, "x.npy")), (Values{1, 2, 3}));
  EXPECT_EQ(problem(two, "y"), "has no array \"y\"; there are s and x");
}

TEST_F(Npz, OnlyUsedColumnsMustHaveOneLength) {
  const std::shared_ptr<const Table> table =
      open(zip_of({{"edges.npy", npy<float>("'<f4'", "(2, 2)", {0, 1, 2, 3})},
                   {"x.npy", floats({1, 2, 3}), true},
                   {"y.npy", floats({4, 5, 6})},
                   {"version.npy", npy<float>("'<f4'", "()", {7})}}));
  EXPECT_EQ(names_of(*table), (Names{"edges[0]", "edges[1]", "x", "y"}));
  EXPECT_EQ(table_for(table, {1, 0}), table);
  const auto points = table_for(table, {2, 3});
  EXPECT_EQ(points->rows(), 3u);
  EXPECT_EQ(points->content_hash(), table->content_hash());
  TableRows rows;
  points->read(std::vector<std::size_t>{3, 2}, 1, 2, rows);
  EXPECT_EQ(rows.numbers(0)[1], 6);
  EXPECT_EQ(rows.numbers(1)[0], 2);
  EXPECT_EQ(message_of([&] {
              table_for(table, {2, 0});
            }),
            table->path() + ": expected columns of the same length, but x has 3 rows, edges[0] 2");
  for (const auto& of : {table, points})
    EXPECT_EQ(
        missing_column_text(*of, "z"),
        table->path() +
            " has no column \"z\"; there are edges[0] (2 rows), edges[1] (2 rows), x (3 rows) "
            "and y (3 rows); not as columns: version (one value, without rows)");
  EXPECT_EQ(missing_column_text(*table, "version"),
            table->path() + ": version: one value, without rows");
}

TEST_F(Npz, ReadsAnyPartOfADeflatedArray) {
  std::mt19937 random(3);
  std::vector<float> values(3'000'000);
  for (std::size_t i = 0; i < values.size(); ++i)
    values[i] = static_cast<float>(i / 100'000 % 2 == 0 ? random() % 1000 : 5);
  const auto table = open(zip_of({{"x.npy", floats(values), true}}));
  EXPECT_GT(table->memory_bytes(), 8u * 32'768) << "restarts";
  EXPECT_LT(table->memory_bytes(), 16u * 32'768);
  const std::size_t columns[] = {0};
  TableRows rows;
  for (int round = 0; round < 60; ++round) {
    std::uint64_t first = random() % values.size(), count = random() % 300'000;
    if (round % 3 == 0) first = first / table->run_rows() * table->run_rows();
    count = round == 1 ? values.size() - first : std::min(count, values.size() - first);
    table->read(columns, first, count, rows);
    for (std::size_t i = 0; i < count; ++i) ASSERT_EQ(rows.numbers(0)[i], values[first + i]);
  }
}

TEST_F(Npz, RejectsDamagedArchives) {
  const std::string broken = "the archive's directory is broken or cut short";
  for (const bool zip64 : {false, true}) {
    const std::string file = zip_of({{"x.npy", floats({1, 2}), true}}, zip64);
    for (std::size_t size = 4; size < file.size(); ++size)
      EXPECT_EQ(problem(file.substr(0, size)), broken) << size;
    for (std::size_t i = 0; i < file.size(); ++i) {
      for (const char flip : {'\1', '\x7f', '\xff'}) {
        std::string damaged = file;
        damaged[i] = static_cast<char>(damaged[i] ^ flip);
        const std::string path = folder.write("b.npz", damaged);
        try {
          const auto table = open_table(path);
          EXPECT_EQ(values_of(*table), (Values{1, 2})) << "at " << i;
        } catch (const Error& error) {
          EXPECT_EQ(error.exit_code(), ExitCode::kInvalidScene) << error.what();
        }
      }
    }
  }
}

TEST_F(Npz, RejectsFalseSizes) {
  const std::string x = floats({1, 2});
  const auto with = [](std::string file, const std::string& signature, std::size_t at,
                       const std::string& bytes) {
    return file.replace(file.rfind(signature) + at, bytes.size(), bytes);
  };
  const std::string plain = zip_of({{"x.npy", x}}), deflated = zip_of({{"x.npy", x, true}});
  const auto packed = static_cast<unsigned char>(deflated[deflated.rfind("PK\1\2") + 20]);
  EXPECT_EQ(problem(with(deflated, "PK\1\2", 24, little(400'000'000, 4))),
            "x.npy: claims 400000000 bytes, which " + std::to_string(packed) + " cannot hold");
  EXPECT_EQ(problem(with(deflated, "PK\1\2", 24, little(x.size() + 1, 4))),
            "x: unpacks to another number of bytes than it claims");
  EXPECT_EQ(problem(with(deflated, "PK\1\2", 24, little(x.size() - 1, 4))),
            "x: unpacks to another number of bytes than it claims");
  EXPECT_EQ(problem(with(deflated, "PK\1\2", 16, little(7, 4))),
            "x: expected CRC-32 00000007, as the archive's directory says, got " +
                checksum_text(x) + ": the file is damaged");
  EXPECT_EQ(problem(with(plain, "PK\1\2", 16, little(7, 4))),
            "x: expected CRC-32 00000007, as the archive's directory says, got " +
                checksum_text(x) + ": the file is damaged");
  EXPECT_EQ(problem(with(plain, "PK\1\2", 8, little(1, 2))), "x.npy: is encrypted");
  EXPECT_EQ(problem(with(plain, "PK\1\2", 10, little(12, 2))),
            "x.npy: is packed by method 12; expected stored or deflated");
  EXPECT_EQ(problem(with(plain, "PK\1\2", 42, little(1, 4))),
            "x.npy: is not where the archive's directory says");
  EXPECT_EQ(problem(with(plain, "PK\1\2", 20, little(x.size() + 1, 4) + little(x.size() + 1, 4))),
            "x.npy: is cut short");
  EXPECT_EQ(problem(with(plain, "PK\5\6", 10, little(2, 2))),
            "the archive's directory is broken or cut short");
  EXPECT_EQ(problem(zip_of({{"x.npy", x}, {"x.npy", x}})), "two members are named \"x.npy\"");
  EXPECT_EQ(problem(zip_of({{"x.txt", x}})), "expected an archive of .npy arrays, got none");
  EXPECT_EQ(problem(zip_of({{"x.npy", npy<float>("'<f4'", "()", {7})}})),
            "x: one value, without rows");
  EXPECT_EQ(problem(zip_of({{"x.npy", "no array"}})),
            "x: expected an .npy array, but it does not start like one");
  EXPECT_EQ(problem("no archive"), "expected an archive of arrays, but it does not start like one");

  // Two entries for the same bytes.
  std::string twice = zip_of({{"x.npy", std::string(1000, 'x')}, {"y.npy", "y"}});
  const std::size_t first = twice.find("PK\1\2"), second = twice.rfind("PK\1\2");
  twice.replace(second + 20, 26, twice.substr(first + 20, 26));
  EXPECT_EQ(problem(twice), "its members overlap");
}

TEST_F(Npz, DetectsAFlippedBitInAnyArray) {
  std::vector<float> values(2'500'000);  // several tasks, the last one partial
  std::mt19937 random(4);
  for (float& value : values) value = static_cast<float>(random());
  const std::string x = floats(values), y = floats({1, 2});
  const std::string file = zip_of({{"y.npy", y}, {"x.npy", x}});
  EXPECT_EQ(open(file, "x")->rows(), values.size());
  const std::size_t start = file.find(x), end = start + x.size();
  for (const std::size_t at : {start + 200, start + (end - start) / 2, end - 1}) {
    std::string damaged = file;
    damaged[at] = static_cast<char>(damaged[at] ^ 16);
    EXPECT_EQ(problem(damaged, "x"),
              "x: expected CRC-32 " + checksum_text(x) + ", as the archive's directory says, got " +
                  checksum_text(damaged.substr(start, x.size())) + ": the file is damaged");
    EXPECT_EQ(open(damaged, "y")->rows(), 2u) << "which is whole";
  }
}

TEST_F(Npz, RejectsARewrittenDeflatedArray) {
  std::vector<float> values(2'000'000, 1);
  std::mt19937 random(3);
  for (float& value : values) value = static_cast<float>(random());
  const std::string file = zip_of({{"x.npy", floats(values), true}});
  const auto table = open(file);
  folder.write("a.npz", std::string(file.size(), '\xff'));
  EXPECT_EQ(message_of([&] { values_of(*table); }, ExitCode::kRuntimeFailure),
            table->path() + ": has changed while it was read");
}

}  // namespace
}  // namespace roundel
