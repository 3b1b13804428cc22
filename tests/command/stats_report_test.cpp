#include "tools/roundel/commands/export.h"

#include <gtest/gtest.h>

#include "tests/testing.h"

namespace roundel {
namespace {

class StillReport : public ::testing::Test {
 protected:
  StillReport() {
    scene_.path = "a.yaml";
    result_.seconds = 0.008;
    result_.stages.stages = {{"generate", StageResource::kCpu, 1, 320},
                             {"blend", StageResource::kCuda, 3, 4096}};
    result_.stages.circles = 10;
    result_.stages.overlaps = 1234;
    result_.stages.chunks = 1;
  }
  Scene scene_;
  ExportResult result_;
  ExportReport report_{scene_, "a.png", "cpu", result_, 7};
};

TEST_F(StillReport, TableHasSharesOfTheWholeTime) {
  EXPECT_EQ(text_of(stats_table(report_)),
            "stage     where             ms   share             bytes\n"
            "generate  cpu            1.000   12.5%               320\n"
            "blend     cuda           3.000   37.5%             4,096\n"
            "total                    8.000  100.0%\n"
            "10 circles, 1,234 overlaps, 1 chunk\n");
}

TEST_F(StillReport, JsonIsOneLine) {
  EXPECT_EQ(
      stats_json(report_),
      R"({"scene":"a.yaml","output":"a.png","frame":7,"seed":1,"width":1024,"height":1024,)"
      R"("backend":"cpu","circles":10,"overlaps":1234,"chunks":1,"milliseconds":8.0,"stages":[)"
      R"({"name":"generate","where":"cpu","milliseconds":1.0,"share":0.125,"bytes":320},)"
      R"({"name":"blend","where":"cuda","milliseconds":3.0,"share":0.375,"bytes":4096}]})"
      "\n");
}

TEST_F(StillReport, SummaryIsOneLine) {
  EXPECT_EQ(summary_line(report_), "a.png  1024x1024  10 circles  8.0 ms  cpu\n");
  result_.seconds = 0.0234;
  result_.stages.circles = 1;
  EXPECT_EQ(summary_line(report_), "a.png  1024x1024  1 circle  23 ms  cpu\n");
}

}  // namespace
}  // namespace roundel
