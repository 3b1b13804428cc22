#include "renderer/compare/antialiasing.h"

#include <fstream>
#include <sstream>

#include "tests/compare/compare_test_support.h"

namespace roundel {
namespace {

TEST(Antialiasing, MatchesPixelmatch) {
  const std::string folder = ROUNDEL_SOURCE_DIR "/tests/compare/antialiased/";
  std::ifstream table(folder + "expected.tsv");
  std::string line;
  std::getline(table, line);
  std::getline(table, line);
  int pairs = 0;
  for (; std::getline(table, line); ++pairs) {
    std::istringstream fields(line);
    std::string name;
    std::uint64_t all = 0, rest = 0;
    fields >> name >> all >> rest;
    const Picture a = read_picture(folder + name + "_a.png"),
                  b = read_picture(folder + name + "_b.png");
    const PictureDifference strict = compare_pictures(a, b, {}, {});
    EXPECT_EQ(strict.pixels_over, all) << name;
    EXPECT_EQ(strict.antialiased, 0u) << name;
    const Tolerance tolerance{.ignores_antialiasing = true};
    for (const auto& [one, other] : {std::pair(&a, &b), std::pair(&b, &a)}) {
      const PictureDifference difference = compare_pictures(*one, *other, tolerance, {});
      EXPECT_EQ(difference.pixels_over, rest) << name;
      EXPECT_EQ(difference.antialiased, all - rest) << name;
      EXPECT_EQ(apply_tolerance(difference, tolerance).same, rest == 0) << name;
    }
  }
  EXPECT_EQ(pairs, 5);
}

/// Returns a white picture with a black left half, and the column between them of this value.
Picture edge(std::uint8_t value) {
  Picture picture = random_picture(12, 9, 3, 1);
  for (int y = 0; y < 9; ++y)
    for (int x = 0; x < 12; ++x)
      for (int c = 0; c < 3; ++c)
        picture.bytes[sample_at(picture, x, y, c)] = x < 5 ? 0 : x > 5 ? 255 : value;
  return picture;
}

TEST(Antialiasing, FindsEdgesOfOtherSampleTypes) {
  const Picture a = edge(80), b = edge(140);
  const Tolerance tolerance{.ignores_antialiasing = true};
  const PictureDifference difference = compare_pictures(a, b, tolerance, {});
  EXPECT_EQ(difference.antialiased + difference.pixels_over, 9u);
  const PictureDifference floats =
      compare_pictures(as_floats(a, 2), as_floats(b, 2), tolerance, {});
  EXPECT_EQ(floats.antialiased, difference.antialiased);
}

TEST(Antialiasing, NanAndInfinityAreDifferences) {
  const Picture a = as_floats(edge(80), 1);
  for (const float value :
       {std::numeric_limits<float>::quiet_NaN(), std::numeric_limits<float>::infinity()}) {
    Picture b = copy_of(a);
    b.floats[sample_at(b, 5, 4, 1)] = value;
    const Tolerance tolerance{.ignores_antialiasing = true};
    EXPECT_EQ(compare_pictures(a, b, tolerance, {}).pixels_over, 1u);
    EXPECT_EQ(compare_pictures(b, a, tolerance, {}).pixels_over, 1u);
  }
}

TEST(Antialiasing, SpotInAPlainAreaIsADifference) {
  const Picture a = edge(0);
  Picture b = edge(0);
  b.bytes[sample_at(b, 9, 4, 1)] = 0;
  EXPECT_EQ(compare_pictures(a, b, {.ignores_antialiasing = true}, {}).pixels_over, 1u);
}

}  // namespace
}  // namespace roundel
