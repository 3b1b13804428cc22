#include "renderer/data/npy.h"

#include <sys/stat.h>
#include <xxhash.h>

#include <chrono>
#include <cmath>
#include <cstring>
#include <limits>
#include <utility>
#include <vector>

#include "renderer/base/atomic_file.h"
#include "renderer/data/column_table.h"
#include "tests/data/table_values.h"
#include "tests/testing.h"

namespace roundel {
namespace {

// Returns an .npy file of format version 1 with this header text.
std::string npy(const std::string& header, const std::string& elements = "", char version = 1) {
  std::string file = std::string("\x93NUMPY") + version + '\0';
  const std::size_t length_bytes = version == 1 ? 2 : 4;
  for (std::size_t i = 0; i < length_bytes; ++i)
    file += static_cast<char>((header.size() >> (8 * i)) & 0xFF);
  return file + header + elements;
}
std::string dict(const std::string& descr, const std::string& order, const std::string& shape) {
  return "{'descr': " + descr + ", 'fortran_order': " + order + ", 'shape': " + shape + ", }\n";
}
const std::string kTwoByThree = dict("'<f4'", "False", "(2, 3)");

template <typename T>
std::string bytes_of(const std::vector<T>& values) {
  std::string bytes(values.size() * sizeof(T), '\0');
  std::memcpy(bytes.data(), values.data(), bytes.size());
  return bytes;
}

class Npy : public testing::Test {
 protected:
  std::unique_ptr<Table> open(const std::string& file) {
    return open_table(folder.write("a.npy", file));
  }
  std::vector<double> values_of(const std::string& file) { return roundel::values_of(*open(file)); }
  std::string problem(const std::string& file) {
    const std::string path = folder.write("a.npy", file);
    const std::string error = message_of([&] { open_table(path); });
    EXPECT_TRUE(error.starts_with(path + ": ")) << error;
    return error.substr(path.size() + 2);
  }
  TemporaryFolder folder;
};

TEST_F(Npy, ReadsFloatsAndDoublesExactly) {
  const std::vector<float> values = {0.1f, 2, 3, 4, 5, 1e-40f};
  const auto floats = open(npy(kTwoByThree, bytes_of(values)));
  EXPECT_EQ(floats->rows(), 2u);
  EXPECT_EQ(floats->columns().size(), 3u);
  EXPECT_EQ(floats->columns()[2].name, "");
  EXPECT_TRUE(floats->fits_float());
  EXPECT_EQ(roundel::values_of(*floats), (std::vector<double>{values.begin(), values.end()}));
  const TableRows row = rows_of(*floats, 1, 1);
  EXPECT_EQ(row.numbers(0)[0], 4);
  EXPECT_EQ(row.numbers(2)[0], double{1e-40f});
  EXPECT_EQ(floats->place_of(1, 2), "row 1: column 2");

  const std::vector<double> others = {0.1, -1e300, 7};
  const auto doubles = open(npy(dict("'<f8'", "False", "(3, 1)"), bytes_of(others)));
  EXPECT_EQ(doubles->rows(), 3u);
  EXPECT_EQ(doubles->columns().size(), 1u);
  EXPECT_FALSE(doubles->fits_float());
  EXPECT_EQ(roundel::values_of(*doubles), others);
}

TEST_F(Npy, HashCoversAllBytesOfTheFile) {
  std::string file = npy(dict("'<f4'", "False", "(250000, 3)"), std::string(3'000'000, 'a'));
  for (std::size_t i = 0; i < 3'000'000; i += 7) file[file.size() - 1 - i] = static_cast<char>(i);
  EXPECT_EQ(open(file)->content_hash(), XXH3_64bits(file.data(), file.size()));
}

TEST_F(Npy, ReadsEveryStyleOfHeader) {
  const std::string elements = bytes_of<float>({1, 2, 3, 4, 5, 6});
  for (const char version : {char{1}, char{2}, char{3}})
    EXPECT_EQ(values_of(npy(kTwoByThree, elements, version)).at(5), 6);
  for (const std::string header :
       {"{'shape': (2, 3), 'fortran_order': False, 'descr': '<f4'}",
        "{\"descr\":\"<f4\",\"fortran_order\":False,\"shape\":(2,3,)}     \n",
        " { 'descr' : '<f4' , 'fortran_order' : False , 'shape' : ( 2 , 3 ) , } "})
    EXPECT_EQ(values_of(npy(header, elements)).at(5), 6) << header;
}

TEST_F(Npy, ReadsEveryNumberTypeInBothByteOrders) {
  const auto number = [this](const std::string& type, const std::string& bytes) {
    return values_of(npy(dict("'" + type + "'", "False", "(1,)"), bytes)).at(0);
  };
  using namespace std::string_literals;
  EXPECT_EQ(number("|b1", "\x02"), 1);
  EXPECT_EQ(number("|i1", "\xfe"), -2);
  EXPECT_EQ(number("|u1", "\xfe"), 254);
  EXPECT_EQ(number("<i2", "\xfe\xff"), -2);
  EXPECT_EQ(number(">i2", "\xff\xfe"), -2);
  EXPECT_EQ(number(">u2", "\xff\xfe"), 65534);
  EXPECT_EQ(number("<i4", "\xfe\xff\xff\xff"), -2);
  EXPECT_EQ(number(">u4", "\xff\xff\xff\xfe"), 4294967294);
  EXPECT_EQ(number(">i8", "\0\0\0\0\0\0\1\0"s), 256);
  EXPECT_EQ(number("<u8", "\xff\xff\xff\xff\xff\xff\xff\xff"), 0x1p64) << "rounded";
  EXPECT_EQ(number(">f4", "\x3f\xc0\0\0"s), 1.5);
  EXPECT_EQ(number(">f8", "\x3f\xf8\0\0\0\0\0\0"s), 1.5);
  EXPECT_EQ(number("<f2", "\0\x3e"s), 1.5);
  EXPECT_EQ(number(">f2", "\x80\1"s), -0x1p-24);
  EXPECT_EQ(number("<f2", "\xff\x7b"), 65504);
  EXPECT_EQ(number("<f2", "\0\xfc"s), -std::numeric_limits<double>::infinity());
  EXPECT_TRUE(std::isnan(number("<f2", "\1\x7c"s)));
  EXPECT_EQ(number("<M8[ns]", "\1\0\0\0\0\0\0\0"s), 1);
  EXPECT_TRUE(std::isnan(number("<m8", "\0\0\0\0\0\0\0\x80"s))) << "NaT";
}

TEST_F(Npy, ReadsFortranOrder) {
  const auto array =
      open(npy(dict("'<f4'", "True", "(2, 3)"), bytes_of<float>({1, 4, 2, 5, 3, 6})));
  EXPECT_EQ(roundel::values_of(*array), (std::vector<double>{1, 2, 3, 4, 5, 6}));
  EXPECT_EQ(rows_of(*array, 1, 1).numbers(2)[0], 6);
}

TEST_F(Npy, FieldsOfStructuresAreColumns) {
  const auto array = open(npy(
      dict("[('x', '>f4'), (('title', 'rgb'), '|u1', (2,)), ('', '|V1'), ('in', [('k', '<i2')])]",
           "False", "(2,)"),
      std::string("\x3f\x80\0\0\x0a\x0b_\1\0\x40\0\0\0\x14\x15_\2\0", 18)));
  ASSERT_EQ(array->columns().size(), 4u);
  EXPECT_EQ(roundel::values_of(*array), (std::vector<double>{1, 10, 11, 1, 2, 20, 21, 2}));
  EXPECT_EQ(find_column(*array, "x"), 0u);
  EXPECT_EQ(find_column(*array, "rgb[1]"), 2u);
  EXPECT_EQ(find_column(*array, "in.k"), 3u);
  EXPECT_EQ(find_column(*array, ""), std::nullopt);
  EXPECT_EQ(array->columns()[1].one, 255);
  EXPECT_EQ(array->columns()[3].one, 1);
  EXPECT_EQ(missing_column_text(*array, "rgb"),
            array->path() + " has no column \"rgb\"; there are x, rgb[0], rgb[1] and in.k");
  EXPECT_EQ(array->place_of(1, 3), "row 1: in.k");

  EXPECT_EQ(problem(npy(dict("[('x', '<f4'), ('x', '<f4')]", "False", "(0,)"))),
            "columns 0 and 1 (counted from 0) are both named \"x\"");
  EXPECT_EQ(problem(npy(dict("[('x', '<f4', (60000, 2))]", "False", "(0,)"))),
            "an element has too many fields (at most 65536)");
  EXPECT_EQ(problem(npy(dict("[('', '|V1', (4000000000, 4000000000))]", "False", "(0,)"))),
            "an element is too large (at most 16777216 bytes)");
}

TEST_F(Npy, ReadsTextsWithoutTheirPadding) {
  const auto array = open(npy(dict("[('b', '|S3'), ('u', '<U2')]", "False", "(2,)"),
                              std::string("ab\0\xb5\0\0\0\0\0\0\0"
                                          "abc\x3c\xd8\0\0\x34\xf3\1\0",
                                          22)));
  EXPECT_TRUE(array->columns()[0].is_text);
  const TableRows rows = rows_of(*array, 0, 2);
  EXPECT_EQ(rows.texts(0)[0], "ab");
  EXPECT_EQ(rows.texts(1)[0], "µ");
  EXPECT_EQ(rows.texts(0)[1], "abc");
  EXPECT_EQ(rows.texts(1)[1], "\uFFFD\U0001F334") << "half a pair of UTF-16 is no character";
  EXPECT_TRUE(rows.numbers(0).empty());
}

TEST_F(Npy, ReadsALongHeader) {
  const std::string elements = bytes_of<float>({1, 2, 3, 4, 5, 6});
  const std::string longest = kTwoByThree + std::string(10'000 - kTwoByThree.size(), ' ');
  for (const char version : {char{1}, char{2}})
    EXPECT_EQ(values_of(npy(longest, elements, version)).at(5), 6);
  EXPECT_EQ(problem(npy(longest + " ", elements)),
            "a header of 10001 bytes is too long (at most 10000)");
}

TEST_F(Npy, ReadsAnEmptyArray) {
  EXPECT_TRUE(values_of(npy(dict("'<f4'", "False", "(0, 4)"))).empty());
}

TEST_F(Npy, OpenArrayKeepsItsFile) {
  const std::string old_file = npy(kTwoByThree, bytes_of<float>({1, 2, 3, 4, 5, 6}));
  const auto array = open(old_file);
  const std::uint64_t hash = array->content_hash();
  std::filesystem::rename(folder.write("b.npy", npy(kTwoByThree, std::string(24, '\1'))),
                          folder / "a.npy");
  EXPECT_EQ(roundel::values_of(*array).at(5), 6);
  EXPECT_EQ(array->content_hash(), hash);
  array->check_unchanged();
}

TEST_F(Npy, RejectsATruncatedFile) {
  const std::string path =
      folder.write("a.npy", npy(dict("'<f8'", "False", "(100000, 1)"), std::string(800'000, '\0')));
  const auto array = open_table(path);
  std::filesystem::resize_file(path, 4096);
  EXPECT_EQ(message_of([&] { roundel::values_of(*array); }, ExitCode::kRuntimeFailure),
            path + ": has changed while it was read");
  EXPECT_EQ(message_of([&] { (void)array->content_hash(); }, ExitCode::kRuntimeFailure),
            path + ": has changed while it was read");
}

TEST_F(Npy, RejectsARewrittenFile) {
  const std::string path =
      folder.write("a.npy", npy(kTwoByThree, bytes_of<float>({1, 2, 3, 4, 5, 6})));
  namespace fs = std::filesystem;
  fs::last_write_time(path, fs::last_write_time(path) - std::chrono::seconds(10));
  const auto array = open_table(path);
  array->check_unchanged();
  folder.write("a.npy", npy(kTwoByThree, bytes_of<float>({1, 2, 3, 4, 5, 7})));
  EXPECT_EQ(message_of([&] { array->check_unchanged(); }, ExitCode::kRuntimeFailure),
            path + ": has changed while it was read");
}

TEST_F(Npy, WrittenArraysRoundTrip) {
  std::vector<float> values(7000);
  for (std::size_t i = 0; i < values.size(); ++i) values[i] = 0.1f * static_cast<float>(i);
  folder.write("w.npy", npy_file(values, 1000, 7));
  const auto array = open_table(folder / "w.npy");
  ASSERT_EQ(array->rows(), 1000u);
  ASSERT_EQ(array->columns().size(), 7u);
  EXPECT_EQ(roundel::values_of(*array), (std::vector<double>{values.begin(), values.end()}));
  EXPECT_EQ((std::filesystem::file_size(folder / "w.npy") - values.size() * sizeof(float)) % 64, 0u)
      << "NumPy aligns the elements to 64 bytes";
}

TEST_F(Npy, ReadsTheReferenceFlakes) {
  const std::string path = ROUNDEL_SOURCE_DIR "/../shared/reference/data/snow_seed1_step300.npy";
  if (!std::filesystem::exists(path)) GTEST_SKIP() << "needs the reference data";
  const auto array = open_table(path);
  EXPECT_EQ(array->rows(), 100000u);
  EXPECT_EQ(array->columns().size(), 4u);
  const std::vector<double> values = roundel::values_of(*array);
  for (std::size_t i = 2; i < values.size(); i += 4) {
    ASSERT_GE(values[i], 0);
    ASSERT_LE(values[i], 1);
  }
}

TEST_F(Npy, RejectsOtherPaths) {
  EXPECT_EQ(message_of([&] { open_table(folder / "none.npy"); }),
            (folder / "none.npy") + ": no such file");
  EXPECT_EQ(message_of([&] { open_table(folder / ""); }),
            (folder / "") + ": expected a file, got a directory");
  ASSERT_EQ(::mkfifo((folder / "fifo").c_str(), 0600), 0);
  EXPECT_EQ(message_of([&] { open_table(folder / "fifo"); }),
            (folder / "fifo") + ": expected a regular file");
}

TEST_F(Npy, RejectsOtherFiles) {
  EXPECT_EQ(problem(""), "expected an .npy array, got an empty file");
  EXPECT_EQ(problem("x, y, radius\n1, 2, 3\n"),
            "expected an .npy array, but it does not start like one");
  EXPECT_EQ(problem("\x93NUMP"), "expected an .npy array, but it does not start like one");
  EXPECT_EQ(problem("\x93NUMPY"), "the file ends within its header");
  EXPECT_EQ(problem(std::string("\x93NUMPY\x01\0\x76", 9)), "the file ends within its header");
  EXPECT_EQ(problem(std::string("\x93NUMPY\x04\0\x10\0\0\0", 12)),
            "expected .npy format version 1, 2 or 3, got 4");
  EXPECT_EQ(problem(npy(kTwoByThree).substr(0, 30)), "the file ends within its header");
  EXPECT_EQ(problem(std::string("\x93NUMPY\x02\0\xff\xff\xff\xff", 12)),
            "a header of 4294967295 bytes is too long (at most 10000)");
}

TEST_F(Npy, RejectsOtherElementTypesOrdersAndShapes) {
  for (const std::string type :
       {"<f16", "<f1", "<i3", "<i", "|b2", "<c4", "<M4", "<x4", "<f4 ", "4", ""})
    EXPECT_EQ(problem(npy(dict("'" + type + "'", "False", "(2, 3)"))),
              "expected numbers or texts, got elements of type \"" + type + "\"");
  EXPECT_EQ(problem(npy(dict("'|O'", "False", "(2, 3)"))),
            "expected numbers or texts, got elements of type \"|O\" (Python objects)");
  EXPECT_EQ(problem(npy(dict("[('x', '<f4'), ('y', '|V4')]", "False", "(2,)"))),
            "y: expected numbers or texts, got elements of type \"|V4\"");
  EXPECT_EQ(problem(npy(dict("'|V4'", "False", "(2,)"))), "expected at least one column");
  EXPECT_EQ(problem(npy(dict("'<f4'", "False", "(2, 0)"))), "expected at least one column");
  EXPECT_EQ(problem(npy(dict("'|S0'", "False", "(2, 3)"))),
            "expected elements of at least one byte");
  EXPECT_EQ(problem(npy(dict("'<f4'", "False", "()"), "1234")),
            "expected an array [n] or [n, k], got 0 dimensions");
  EXPECT_EQ(problem(npy(dict("'<f4'", "False", "(1, 2, 3)"))),
            "expected an array [n] or [n, k], got 3 dimensions");
  EXPECT_EQ(problem(npy(dict("[('x', '<f4')]", "False", "(2, 3)"))),
            "expected a structured array [n], got 2 dimensions");
}

TEST_F(Npy, RejectsSizesThatDoNotMatchTheFile) {
  const std::string elements = bytes_of<float>({1, 2, 3, 4, 5, 6});
  EXPECT_EQ(problem(npy(kTwoByThree, elements.substr(1))),
            "expected 24 bytes of elements for the shape (2, 3), got 23");
  EXPECT_EQ(problem(npy(kTwoByThree, elements + "x")),
            "expected 24 bytes of elements for the shape (2, 3), got 25");
  EXPECT_EQ(problem(npy(dict("'<f4'", "False", "(4294967296, 4294967296)"), elements)),
            "rows of 4,294,967,296 elements are too long (at most 65,536)");
  EXPECT_EQ(problem(npy(dict("'|S4000'", "False", "(2, 65536)"), elements)),
            "rows of 65,536 elements with 4,000 bytes each are too long (at most 16,777,216)");
  EXPECT_EQ(problem(npy(dict("'<f8'", "False", "(2305843009213693952, 1)"), elements)),
            "the shape (2305843009213693952, 1) is too large");
  EXPECT_EQ(problem(npy(dict("'<f4'", "False", "(99999999999999999999, 1)"), elements)),
            "the shape's numbers are too large");
}

TEST_F(Npy, ColumnsInMemoryEqualTheirFile) {
  struct Row {
    float x, unused;
    std::uint16_t kind;
  };
  std::vector<Row> rows(20'000);
  std::vector<double> values(2 * rows.size());
  const char texts[] = "ab\0cdef";
  for (std::size_t i = 0; i < rows.size(); ++i) {
    rows[i] = {static_cast<float>(i) / 3, 0, static_cast<std::uint16_t>(i * i)};
    values[2 * i] = std::sqrt(static_cast<double>(i));
  }
  const auto bytes = [](const auto& first) { return reinterpret_cast<const std::byte*>(&first); };
  const ColumnTable table("here",
                          {{"x", "<f4", bytes(rows[0].x), sizeof(Row), nullptr},
                           {"v\u00e4lue", "<f8", bytes(values[0]), 2 * sizeof(double), nullptr},
                           {"kind", "<u2", bytes(rows[0].kind), sizeof(Row), nullptr},
                           {"text", "|S3", bytes(texts[0]), 0, nullptr}},
                          rows.size());
  const std::string path = folder.write("columns.npy", "");
  AtomicFile written(path);
  table.write(written);
  written.commit();
  const std::unique_ptr<Table> file = open_table(path);
  EXPECT_EQ(table.content_hash(), file->content_hash());
  ASSERT_EQ(file->columns().size(), 4u);
  for (const Table* const one : std::initializer_list<const Table*>{&table, file.get()}) {
    EXPECT_EQ(one->columns()[1].name, "v\u00e4lue");
    const TableRows read = rows_of(*one, 9'000, 2'000);
    for (std::size_t i = 0; i < 2'000; ++i) {
      ASSERT_EQ(read.numbers(0)[i], double{rows[9'000 + i].x});
      ASSERT_EQ(read.numbers(1)[i], values[2 * (9'000 + i)]);
      ASSERT_EQ(read.numbers(2)[i], rows[9'000 + i].kind);
      ASSERT_EQ(read.texts(3)[i], "ab");
    }
  }
  EXPECT_EQ(message_of([&] {
              ColumnTable("here", {{"it's", "<f4", bytes(rows[0].x), 4, nullptr}}, 1);
            }),
            "here: expected columns with names, without quotes and backslashes, got \"it's\"");
}

TEST_F(Npy, RejectsMalformedHeaders) {
  for (const std::string header :
       {"", "{", "}", "[]", "{'descr'", "{'descr':", "{'descr': '<f4'", "{'descr': '<f4",
        "{'descr' '<f4'}", "{'descr': 7}", "{'fortran_order': 0}", "{'fortran_order': Falsely}",
        "{'shape': 2}", "{'shape': (2, 3}", "{'shape': (2 3)}", "{'shape': (-2, 3)}",
        "{'shape': (2.0, 3)}", "{'shape': (,)}", "{'shape': ((2), 3)}"})
    EXPECT_TRUE(problem(npy(header)).starts_with("malformed header at \"")) << header;
  EXPECT_EQ(problem(npy(kTwoByThree + "x")), "malformed header at \"x\"");
  EXPECT_EQ(problem(npy("{}")), "expected the keys descr, fortran_order and shape in the header");
  EXPECT_EQ(problem(npy("{'descr': '<f4', 'shape': (2, 3)}")),
            "expected the keys descr, fortran_order and shape in the header");
  EXPECT_EQ(problem(npy("{'descr': '<f4', 'descr': '<f8'}")),
            "unexpected key \"descr\" in the header");
  EXPECT_EQ(problem(npy("{'color': 'red'}")), "unexpected key \"color\" in the header");
}

}  // namespace
}  // namespace roundel
