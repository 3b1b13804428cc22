#include "renderer/film/frame_list.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <random>
#include <set>

#include "renderer/base/error.h"
#include "renderer/scene/scene.h"

namespace roundel {
namespace {

std::string refusal(const std::string& text) {
  try {
    parse_frames(text);
    return "";
  } catch (const Error& error) {
    EXPECT_EQ(error.exit_code(), ExitCode::kUsage);
    return error.what();
  }
}

TEST(FrameList, AcceptsNumbersRangesAndSteps) {
  EXPECT_EQ(parse_frames("7"), (FrameList{7}));
  EXPECT_EQ(parse_frames("1-3,15,20-26x2"), (FrameList{1, 2, 3, 15, 20, 22, 24, 26}));
  EXPECT_EQ(parse_frames("20-26:3"), (FrameList{20, 23, 26}));
  EXPECT_EQ(parse_frames("20-25x3"), (FrameList{20, 23}));
  EXPECT_EQ(parse_frames("5-5"), (FrameList{5}));
}

TEST(FrameList, AcceptsNegativeNumbers) {
  EXPECT_EQ(parse_frames("-3"), (FrameList{-3}));
  EXPECT_EQ(parse_frames("-3--1"), (FrameList{-3, -2, -1}));
  EXPECT_EQ(parse_frames("-2-2x2"), (FrameList{-2, 0, 2}));
}

TEST(FrameList, AcceptsSpacesAroundNumbersAndSigns) {
  EXPECT_EQ(parse_frames(" 1 - 3 , 9 , 10 - 14 x 2 "), (FrameList{1, 2, 3, 9, 10, 12, 14}));
}

TEST(FrameList, IgnoresOrderAndRepetition) {
  EXPECT_EQ(parse_frames("9,1-3,2-4,9"), (FrameList{1, 2, 3, 4, 9}));
}

TEST(FrameList, ReportsMistakes) {
  const std::string shape = "expected frames like 1-10,15,20-30x2, got ";
  EXPECT_EQ(refusal(""), shape + R"("")");
  EXPECT_EQ(refusal("1,,2"), shape + R"("1,,2")");
  EXPECT_EQ(refusal("1,2,"), shape + R"("1,2,")");
  EXPECT_EQ(refusal("1-"), shape + R"("1-")");
  EXPECT_EQ(refusal("1 2"), shape + R"("1 2")");
  EXPECT_EQ(refusal("1-2x"), shape + R"("1-2x")");
  EXPECT_EQ(refusal("1x2"), shape + R"("1x2")");
  EXPECT_EQ(refusal("1.5"), shape + R"("1.5")");
  EXPECT_EQ(refusal("+1"), shape + R"("+1")");
  EXPECT_EQ(refusal("all"), shape + R"("all")");
  EXPECT_EQ(refusal("3-1"), R"(expected a range from low to high, got "3-1")");
  EXPECT_EQ(refusal("1-9x0"), R"(expected a step of at least 1, got "1-9x0")");
  EXPECT_EQ(refusal("1-9x-2"), R"(expected a step of at least 1, got "1-9x-2")");
}

TEST(FrameList, LimitsNumbersAndTheirCount) {
  EXPECT_EQ(parse_frames(std::to_string(kMaxFrame)), (FrameList{kMaxFrame}));
  EXPECT_EQ(parse_frames(std::to_string(kMinFrame)), (FrameList{kMinFrame}));
  EXPECT_NE(refusal("10000001"), "");
  EXPECT_NE(refusal("-10000001"), "");
  EXPECT_NE(refusal("99999999999999999999"), "");
  EXPECT_NE(refusal("-10000000-10000000"), "");  // one too many
  EXPECT_EQ(parse_frames("1-10000000x5000000"), (FrameList{1, 5000001}));
}

TEST(FrameList, ReadsAFile) {
  const auto path = std::filesystem::path(::testing::TempDir()) / "roundel_frames.txt";
  std::ofstream(path) << "# to be done again\n1-3, 7\r\n\n12-14:2 # two\n";
  EXPECT_EQ(parse_frames("@" + path.string()), (FrameList{1, 2, 3, 7, 12, 14}));
  std::ofstream(path) << "# nothing\n";
  EXPECT_EQ(refusal("@" + path.string()).rfind("expected at least one frame", 0), 0U);
  std::filesystem::remove(path);
  EXPECT_EQ(refusal("@" + path.string()).rfind("expected a file with frames: ", 0), 0U);
}

TEST(FrameList, PrintsRanges) {
  EXPECT_EQ(frames_text({}), "");
  EXPECT_EQ(frames_text({4}), "4");
  EXPECT_EQ(frames_text({4, 5}), "4-5");
  EXPECT_EQ(frames_text({4, 6}), "4,6");
  EXPECT_EQ(frames_text({4, 6, 8}), "4-8x2");
  EXPECT_EQ(frames_text({1, 2, 3, 15, 20, 22, 24}), "1-3,15,20-24x2");
  EXPECT_EQ(frames_text({-3, -2, -1}), "-3--1");
}

TEST(FrameList, TextAndListRoundTrip) {
  std::mt19937 engine(1);
  for (int round = 0; round < 200; ++round) {
    std::set<std::int64_t> chosen;
    const int largest = 1 + round % 60;
    std::uniform_int_distribution<int> number(-largest, largest);
    for (int i = 0; i < largest; ++i) chosen.insert(number(engine));
    const FrameList frames(chosen.begin(), chosen.end());
    EXPECT_EQ(parse_frames(frames_text(frames)), frames) << frames_text(frames);
  }
}

}  // namespace
}  // namespace roundel
