#include "renderer/scene/npy.h"

#include <sys/stat.h>
#include <xxhash.h>

#include <chrono>
#include <cstring>
#include <utility>
#include <vector>

#include "tests/scene/testing.h"

namespace roundel {
namespace {

// An .npy file of format version 1 with this header text.
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
  std::vector<double> values_of(const std::string& file) {
    return NpyArray(folder.write("a.npy", file)).values();
  }
  std::string problem(const std::string& file) {
    const std::string path = folder.write("a.npy", file);
    const std::string error = message_of([&] { NpyArray array(path); });
    EXPECT_TRUE(error.starts_with(path + ": ")) << error;
    return error.substr(path.size() + 2);
  }
  TemporaryFolder folder;
};

TEST_F(Npy, FloatsAndDoublesAreReadExactly) {
  const std::vector<float> values = {0.1f, 2, 3, 4, 5, 1e-40f};
  const NpyArray floats(folder.write("f.npy", npy(kTwoByThree, bytes_of(values))));
  EXPECT_EQ(floats.rows(), 2u);
  EXPECT_EQ(floats.columns(), 3u);
  EXPECT_FALSE(floats.is_double());
  EXPECT_EQ(floats.values(), (std::vector<double>{values.begin(), values.end()}));
  std::vector<double> row(3);
  floats.read_rows(1, row);
  EXPECT_EQ(row, (std::vector<double>{4, 5, double{1e-40f}}));

  const std::vector<double> others = {0.1, -1e300, 7};
  const NpyArray doubles(
      folder.write("d.npy", npy(dict("'<f8'", "False", "(3, 1)"), bytes_of(others))));
  EXPECT_EQ(doubles.rows(), 3u);
  EXPECT_EQ(doubles.columns(), 1u);
  EXPECT_TRUE(doubles.is_double());
  EXPECT_EQ(doubles.values(), others);
}

TEST_F(Npy, TheHashIsThatOfAllBytesOfTheFile) {
  std::string file = npy(dict("'<f4'", "False", "(250000, 3)"), std::string(3'000'000, 'a'));
  for (std::size_t i = 0; i < 3'000'000; i += 7) file[file.size() - 1 - i] = static_cast<char>(i);
  const NpyArray array(folder.write("a.npy", file));
  EXPECT_EQ(array.content_hash(), XXH3_64bits(file.data(), file.size()));
}

TEST_F(Npy, HeadersMayBeWrittenInManyWays) {
  const std::string elements = bytes_of<float>({1, 2, 3, 4, 5, 6});
  for (const char version : {char{1}, char{2}, char{3}})
    EXPECT_EQ(values_of(npy(kTwoByThree, elements, version)).at(5), 6);
  for (const std::string header :
       {"{'shape': (2, 3), 'fortran_order': False, 'descr': '<f4'}",
        "{\"descr\":\"<f4\",\"fortran_order\":False,\"shape\":(2,3,)}     \n",
        " { 'descr' : '<f4' , 'fortran_order' : False , 'shape' : ( 2 , 3 ) , } "})
    EXPECT_EQ(values_of(npy(header, elements)).at(5), 6) << header;
}

TEST_F(Npy, ALongHeaderIsReadToItsEnd) {
  const std::string elements = bytes_of<float>({1, 2, 3, 4, 5, 6});
  const std::string longest = kTwoByThree + std::string(10'000 - kTwoByThree.size(), ' ');
  for (const char version : {char{1}, char{2}})
    EXPECT_EQ(values_of(npy(longest, elements, version)).at(5), 6);
  EXPECT_EQ(problem(npy(longest + " ", elements)),
            "a header of 10001 bytes is too long (at most 10000)");
}

TEST_F(Npy, AnArrayWithoutRowsIsAnArray) {
  EXPECT_TRUE(values_of(npy(dict("'<f4'", "False", "(0, 4)"))).empty());
}

TEST_F(Npy, AnOpenArrayIsTheFileThatWasOpened) {
  const std::string old_file = npy(kTwoByThree, bytes_of<float>({1, 2, 3, 4, 5, 6}));
  const NpyArray array(folder.write("a.npy", old_file));
  const std::uint64_t hash = array.content_hash();
  std::filesystem::rename(folder.write("b.npy", npy(kTwoByThree, std::string(24, '\1'))),
                          folder / "a.npy");
  EXPECT_EQ(array.values().at(5), 6);
  EXPECT_EQ(array.content_hash(), hash);
  array.check_unchanged();
}

TEST_F(Npy, AFileThatBecomesShorterIsAnError) {
  const std::string path =
      folder.write("a.npy", npy(dict("'<f8'", "False", "(100000, 1)"), std::string(800'000, '\0')));
  const NpyArray array(path);
  std::filesystem::resize_file(path, 4096);
  EXPECT_EQ(message_of([&] { array.values(); }, ExitCode::kRuntimeFailure),
            path + ": has changed while it was read");
  EXPECT_EQ(message_of([&] { (void)array.content_hash(); }, ExitCode::kRuntimeFailure),
            path + ": has changed while it was read");
}

TEST_F(Npy, AFileThatIsWrittenToAnewIsAnError) {
  const std::string path =
      folder.write("a.npy", npy(kTwoByThree, bytes_of<float>({1, 2, 3, 4, 5, 6})));
  namespace fs = std::filesystem;
  fs::last_write_time(path, fs::last_write_time(path) - std::chrono::seconds(10));
  const NpyArray array(path);
  array.check_unchanged();
  folder.write("a.npy", npy(kTwoByThree, bytes_of<float>({1, 2, 3, 4, 5, 7})));
  EXPECT_EQ(message_of([&] { array.check_unchanged(); }, ExitCode::kRuntimeFailure),
            path + ": has changed while it was read");
}

TEST_F(Npy, WhatIsWrittenIsReadBack) {
  std::vector<float> values(7000);
  for (std::size_t i = 0; i < values.size(); ++i) values[i] = 0.1f * static_cast<float>(i);
  write_npy(folder / "w.npy", values, 1000, 7);
  const NpyArray array(folder / "w.npy");
  ASSERT_EQ(array.rows(), 1000u);
  ASSERT_EQ(array.columns(), 7u);
  EXPECT_EQ(array.values(), (std::vector<double>{values.begin(), values.end()}));
  EXPECT_EQ((std::filesystem::file_size(folder / "w.npy") - values.size() * sizeof(float)) % 64, 0u)
      << "NumPy aligns the elements to 64 bytes";
}

TEST_F(Npy, TheReferenceFlakesAreRead) {
  const std::string path = ROUNDEL_SOURCE_DIR "/../shared/reference/data/snow_seed1_step300.npy";
  if (!std::filesystem::exists(path)) GTEST_SKIP() << "the reference data is not here";
  const NpyArray array(path);
  EXPECT_EQ(array.rows(), 100000u);
  EXPECT_EQ(array.columns(), 4u);
  const std::vector<double> values = array.values();
  for (std::size_t i = 2; i < values.size(); i += 4) {
    ASSERT_GE(values[i], 0);
    ASSERT_LE(values[i], 1);
  }
}

TEST_F(Npy, PathsThatAreNoFilesAreRefused) {
  EXPECT_EQ(message_of([&] { NpyArray(folder / "none.npy"); }),
            (folder / "none.npy") + ": no such file");
  EXPECT_EQ(message_of([&] { NpyArray(folder / ""); }),
            (folder / "") + ": expected a file, got a directory");
  ASSERT_EQ(::mkfifo((folder / "fifo").c_str(), 0600), 0);
  EXPECT_EQ(message_of([&] { NpyArray(folder / "fifo"); }),
            (folder / "fifo") + ": expected a regular file");
}

TEST_F(Npy, FilesThatAreNoArraysAreRefused) {
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

TEST_F(Npy, OtherElementTypesOrdersAndShapesAreRefused) {
  for (const std::string type : {"<f2", ">f4", "<i4", "|O", "<c8", "|b1", "<U7", ""})
    EXPECT_EQ(
        problem(npy(dict("'" + type + "'", "False", "(2, 3)"))),
        "expected elements of type '<f4' or '<f8' (little-endian floats), got \"" + type + "\"");
  EXPECT_EQ(problem(npy(dict("[('x', '<f4'), ('y', '<f4')]", "False", "(2,)"))),
            "expected elements of type '<f4' or '<f8', got a structured type");
  EXPECT_EQ(problem(npy(dict("'<f4'", "True", "(2, 3)"))),
            "expected an array in C order, got Fortran order");
  EXPECT_EQ(problem(npy(dict("'<f4'", "False", "(6,)"))),
            "expected a two-dimensional array [n, k], got 1 dimension");
  EXPECT_EQ(problem(npy(dict("'<f4'", "False", "()"))),
            "expected a two-dimensional array [n, k], got 0 dimensions");
  EXPECT_EQ(problem(npy(dict("'<f4'", "False", "(1, 2, 3)"))),
            "expected a two-dimensional array [n, k], got 3 dimensions");
}

TEST_F(Npy, SizesThatDoNotMatchTheFileAreRefused) {
  const std::string elements = bytes_of<float>({1, 2, 3, 4, 5, 6});
  EXPECT_EQ(problem(npy(kTwoByThree, elements.substr(1))),
            "expected 24 bytes of elements for the shape (2, 3), got 23");
  EXPECT_EQ(problem(npy(kTwoByThree, elements + "x")),
            "expected 24 bytes of elements for the shape (2, 3), got 25");
  EXPECT_EQ(problem(npy(dict("'<f4'", "False", "(4294967296, 4294967296)"), elements)),
            "the shape (4294967296, 4294967296) is too large");
  EXPECT_EQ(problem(npy(dict("'<f8'", "False", "(2305843009213693952, 1)"), elements)),
            "the shape (2305843009213693952, 1) is too large");
  EXPECT_EQ(problem(npy(dict("'<f4'", "False", "(99999999999999999999, 1)"), elements)),
            "the shape's numbers are too large");
}

TEST_F(Npy, MalformedHeadersAreRefused) {
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
