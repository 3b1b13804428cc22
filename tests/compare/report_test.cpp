#include "renderer/compare/report.h"

#include <gtest/gtest.h>

#include <fstream>
#include <nlohmann/json.hpp>
#include <sstream>

#include "tests/compare/sample_pictures.h"

namespace roundel {
namespace {

namespace fs = std::filesystem;
using Json = nlohmann::json;

std::string content(const std::string& path) {
  std::stringstream text;
  text << std::ifstream(path, std::ios::binary).rdbuf();
  return text.str();
}

/// Returns noise, which encoders cannot shrink.
Image noise_image(int width, int height) {
  Image image = plain_image(width, height);
  std::uint32_t state = 1;
  for (std::uint8_t& byte : image.bytes) {
    state = state * 1664525U + 1013904223U;
    byte = static_cast<std::uint8_t>(state >> 24);
  }
  return image;
}

class Report : public ::testing::Test {
 protected:
  Report() {
    write_png(folder_ / "golden.png", plain_image(64, 64), {});
    write_png(folder_ / "actual.png", with_spot(plain_image(64, 64), 9, 9), {});
  }

  /// Returns a run of `count` pictures that differ, and one that does not.
  ComparisonRun run_of(std::size_t count, const Measures& measures = {}) const {
    ComparisonRun run;
    run.title = "title <&>";
    MemoryBudget budget(0);
    PairResult result;
    result.golden_path = folder_ / "golden.png";
    result.actual_path = folder_ / "actual.png";
    for (std::size_t i = 0; i < count; ++i) {
      result.name = std::to_string(i) + "</script>.png";
      compare_pair_of_files(rules_without_manifest({}), measures, result, budget);
      run.results.push_back(result);
    }
    result = {};
    result.name = "same.png";
    run.results.push_back(result);
    return run;
  }
  std::string page() const { return content(folder_ / "report/index.html"); }
  Json data() const {
    const std::string text = page(), begin = "<script id=\"data\" type=\"application/json\">";
    const std::size_t at = text.find(begin) + begin.size();
    return Json::parse(text.substr(at, text.find("</script>", at) - at));
  }
  std::size_t picture_files() const {
    const fs::directory_iterator files(folder_ / "report/pictures");
    return static_cast<std::size_t>(std::distance(begin(files), end(files)));
  }
  void write(const ComparisonRun& run, std::uint64_t max_bytes = kReportBytes) const {
    write_report(folder_ / "report", run, max_bytes);
  }

  TemporaryFolder folder_;
};

TEST_F(Report, HoldsTheFailuresWithPicturesAndThePassesByName) {
  write(run_of(2));
  EXPECT_NE(page().find("<title>title &lt;&amp;></title>"), std::string::npos);
  const Json json = data();
  EXPECT_EQ(json.at("counts").at("differ"), 2);
  EXPECT_EQ(json.at("failures").size(), 2u);
  EXPECT_EQ(json.at("failures")[1].at("name"), "1</script>.png");
  EXPECT_EQ(json.at("failures")[1].at("pictures").at("file"), "pictures/000001.js");
  EXPECT_EQ(json.at("passes"), Json::parse(R"([["same.png"]])"));
  EXPECT_EQ(picture_files(), 2u);
  EXPECT_EQ(content(folder_ / "report/pictures/000001.js").find("roundelPictures(1,{factor:1,"),
            0u);
}

TEST_F(Report, HoldsPlainPngFilesAsTheyAre) {
  write(run_of(1));
  const std::string script = content(folder_ / "report/pictures/000000.js");
  const auto holds = [&script](const std::string& file) {
    std::string digits, start = content(file).substr(0, 3 * 20);
    for (std::size_t i = 0; i < start.size(); i += 3) {  // base64, by its definition
      unsigned group = 0;
      for (std::size_t k = 0; k < 3; ++k)
        group = group << 8 | static_cast<unsigned char>(start[i + k]);
      for (int shift = 18; shift >= 0; shift -= 6)
        digits +=
            "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/"[group >> shift &
                                                                               63U];
    }
    return script.find(digits) != std::string::npos;
  };
  EXPECT_TRUE(holds(folder_ / "golden.png"));
  EXPECT_TRUE(holds(folder_ / "actual.png"));
  EXPECT_NE(script.find(",max_delta:0"), std::string::npos);
  EXPECT_EQ(script.find("difference:"), std::string::npos);
}

TEST_F(Report, KnownPlacesChangeNoFile) {
  for (const int channels : {3, 4}) {
    Image image;
    image.resize(64, 64, channels);
    std::fill(image.bytes.begin(), image.bytes.end(), std::uint8_t{100});
    write_png(folder_ / "golden.png", image, {});
    write_png(folder_ / "actual.png", with_spot(image, 9, 9), {});
    std::string script;
    for (const bool knows : {false, true}) {
      Measures measures;
      measures.places = knows;
      const ComparisonRun run = run_of(1, measures);
      EXPECT_EQ(run.results[0].places.has_value(), knows);
      write(run);
      const std::string written = content(folder_ / "report/pictures/000000.js");
      EXPECT_NE(written.find("all_places:1,"), std::string::npos);
      EXPECT_TRUE(!knows || written == script);
      script = written;
    }
  }
}

TEST_F(Report, EqualRunsGiveEqualFiles) {
  write(run_of(3));
  const std::string first = page(), picture = content(folder_ / "report/pictures/000002.js");
  write(run_of(3));
  EXPECT_EQ(page(), first);
  EXPECT_EQ(content(folder_ / "report/pictures/000002.js"), picture);
}

TEST_F(Report, ReplacesEarlierReportsOnly) {
  write(run_of(3));
  write(run_of(1));
  EXPECT_EQ(picture_files(), 1u);
  folder_.write("report/index.html", "<p>somebody else's page</p>");
  EXPECT_EQ(message_of([&] { write(run_of(1)); }, ExitCode::kOutputRefused),
            (folder_ / "report/index.html") +
                ": exists and is not a report of Roundel; name another folder");
  EXPECT_EQ(page(), "<p>somebody else's page</p>");
}

TEST_F(Report, RemovalKeepsForeignFiles) {
  write(run_of(2));
  folder_.write("report/pictures/notes.js", "mine");
  folder_.write("report/notes.txt", "mine");
  remove_report(folder_ / "report");
  EXPECT_FALSE(fs::exists(folder_ / "report/index.html"));
  EXPECT_EQ(picture_files(), 1u);
  EXPECT_TRUE(fs::exists(folder_ / "report/notes.txt"));
  folder_.write("report/index.html", "<p>somebody else's page</p>");
  folder_.write("report/pictures/000001.js", "somebody else's");
  remove_report(folder_ / "report");
  EXPECT_EQ(page(), "<p>somebody else's page</p>");
  EXPECT_EQ(picture_files(), 2u);
}

TEST_F(Report, IgnoresLinks) {
  write(run_of(1));
  fs::rename(folder_ / "report/pictures", folder_ / "elsewhere");
  fs::create_directory_symlink("../elsewhere", folder_ / "report/pictures");
  remove_report(folder_ / "report");
  EXPECT_TRUE(fs::exists(folder_ / "elsewhere/000000.js"));
  EXPECT_EQ(message_of([&] { write(run_of(1)); }, ExitCode::kOutputRefused),
            (folder_ / "report/pictures") + ": expected a folder; links are not followed");
}

TEST_F(Report, LimitsTheSizeOfPictures) {
  write(run_of(1));
  const std::uint64_t one = fs::file_size(folder_ / "report/pictures/000000.js");
  write(run_of(200), 70 * one);
  EXPECT_GE(picture_files(), 60u);  // numbers of two and three digits make them a little longer
  EXPECT_LE(picture_files(), 70u);
  const Json failures = data().at("failures");
  EXPECT_EQ(failures.size(), 200u);
  EXPECT_TRUE(failures[0].contains("pictures"));
  EXPECT_FALSE(failures[199].contains("pictures"));
  EXPECT_EQ(failures[199].at("left_out"), "the report would be too large");
}

TEST_F(Report, LeavesOutOnlyTheLargestFiles) {
  write_png(folder_ / "noise.png", noise_image(200, 200), {});
  write_png(folder_ / "noise2.png", with_spot(noise_image(200, 200), 9, 9), {});
  ComparisonRun run = run_of(3);
  run.results[0].golden_path = folder_ / "noise.png";
  run.results[0].actual_path = folder_ / "noise2.png";
  write(run, 100'000);
  const Json failures = data().at("failures");
  EXPECT_EQ(failures[0].at("left_out"), "the report would be too large");
  EXPECT_TRUE(failures[1].contains("pictures"));
  EXPECT_TRUE(failures[2].contains("pictures"));
}

TEST_F(Report, ReducesALargePicture) {
  if (kSanitized) GTEST_SKIP() << "packs large pictures";
  const Image large = plain_image(8200, 1500);
  write_png(folder_ / "golden.png", large, {});
  write_png(folder_ / "actual.png", with_spot(with_spot(large, 4000, 50), 3, 1499), {});
  write(run_of(1));
  EXPECT_EQ(picture_files(), 1u);
  EXPECT_EQ(content(folder_ / "report/pictures/000000.js")
                .find("roundelPictures(0,{factor:5,all_places:2,places:["
                      "[4000,50,1,1,1,4000,50],[3,1499,1,1,1,3,1499]],golden:{"),
            0u);
}

TEST_F(Report, ShowsTheReadablePictureOfABrokenPair) {
  ComparisonRun run = run_of(1);
  run.results[0].state = PairState::kNotCompared;
  run.results[0].reasons = {"torn"};
  folder_.write("actual.png", "torn");
  write(run);
  EXPECT_TRUE(data().at("failures")[0].contains("pictures"));
  folder_.write("golden.png", "torn");
  write(run);
  EXPECT_FALSE(data().at("failures")[0].contains("pictures"));
  EXPECT_EQ(picture_files(), 0u);
}

TEST_F(Report, ToleratesAVanishedPicture) {
  const ComparisonRun run = run_of(1);
  fs::remove(folder_ / "actual.png");
  write(run);
  EXPECT_NE(data().at("failures")[0].at("left_out").get<std::string>().find("no such file"),
            std::string::npos);
}

}  // namespace
}  // namespace roundel
