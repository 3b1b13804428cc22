#include "renderer/compare/golden_rules.h"

#include <gtest/gtest.h>

#include "tests/image/image_test_support.h"
#include "tests/testing.h"

namespace roundel {
namespace {

constexpr const char* kManifest = R"(version: 1
tolerances:
  - pictures: "snow*"
    max-delta: 2
    max-pixels: 12
  - pictures: [film/*, "*.exr"]
    max-pixels: {percent: 0.5}
    max-density: {pixels: 4, width: 8, height: 16}
    flip-mean: 0.01
)";

Tolerance usual() {
  Tolerance tolerance;
  tolerance.max_delta = 7;
  return tolerance;
}

std::string manifest_error(const std::string& text) {
  return message_of([&] { parse_manifest(text, "g.yaml", {}); });
}

TEST(GoldenRules, FirstMatchingRuleAppliesAsAWhole) {
  const GoldenRules rules = parse_manifest(kManifest, "g.yaml", usual());
  ASSERT_EQ(rules.size(), 3u);

  const GoldenRule& snow = rule_for(rules, "snow.exr");
  EXPECT_EQ(snow.name, "g.yaml:3 \"snow*\"");
  EXPECT_EQ(snow.tolerance.max_delta, 2);
  EXPECT_EQ(snow.tolerance.max_pixels, 12);
  EXPECT_FALSE(snow.tolerance.pixels_in_percent);
  EXPECT_FALSE(snow.tolerance.flip_mean);

  for (const char* name : {"film/snow.png", "a/b.exr"}) {
    const GoldenRule& film = rule_for(rules, name);
    EXPECT_EQ(film.name, "g.yaml:6 \"film/*\" and 1 more");
    EXPECT_EQ(film.tolerance.max_delta, 0);
    EXPECT_EQ(film.tolerance.max_pixels, 0.5);
    EXPECT_TRUE(film.tolerance.pixels_in_percent);
    EXPECT_EQ(film.tolerance.max_density->pixels, 4u);
    EXPECT_EQ(film.tolerance.max_density->width, 8);
    EXPECT_EQ(film.tolerance.max_density->height, 16);
    EXPECT_EQ(film.tolerance.flip_mean, 0.01);
  }
  EXPECT_EQ(rule_for(rules, "rgb.png").name, "default");
  EXPECT_EQ(rule_for(rules, "rgb.png").tolerance.max_delta, 7);
}

TEST(GoldenRules, MayLimitChannels) {
  const GoldenRules rules = parse_manifest(
      "version: 1\ntolerances:\n  - {pictures: a.exr, channel-delta: {\"Z\": 0.5, \"N.*\": 0}}\n",
      "g.yaml", {});
  const auto& deltas = rule_for(rules, "a.exr").tolerance.channel_deltas;
  ASSERT_EQ(deltas.size(), 2U);
  EXPECT_EQ(deltas[0].pattern, "Z");
  EXPECT_EQ(deltas[0].max_delta, 0.5);
  EXPECT_EQ(deltas[1].pattern, "N.*");
  EXPECT_EQ(manifest_error("version: 1\ntolerances:\n  - {pictures: a, channel-delta: {Z: -1}}\n"),
            "g.yaml:3:38: tolerances[0].channel-delta.Z: expected a number >= 0, got -1");
}

TEST(GoldenRules, MayIgnorePixels) {
  const TemporaryFolder folder;
  write_png(folder / "clock.png", random_image(8, 4, 3, 1), {});
  const GoldenRules rules = parse_manifest(R"(version: 1
tolerances:
  - pictures: "a*"
    ignore: [{x: 1, y: 0, width: 4, height: 2}, {x: 7, y: 8, width: 9, height: 10}]
    mask: clock.png
    ignore-antialiasing: true
)",
                                           folder / "g.yaml", {});
  const Tolerance& tolerance = rules[0].tolerance;
  ASSERT_EQ(tolerance.ignore.size(), 2u);
  EXPECT_EQ(tolerance.ignore[1].x, 7);
  EXPECT_EQ(tolerance.ignore[1].height, 10);
  EXPECT_EQ(tolerance.mask->pixels.width(), 8);
  EXPECT_TRUE(tolerance.ignores_antialiasing);
  EXPECT_EQ(masks_of(rules), std::vector<std::string>{folder / "clock.png"});

  EXPECT_EQ(manifest_error("version: 1\ntolerances:\n  - {pictures: a, mask: no.png}\n"
                           "  - {pictures: b, mask: nor.png}\n"),
            "g.yaml:3:25: mask: no.png: no such file\n"
            "g.yaml:4:25: mask: nor.png: no such file");
  EXPECT_EQ(manifest_error("version: 1\ntolerances: [{pictures: a, ignore: [{x: 1, y: 0, width: 0, "
                           "height: 2}]}]\n"),
            "g.yaml:2:57: tolerances[0].ignore[0].width: expected an integer from 1 to 65536, "
            "got 0");
}

TEST(GoldenRules, OneRuleAppliesWithoutAManifest) {
  EXPECT_EQ(rule_for(rules_without_manifest(usual()), "a.png").tolerance.max_delta, 7);
}

TEST(GoldenRules, ReportsUnusedRules) {
  const GoldenRules rules = parse_manifest(kManifest, "g.yaml", {});
  EXPECT_EQ(unused_rules(rules, {"default", "g.yaml:3 \"snow*\""}),
            std::vector<std::string>{"g.yaml:6 \"film/*\" and 1 more"});
}

TEST(GoldenRules, ReportsAllMistakesWithTheirPlaces) {
  EXPECT_EQ(manifest_error("version: 2\n"
                           "tolerances:\n"
                           "  - pictures: a.png\n"
                           "    max-dleta: 1\n"
                           "  - max-delta: -1\n"
                           "    max-pixels: 0.5%\n"
                           "  - {pictures: [], flip-mean: 2, max-density: 3/8x8}\n"
                           "  - {pictures: b, max-pixels: {percent: 101}}\n"
                           "  - {pictures: b, max-density: {pixels: 1, width: 0, height: 1}}\n"),
            "g.yaml:1:10: version: expected 1, got 2\n"
            "g.yaml:4:5: tolerances[0]: unknown key \"max-dleta\" (did you mean \"max-delta\"?)\n"
            "g.yaml:5:5: tolerances[1]: missing key \"pictures\"\n"
            "g.yaml:5:16: tolerances[1].max-delta: expected a number >= 0, got -1\n"
            "g.yaml:6:17: tolerances[1].max-pixels: expected a whole number of pixels, or a share "
            "as in {percent: 0.1}, got "
            "0.5%\n"
            "g.yaml:7:16: tolerances[2].pictures: expected a list of patterns, got a list of 0\n"
            "g.yaml:7:31: tolerances[2].flip-mean: expected a number from 0 to 1, got 2\n"
            "g.yaml:7:47: tolerances[2].max-density: expected {pixels: N, width: W, height: H}, "
            "got 3/8x8\n"
            "g.yaml:8:41: tolerances[3].max-pixels.percent: expected a number from 0 to 100, got "
            "101\n"
            "g.yaml:9:51: tolerances[4].max-density.width: expected an integer from 1 to 65536, "
            "got 0");
  EXPECT_EQ(manifest_error(""), "g.yaml:1:1: expected a manifest, got nothing");
  EXPECT_EQ(manifest_error("version: 1\ntolerances: []\ntolerances: []\n"),
            "g.yaml:3:1: key \"tolerances\" occurs twice, first in line 2");
}

TEST(GoldenRules, MissingManifestIsAnError) {
  EXPECT_EQ(message_of([] { read_manifest("no/goldens.yaml", {}); }),
            "no/goldens.yaml: no such file");
}

}  // namespace
}  // namespace roundel
