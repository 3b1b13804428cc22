#include <cmath>
#include <string>
#include <vector>

#include "renderer/data/table.h"
#include "tests/data/table_values.h"
#include "tests/testing.h"

namespace roundel {
namespace {

const std::string kVertex =
    "element vertex 2\nproperty float x\nproperty double y\nproperty uchar red\nproperty ushort "
    "z\n";
const std::string kFaces = "element face 1\nproperty list uchar int vertex_indices\n";

std::string ply(const std::string& format, const std::string& elements, const std::string& data) {
  return "ply\nformat " + format + " 1.0\ncomment by hand\n" + elements + "end_header\n" + data;
}

class Ply : public testing::Test {
 protected:
  std::unique_ptr<Table> open(const std::string& bytes, const std::string& dataset = "") {
    return open_table(folder.write("a.ply", bytes), {dataset});
  }
  std::string problem(const std::string& bytes, const std::string& dataset = "") {
    const std::string path = folder.write("a.ply", bytes);
    const std::string error = message_of([&] { open_table(path, {dataset}); });
    EXPECT_TRUE(error.starts_with(path + ": ")) << error;
    return error.substr(path.size() + 2);
  }
  static void expect_vertices(const Table& table) {
    EXPECT_EQ(values_of(table), (std::vector<double>{1.5, -2, 255, 258, 0.5, 3, 7, 65535}));
    EXPECT_EQ(find_column(table, "red"), 2u);
    EXPECT_EQ(table.columns()[0].one, 1);
    EXPECT_EQ(table.columns()[2].one, 255);
    EXPECT_EQ(table.columns()[3].one, 65535);
  }
  TemporaryFolder folder;
};

using namespace std::string_literals;
const std::string kLittle =
    "\0\0\xc0\x3f\0\0\0\0\0\0\0\xc0\xff\2\1\0\0\0\x3f\0\0\0\0\0\0\x08\x40\7\xff\xff"s;
const std::string kBig =
    "\x3f\xc0\0\0\xc0\0\0\0\0\0\0\0\xff\1\2\x3f\0\0\0\x40\x08\0\0\0\0\0\0\7\xff\xff"s;
const std::string kAscii = "1.5 -2 255 258\n .5\t3e0 7 65535 \n";

TEST_F(Ply, ReadsVerticesInEveryFormat) {
  expect_vertices(*open(ply("ascii", kVertex, kAscii)));
  expect_vertices(*open(ply("binary_little_endian", kVertex, kLittle)));
  expect_vertices(*open(ply("binary_big_endian", kVertex, kBig)));
  std::string crlf = ply("ascii", kVertex, kAscii);
  for (std::size_t at = 0; (at = crlf.find('\n', at)) != crlf.npos; at += 2) crlf.insert(at, "\r");
  expect_vertices(*open(crlf));
  EXPECT_EQ(open(ply("ascii", "element vertex 0\nproperty int8 x\n", ""))->rows(), 0u);
}

TEST_F(Ply, SkipsOtherElements) {
  const std::string faces = "3 0 1 1\n", points = "element point 2\nproperty short i\n";
  expect_vertices(*open(ply("ascii", kVertex + kFaces, kAscii + faces)));
  expect_vertices(*open(ply("ascii", kFaces + kVertex, faces + "\n" + kAscii)));
  expect_vertices(*open(ply("ascii", points + kFaces + kVertex, "1\n2\n" + faces + kAscii)));
  expect_vertices(*open(
      ply("binary_little_endian", points + kVertex + kFaces, "abcd" + kLittle + "\1\0\0\0\0"s)));
  EXPECT_EQ(problem(ply("binary_little_endian", kFaces + kVertex, kLittle)),
            "expected element vertex before element face, which has lists");
  EXPECT_EQ(values_of(*open(ply("ascii", points + kVertex, "1\n2\n" + kAscii), "point")),
            (std::vector<double>{1, 2}));
  EXPECT_EQ(problem(ply("ascii", points + kVertex, ""), "face"),
            "has no element \"face\"; there are point and vertex");
  EXPECT_EQ(problem(ply("ascii", kFaces, ""), "face"),
            "element face: expected a number for each property, but \"vertex_indices\" is a list, "
            "so rows differ in length; write the file without it");
  // Bytes after the vertices are never read.
  const std::string ids = "element id 1\nproperty int64 id\nproperty list uchar int64 of\n";
  expect_vertices(*open(ply("ascii", kVertex + ids, kAscii + "7 0\n")));
  expect_vertices(*open(ply("binary_little_endian", kVertex + ids, kLittle + "12345678\0"s)));
  const std::string long_ids = "element id 1\nproperty int64 id\n";
  expect_vertices(*open(ply("binary_little_endian", kVertex + long_ids, kLittle + "12345678")));
  expect_vertices(*open(ply("ascii", long_ids + kVertex, "7\n" + kAscii)));
  expect_vertices(*open(ply("binary_little_endian", long_ids + kVertex, "12345678" + kLittle)));
  EXPECT_EQ(problem(ply("ascii", "element id 1\nproperty int128 id\n" + kVertex, "7\n" + kAscii)),
            "line 5: expected a type such as float, double, int or uchar, got \"int128\"");
}

TEST_F(Ply, SkipsManyFacesBeforeTheVertices) {
  std::string faces;
  for (unsigned i = 0; i < 100'000; ++i) faces += "3 0 1 1" + std::string(i % 7, ' ') + "\n";
  const auto table = open(
      ply("ascii", "element face 100000\nproperty list int int i\n" + kVertex, faces + kAscii));
  expect_vertices(*table);
  EXPECT_EQ(table->place_of(1, 2), "line 100013: column red");
}

TEST_F(Ply, ReportsMistakesWithTheirLine) {
  EXPECT_EQ(problem("ply\nformat ascii 2.0\n"),
            "line 2: expected ascii, binary_little_endian or binary_big_endian and 1.0, got "
            "\"format ascii 2.0\"");
  EXPECT_EQ(problem("ply\nproperty float x\n").substr(0, 15), "line 2: expecte");
  EXPECT_EQ(problem("plyx\n"), "line 1: expected ply");
  EXPECT_EQ(problem("ply\nelement vertex 1\n"), "line 3: the file ends within its header");
  EXPECT_EQ(problem("ply\nelement vertex -1\n"), "line 2: expected a count, got \"-1\"");
  EXPECT_EQ(problem("ply\nelement vertex 1\nproperty real x\n"),
            "line 3: expected a type such as float, double, int or uchar, got \"real\"");
  EXPECT_EQ(problem("ply\nend_header\n"), "line 2: expected the format before end_header");
  EXPECT_EQ(problem(ply("ascii", "element vertex 3\nproperty int x\nproperty int x\n", "")),
            "expected 3 lines of numbers, but the file ends after 0");
  EXPECT_EQ(problem(ply("ascii", "element vertex 1\nproperty int x\nproperty int x\n", "1 2")),
            "columns 0 and 1 (counted from 0) are both named \"x\"");
  EXPECT_EQ(problem(ply("ascii", kVertex, "1 2 3 4\n1 2 3\n")),
            "line 11: expected 4 fields, got 3");
  EXPECT_EQ(problem(ply("ascii", kVertex, "1 2 3 4\n1 a 3 4\n")),
            "line 11: column y: expected a number, got \"a\"");
  EXPECT_EQ(problem(ply("ascii", kVertex, "1 2 3 4\n")),
            "expected 2 lines of numbers, but the file ends after 1");
  EXPECT_EQ(problem(ply("ascii", kVertex, kAscii + "\n1 2 3 4\n")),
            "expected 2 lines of numbers, got 3");
  EXPECT_EQ(problem(ply("binary_little_endian", kVertex, kLittle + kLittle)),
            "expected 2 of vertex with 15 bytes each, but 30 bytes remain after them");
  expect_vertices(*open(ply("binary_little_endian", kVertex, kLittle + "\n")));
  EXPECT_EQ(problem(ply("binary_little_endian", kVertex, kLittle.substr(1))),
            "expected 2 of vertex with 15 bytes each, but the file ends earlier");
  EXPECT_EQ(
      problem(ply("binary_little_endian", "element vertex 9223372036854775808\nproperty short x\n",
                  "")),
      "expected 9,223,372,036,854,775,808 of vertex with 2 bytes each, but the file ends earlier");
  EXPECT_EQ(problem(ply("binary_little_endian", "element vertex 9000000000\n", "")),
            "expected at least one column");
}

}  // namespace
}  // namespace roundel
