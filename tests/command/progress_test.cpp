#include "tools/roundel/cli/progress.h"

#include <gtest/gtest.h>

#include "tests/testing.h"

namespace roundel {
namespace {

const ProgressState kState = {50, 2, 200, 1'000'000, 5};

std::string text(ProgressFormat format, const ProgressState& state, std::size_t columns = 200) {
  return text_of(progress_text(format, state, 10, 2.5e6, columns));
}

TEST(Progress, LinesShowAllNumbers) {
  EXPECT_EQ(text(ProgressFormat::kPlain, kState),
            "50/200 frames  10.0 fps  ETA 0:15  2.5 MB/s  queue 5  2 failed\n");
  EXPECT_EQ(text_of(progress_text(ProgressFormat::kPlain, {0, 0, 3, 0, 0}, 0, 0, 80)),
            "0/3 frames  0.0 fps  ETA --:--  0.0 MB/s  queue 0\n");
  EXPECT_NE(text(ProgressFormat::kPlain, {0, 0, 40'000, 0, 0}).find("ETA 1:06:40"),
            std::string::npos);
}

TEST(Progress, BarFitsTheTerminal) {
  EXPECT_EQ(text(ProgressFormat::kBar, {50, 0, 200, 0, 5})
                .rfind("[#######                       ] 50/200 frames", 0),
            0U);
  for (std::size_t columns = 0; columns < 120; ++columns) {
    EXPECT_LE(text(ProgressFormat::kBar, kState, columns).size(), columns) << columns;
  }
}

TEST(Progress, FarmManagersGetLinesInTheirFormat) {
  EXPECT_EQ(
      text(ProgressFormat::kOpenJd, kState).rfind("openjd_progress: 25.0\nopenjd_status: ", 0), 0U);
  EXPECT_EQ(text(ProgressFormat::kDeadline, {199, 0, 200, 0, 0}), "Progress: 99%\n");
  EXPECT_EQ(text(ProgressFormat::kBlender, kState), "");
  EXPECT_EQ(text_of(frame_text(ProgressFormat::kBlender, 7, "a_7.png")),
            "Fra:7 | Rendered\nSaved: 'a_7.png'\n");
  EXPECT_TRUE(frame_text(ProgressFormat::kJson, 7, "a_7.png").empty());
}

TEST(Progress, WorkShowsTheDoneShareAndTheRemainingTime) {
  EXPECT_EQ(work_text(0, 1000, 2), "0 %  ETA --:--");
  EXPECT_EQ(work_text(250, 1000, 30), "25 %  ETA 1:30");
  EXPECT_EQ(work_text(1000, 1000, 30), "99 %  ETA --:--");  // not before it has ended
}

TEST(Progress, WorkPrintsInEachFormat) {
  const auto line = [](ProgressFormat format) {
    return text_of(work_line(format, "a.png", 349, 1000, 30));
  };
  EXPECT_EQ(line(ProgressFormat::kBar), "a.png: 34 %  ETA 0:56\n");
  EXPECT_EQ(line(ProgressFormat::kPlain), "a.png: 34 %  ETA 0:56\n");
  EXPECT_EQ(line(ProgressFormat::kJson), "{\"work\":\"a.png\",\"done\":349,\"total\":1000}\n");
  EXPECT_EQ(line(ProgressFormat::kOpenJd),
            "openjd_progress: 34.9\nopenjd_status: a.png: 34 %  ETA 0:56\n");
  EXPECT_EQ(line(ProgressFormat::kDeadline), "Progress: 34%\n");
  EXPECT_EQ(line(ProgressFormat::kBlender), "");
  EXPECT_EQ(line(ProgressFormat::kNone), "");
}

TEST(Progress, RatesCoverTheLastSeconds) {
  Rates rates;
  const Rates::Clock::time_point start{};
  for (int second = 0; second <= 100; ++second) {
    const auto done = static_cast<std::uint64_t>(second < 50 ? second : 50 + 10 * (second - 50));
    rates.add(start + std::chrono::seconds(second), done, 1000 * done);
  }
  EXPECT_NEAR(rates.frames_per_second(), 10, 1e-9);
  EXPECT_NEAR(rates.bytes_per_second(), 10'000, 1e-6);
}

TEST(Progress, RatesCoverOneFrameThatTakesLong) {
  Rates rates;
  const Rates::Clock::time_point start{};
  for (int second = 0; second <= 1000; ++second) {
    rates.add(start + std::chrono::seconds(second), static_cast<std::uint64_t>(second / 100), 0);
    if (second < 100) continue;
    EXPECT_GT(rates.frames_per_second(), 0.005);
    EXPECT_LE(rates.frames_per_second(), 0.02);
  }
}

}  // namespace
}  // namespace roundel
