#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "renderer/base/error.h"
#include "renderer/compare/results_file.h"
#include "renderer/compare/run_json.h"

namespace roundel {
namespace {

PairResult result_of(const std::string& name, PairState state, std::vector<std::string> reasons) {
  PairResult result;
  result.name = name;
  result.state = state;
  result.reasons = std::move(reasons);
  return result;
}

ComparisonRun every_state() {
  ComparisonRun run;
  run.title = "a & b";
  run.results = {
      result_of("1 \"quoted\" <&>.png", PairState::kDiffers, {"5 pixels differ", "and more"}),
      result_of("2\x01\xFF\xEF\xBF\xBE.png", PairState::kNotCompared, {"2.png: broken <]]>"}),
      result_of("3.png", PairState::kNew, {}),
      result_of("4.png", PairState::kMissing, {}),
      result_of("5.png", PairState::kSame, {}),
  };
  run.results[0].rule = "goldens.yaml:3 \"1*\"";
  run.results[0].origin = Origin::kSceneChanged;
  run.results[0].difference.kind = PictureDifference::Kind::kDifferent;
  run.results[0].scene_path = "1.yaml", run.results[0].seconds = 0.25;
  run.results[3].golden_path = "4.png";
  run.results[0].difference.psnr = std::numeric_limits<double>::infinity();
  return run;
}

TEST(RunJunit, HasAWellFormedTestCaseForEveryPicture) {
  EXPECT_EQ(
      run_junit(every_state()),
      "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n"
      "<testsuites tests=\"5\" failures=\"3\" errors=\"1\" skipped=\"0\" "
      "time=\"0.250000\">\n"
      "  <testsuite name=\"a &amp; b\" tests=\"5\" failures=\"3\" errors=\"1\" skipped=\"0\" "
      "time=\"0.250000\">\n"
      "    <testcase classname=\"a &amp; b\" name=\"1 &quot;quoted&quot; &lt;&amp;&gt;.png\" "
      "file=\"1.yaml\" time=\"0.250000\"><failure type=\"differs\" message=\"5 pixels differ\">1 "
      "&quot;quoted&quot; "
      "&lt;&amp;&gt;.png: differs: 5 pixels differ, and more; the scene changed: the golden has "
      "another fingerprint [goldens.yaml:3 &quot;1*&quot;]</failure></testcase>\n"
      "    <testcase classname=\"a &amp; b\" name=\"2\\x01\\xff\\xef\\xbf\\xbe.png\" "
      "time=\"0.000000\">"
      "<error type=\"not compared\" message=\"2.png: broken &lt;]]&gt;\">2\\x01\\xff\\xef\\xbf\\xbe"
      ".png: not compared: 2.png: broken &lt;]]&gt;</error></testcase>\n"
      "    <testcase classname=\"a &amp; b\" name=\"3.png\" time=\"0.000000\"><failure "
      "type=\"new\" message=\"new\">"
      "3.png: new</failure></testcase>\n"
      "    <testcase classname=\"a &amp; b\" name=\"4.png\" file=\"4.png\" "
      "time=\"0.000000\"><failure type=\"missing\" "
      "message=\"missing\">4.png: missing</failure></testcase>\n"
      "    <testcase classname=\"a &amp; b\" name=\"5.png\" time=\"0.000000\"><system-out>5.png: "
      "same</system-out>"
      "</testcase>\n"
      "  </testsuite>\n"
      "</testsuites>\n");
}

TEST(RunJson, DescribesEveryPictureFully) {
  const auto json = nlohmann::json::parse(run_json(every_state()));
  EXPECT_EQ(json.at("title"), "a & b");
  EXPECT_EQ(json.at("counts"), nlohmann::json::parse(R"({"same": 1, "differ": 1, "new": 1,
                                                         "missing": 1, "not_compared": 1})"));
  const auto& pictures = json.at("pictures");
  ASSERT_EQ(pictures.size(), 5u);
  EXPECT_EQ(pictures[0].at("name"), "1 \"quoted\" <&>.png");
  EXPECT_EQ(pictures[0].at("state"), "differs");
  EXPECT_EQ(pictures[0].at("rule"), "goldens.yaml:3 \"1*\"");
  EXPECT_EQ(pictures[0].at("origin"), "scene changed");
  EXPECT_EQ(pictures[0].at("reasons").size(), 2u);
  EXPECT_TRUE(pictures[0].at("difference").at("psnr_db").is_null());  // JSON has no infinity
  EXPECT_EQ(pictures[1].at("name"), "2\\x01\\xff\\xef\\xbf\\xbe.png");
  EXPECT_EQ(pictures[4].at("state"), "same");
  EXPECT_FALSE(pictures[3].contains("difference"));
}

TEST(RunJson, OmitsTheOriginOfEqualPictures) {
  using Kind = PictureDifference::Kind;
  for (const Kind kind : {Kind::kEqualBytes, Kind::kEqualPixels, Kind::kDifferent}) {
    ComparisonRun run;
    run.results = {result_of("a.png", PairState::kSame, {})};
    run.results[0].origin = Origin::kSameScene;
    run.results[0].difference.kind = kind;
    const auto json = nlohmann::json::parse(run_json(run));
    EXPECT_EQ(json.at("pictures")[0].contains("origin"), kind == Kind::kDifferent);
  }
}

TEST(CommandToAccept, IsOneLineForAShell) {
  ComparisonRun run;
  run.accept_command = "roundel accept";
  EXPECT_EQ(command_to_accept(run, {"a.png", "b c.png"}), "roundel accept a.png 'b c.png'");
  EXPECT_EQ(command_to_accept(run, {"a.png", "-q.png"}), "roundel accept -- a.png -q.png");
}

TEST(RunJson, HasOneLineForEachPicture) {
  const std::string text = run_json(every_state());
  EXPECT_EQ(std::count(text.begin(), text.end(), '\n'), 7);
}

/// A run with every kind of rule.
ComparisonRun everything() {
  ComparisonRun run = every_state();
  run.golden_folder = "goldens", run.output_folder = "out";
  run.share = 2, run.shares = 3;
  PairResult& result = run.results[0];
  result.golden_path = "goldens/1.png", result.actual_path = "/somewhere/else/1.png";
  result.difference_path = "out/diff/1.png", result.scene_path = "1.yaml";
  result.seconds = 1.25;
  result.tolerance = {.max_delta = 2.5,
                      .channel_deltas = {{"Z", 0.5}, {"a/*", 0}},
                      .max_pixels = 12,
                      .max_density = Tolerance::Density{4, 8, 9},
                      .flip_mean = 0.01,
                      .ignore = {{1, 2, 3, 4}, {5, 6, 7, 8}},
                      .is_shape_tolerant = true,
                      .ignores_antialiasing = true};
  PictureDifference& difference = result.difference;
  difference.width = 640, difference.height = 480;
  difference.channels = {{"red", 0.1, 1e-17},
                         {"alpha", std::numeric_limits<double>::infinity(), 2},
                         {"left/Z", 3, 1, 7, 639, 479, 2, 1}};
  difference.all_pixels = 1'000'000;
  difference.rmse = 1.0 / 3;
  difference.pixels = 50, difference.pixels_over = 5, difference.not_finite = 1;
  difference.ignored = 60, difference.ignored_different = 6, difference.antialiased = 7;
  difference.box = {1, 2, 3, 4}, difference.densest = {1, 2, 16, 16}, difference.densest_pixels = 3;
  difference.flip = {0.1, 0.2, 0, 1};
  difference.ssim = -0.5;
  result.pixels_per_degree = 30;
  result.explanation = {"scene: seed 7 -> 8", "  cluster 1 of 2: \"…\""};
  run.results[4].tolerance = {.max_pixels = 0.25, .pixels_in_percent = true};
  run.results[4].difference.kind = PictureDifference::Kind::kEqualPixels;
  std::swap(run.results[1], run.results[2]);
  run.results[1].difference.kind = PictureDifference::Kind::kOtherShape;
  run.results[1].difference.shape = "1x1 RGB and 2x1 RGB";
  run.results[1].state = PairState::kDiffers;
  return run;
}

TEST(RunJson, RoundTrips) {
  const std::string text = run_json(everything());
  const ResultsFile file = parse_results(text, "results.json", std::nullopt);
  EXPECT_EQ(run_json(file.run), text);
  EXPECT_EQ(file.places[3].line, 5u);
  EXPECT_EQ(file.run.results[0].tolerance.ignore[1].height, 8);
}

TEST(RunJson, HasPathsRelativeToItsFolder) {
  const std::string json = run_json(everything(), "out/results.json");
  EXPECT_EQ(nlohmann::json::parse(json).at("output"), ".");
  EXPECT_EQ(nlohmann::json::parse(json).at("pictures")[0].at("golden"), "../goldens/1.png");
  EXPECT_EQ(run_json(parse_results(json, "out/results.json", std::nullopt).run),
            run_json(everything()));
  const PairResult moved = parse_results(json, "in/results.json", "mine").run.results[0];
  EXPECT_EQ(moved.golden_path, "mine/1.png");
  EXPECT_EQ(moved.difference_path, "in/diff/1.png");
  EXPECT_EQ(moved.scene_path, "1.yaml");
}

TEST(MergeResults, ReportsMissingShares) {
  ResultsFile file{"a.json", everything(), std::vector<Place>(5)};
  const ComparisonRun run = merge_results({file, file});
  ASSERT_EQ(run.results.size(), 7u);
  EXPECT_EQ(run.results[5].name, "share 1 of 3");
  EXPECT_EQ(run.results[6].name, "share 3 of 3");
  EXPECT_EQ(run.results[6].state, PairState::kNotCompared);
  EXPECT_EQ(run.title, "a & b");
}

}  // namespace
}  // namespace roundel
