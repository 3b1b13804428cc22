#include "renderer/base/frame_name.h"

#include <gtest/gtest.h>

namespace roundel {
namespace {

TEST(FrameName, HashesMeanDigits) {
  EXPECT_EQ(FrameName("out/frame_####.png").path(7), "out/frame_0007.png");
  EXPECT_EQ(FrameName("out/frame_#.png").path(12345), "out/frame_12345.png");
  EXPECT_EQ(FrameName("##/##.png").path(3), "03/03.png");
}

TEST(FrameName, PrintfAndBracesMeanDigits) {
  EXPECT_EQ(FrameName("a_%04d.png").path(7), "a_0007.png");
  EXPECT_EQ(FrameName("a_%d.png").path(7), "a_7.png");
  EXPECT_EQ(FrameName("{frame:04}/{frame}.png").path(7), "0007/7.png");
  EXPECT_EQ(FrameName("{frame:6}.png").path(7), "000007.png");
  EXPECT_EQ(FrameName("%012d%%1dx").path(7), "000000000007%7x");
  EXPECT_EQ(FrameName("%0d%00d{frame:0}{frame:000}").path(7), "7777");
}

TEST(FrameName, MinusCountsAsADigit) {
  for (const char* pattern : {"####", "%04d", "{frame:04}"}) {
    EXPECT_EQ(FrameName(pattern).path(-7), "-007") << pattern;
  }
}

TEST(FrameName, OtherTextIsLiteral) {
  for (const char* pattern :
       {"plain.png", "", "100%.png", "%s.png", "{f}.png", "{frame:x}.png", "{frame:}.png",
        "{frame.png", "%", "%4", "%123d", "%0123d", "{frame:123}"}) {
    EXPECT_FALSE(FrameName(pattern).has_number()) << pattern;
    EXPECT_EQ(FrameName(pattern).path(3), pattern);
  }
  EXPECT_TRUE(FrameName("a#.png").has_number());
}

TEST(FrameName, ReadsTheFrameOfAPath) {
  for (const char* pattern : {"a_####.png", "%d", "#0.png", "##_#.png", "{frame:03}7{frame}7"}) {
    const FrameName name(pattern);
    for (const std::int64_t frame : {-1000, -7, 0, 7, 70, 700, 9999, 10000, 10000000})
      EXPECT_EQ(name.frame_of(name.path(frame)), frame) << pattern;
  }
  for (const char* path :
       {"a_7.png", "a_00007.png", "a_0007.pn", "a_0007.pngs", "b_0007.png", "a_+007.png", "a_.png",
        "a_99999999999999999999.png", "a_-07.png", "", "a_"})
    EXPECT_EQ(FrameName("a_####.png").frame_of(path), std::nullopt) << path;
  EXPECT_EQ(FrameName("##_#.png").frame_of("07_8.png"), std::nullopt);
  EXPECT_EQ(FrameName("a.png").frame_of("a.png"), std::nullopt);
}

TEST(FrameName, NumbersMayStartAtZero) {
  FrameName name("a_##.png");
  name.renumber({-4, 7, 300});
  EXPECT_EQ(name.path(-4), "a_00.png");
  EXPECT_EQ(name.path(7), "a_01.png");
  EXPECT_EQ(name.path(300), "a_02.png");
  for (const std::int64_t frame : {-4, 7, 300}) EXPECT_EQ(name.frame_of(name.path(frame)), frame);
  EXPECT_EQ(name.frame_of("a_03.png"), std::nullopt);
  EXPECT_EQ(name.frame_of("a_-1.png"), std::nullopt);
  EXPECT_EQ(step_of({5, 8, 11}), 3);
  EXPECT_EQ(step_of({5, 8, 12}), 1);
  EXPECT_EQ(step_of({5}), 1);
  EXPECT_EQ(step_of({}), 1);
}

TEST(FrameName, FoldersMayHaveNumbers) {
  for (const char* pattern : {"#/a.png", "out/#/#.png", "#/b/a.png"})
    EXPECT_TRUE(FrameName(pattern).has_number_in_folder()) << pattern;
  for (const char* pattern : {"a.png", "out/a.png", "#.png", "out/b/a##_#.png"})
    EXPECT_FALSE(FrameName(pattern).has_number_in_folder()) << pattern;
}

TEST(FrameName, ListedNamesAreLiteral) {
  const FrameName name = FrameName::listed({"out/a####.png", "out/b.png", "c.png"});
  EXPECT_TRUE(name.has_number());
  EXPECT_TRUE(name.has_number_in_folder());
  EXPECT_FALSE(FrameName::listed({"out/a.png", "out/b.png"}).has_number_in_folder());
  EXPECT_EQ(name.path(0), "out/a####.png");
  EXPECT_EQ(name.path(2), "c.png");
  EXPECT_EQ(name.frame_of("out/b.png"), 1);
  EXPECT_EQ(name.frame_of("b.png"), std::nullopt);
}

}  // namespace
}  // namespace roundel
