#include "tools/roundel/export/stats_report.h"

#include <gtest/gtest.h>

#include "tools/roundel/cli/terminal.h"

namespace roundel {
namespace {

TEST(StatsReport, NumbersHaveCommas) {
  EXPECT_EQ(with_commas(0), "0");
  EXPECT_EQ(with_commas(999), "999");
  EXPECT_EQ(with_commas(1000), "1,000");
  EXPECT_EQ(with_commas(1234567), "1,234,567");
  EXPECT_EQ(with_commas(18446744073709551615U), "18,446,744,073,709,551,615");
}

class Report : public ::testing::Test {
 protected:
  Report() {
    scene_.path = "a.yaml";
    report_.stats.stages = {{"generate", 1, 320}, {"blend", 3, 4096}};
    report_.stats.circles = 10;
    report_.stats.overlaps = 1234;
    report_.stats.chunks = 1;
  }
  Scene scene_;
  FrameReport report_{scene_, 7, "a.png", "cpu", 8, {}};
};

TEST_F(Report, TheTableHasSharesOfTheWholeTime) {
  EXPECT_EQ(stats_table(report_),
            "stage               ms   share             bytes\n"
            "generate         1.000   12.5%               320\n"
            "blend            3.000   37.5%             4,096\n"
            "total            8.000  100.0%\n"
            "10 circles, 1,234 overlaps, 1 chunk\n");
}

TEST_F(Report, JsonIsOneLine) {
  EXPECT_EQ(
      stats_json(report_),
      R"({"scene":"a.yaml","output":"a.png","frame":7,"seed":1,"width":1024,"height":1024,)"
      R"("backend":"cpu","circles":10,"overlaps":1234,"chunks":1,"milliseconds":8.0,"stages":[)"
      R"({"name":"generate","milliseconds":1.0,"share":0.125,"bytes":320},)"
      R"({"name":"blend","milliseconds":3.0,"share":0.375,"bytes":4096}]})"
      "\n");
}

TEST_F(Report, TheSummaryIsOneLine) {
  EXPECT_EQ(summary_line(report_), "a.png  1024x1024  10 circles  8.0 ms  cpu\n");
  report_.milliseconds = 23.4;
  report_.stats.circles = 1;
  EXPECT_EQ(summary_line(report_), "a.png  1024x1024  1 circle  23 ms  cpu\n");
}

}  // namespace
}  // namespace roundel
