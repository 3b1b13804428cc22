#include "renderer/scene/npy.h"

#include <sys/stat.h>

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
  NpyArray open(const std::string& file) { return NpyArray(folder.write("a.npy", file)); }
  std::string problem(const std::string& file) {
    const std::string path = folder.write("a.npy", file);
    const std::string error = error_of([&] { NpyArray array(path); });
    EXPECT_TRUE(error.starts_with(path + ": ")) << error;
    return error.substr(path.size() + 2);
  }
  TemporaryFolder folder;
};

TEST_F(Npy, FloatsAndDoublesAreReadExactly) {
  const NpyArray floats = open(npy(kTwoByThree, bytes_of<float>({0.1f, 2, 3, 4, 5, 1e-40f})));
  EXPECT_EQ(floats.rows(), 2u);
  EXPECT_EQ(floats.columns(), 3u);
  EXPECT_EQ(floats.at(0, 0), 0.1f);
  EXPECT_EQ(floats.at(0, 2), 3);
  EXPECT_EQ(floats.at(1, 0), 4);
  EXPECT_EQ(floats.at(1, 2), 1e-40f);

  const NpyArray doubles =
      open(npy(dict("'<f8'", "False", "(3, 1)"), bytes_of<double>({0.1, -1e300, 7})));
  EXPECT_EQ(doubles.rows(), 3u);
  EXPECT_EQ(doubles.columns(), 1u);
  EXPECT_EQ(doubles.at(0, 0), 0.1);
  EXPECT_EQ(doubles.at(1, 0), -1e300);
  EXPECT_EQ(doubles.file_bytes().size(), std::filesystem::file_size(folder / "a.npy"));
}

TEST_F(Npy, HeadersMayBeWrittenInManyWays) {
  const std::string elements = bytes_of<float>({1, 2, 3, 4, 5, 6});
  for (const char version : {char{1}, char{2}, char{3}})
    EXPECT_EQ(open(npy(kTwoByThree, elements, version)).at(1, 2), 6);
  for (const std::string header :
       {"{'shape': (2, 3), 'fortran_order': False, 'descr': '<f4'}",
        "{\"descr\":\"<f4\",\"fortran_order\":False,\"shape\":(2,3,)}     \n",
        " { 'descr' : '<f4' , 'fortran_order' : False , 'shape' : ( 2 , 3 ) , } "})
    EXPECT_EQ(open(npy(header, elements)).at(1, 2), 6) << header;
}

TEST_F(Npy, AnArrayWithoutRowsIsAnArray) {
  EXPECT_EQ(open(npy(dict("'<f4'", "False", "(0, 4)"))).rows(), 0u);
}

TEST_F(Npy, MovingKeepsTheArray) {
  NpyArray first = open(npy(kTwoByThree, bytes_of<float>({1, 2, 3, 4, 5, 6})));
  NpyArray second(std::move(first));
  EXPECT_EQ(second.at(1, 0), 4);
  NpyArray third(
      folder.write("b.npy", npy(dict("'<f4'", "False", "(1, 1)"), bytes_of<float>({9}))));
  third = std::move(second);
  EXPECT_EQ(third.at(1, 0), 4);
  EXPECT_EQ(third.rows(), 2u);
}

TEST_F(Npy, WhatIsWrittenIsReadBack) {
  std::vector<float> values(7000);
  for (std::size_t i = 0; i < values.size(); ++i) values[i] = 0.1f * static_cast<float>(i);
  write_npy(folder / "w.npy", values, 1000, 7);
  const NpyArray array(folder / "w.npy");
  ASSERT_EQ(array.rows(), 1000u);
  ASSERT_EQ(array.columns(), 7u);
  for (std::uint64_t i = 0; i < values.size(); ++i) ASSERT_EQ(array.at(i / 7, i % 7), values[i]);
  EXPECT_EQ((array.file_bytes().size() - values.size() * sizeof(float)) % 64, 0u)
      << "NumPy aligns the elements to 64 bytes";
}

TEST_F(Npy, TheReferenceFlakesAreRead) {
  const std::string path = ROUNDEL_SOURCE_DIR "/../shared/reference/data/snow_seed1_step300.npy";
  if (!std::filesystem::exists(path)) GTEST_SKIP() << "the reference data is not here";
  const NpyArray array(path);
  EXPECT_EQ(array.rows(), 100000u);
  EXPECT_EQ(array.columns(), 4u);
  for (std::uint64_t row = 0; row < array.rows(); ++row) {
    ASSERT_GE(array.at(row, 2), 0);
    ASSERT_LE(array.at(row, 2), 1);
  }
}

TEST_F(Npy, PathsThatAreNoFilesAreRefused) {
  EXPECT_EQ(error_of([&] { NpyArray(folder / "none.npy"); }),
            (folder / "none.npy") + ": no such file");
  EXPECT_EQ(error_of([&] { NpyArray(folder / ""); }),
            (folder / "") + ": expected a file, got a directory");
  ASSERT_EQ(::mkfifo((folder / "fifo").c_str(), 0600), 0);
  EXPECT_EQ(error_of([&] { NpyArray(folder / "fifo"); }),
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
