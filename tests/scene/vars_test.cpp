#include "renderer/scene/vars.h"

#include "renderer/scene/fingerprint.h"
#include "tests/scene/testing.h"

namespace roundel {
namespace {

std::string print_of(const std::string& text, const std::vector<VarSetting>& vars = {}) {
  SceneOverrides overrides;
  overrides.vars = vars;
  return fingerprint(parse_scene(text, "s.yaml", overrides));
}

const std::string kPlain =
    "version: 1\n"
    "image: {width: 64, background: \"#ff8000\"}\n"
    "view: {center: [0.25, 0.5]}\n"
    "layers:\n"
    "  - circles: [{x: 0.5, y: 0.25, radius: 0.125}, {x: 0.5, y: 0.25, radius: 0.125}]\n"
    "    opacity: 0.75\n";

const std::string kVars =
    "vars: {gain: 0.75, tint: \"#ff8000\", middle: [0.25, 0.5], side: 64,\n"
    "       dot: {x: 0.5, y: 0.25, radius: 0.125}}\n"
    "version: 1\n"
    "image: {width: $side, background: $tint}\n"
    "view: {center: $middle}\n"
    "layers:\n"
    "  - circles: [$dot, $dot]\n"
    "    opacity: \"$gain\"\n";

TEST(Vars, TakeValuesOfAnyKind) {
  EXPECT_EQ(print_of(kVars), print_of(kPlain));
}

TEST(Vars, TheCommandLineReplacesThem) {
  const std::string expected = print_of(kPlain);
  std::string other = kVars;
  other.replace(other.find("0.75"), 4, "0.1");
  other.replace(other.find("\"#ff8000\""), 9, "0");
  other.replace(other.find("[0.25, 0.5]"), 11, "[0, 0]");
  EXPECT_NE(print_of(other), expected);
  const std::vector<VarSetting> settings = {
      {"gain", "0.9"}, {"gain", "0.75"}, {"tint", "#ff8000"}, {"middle", "[0.25, 0.5]"}};
  EXPECT_EQ(print_of(other, settings), expected);
  EXPECT_EQ(print_of(kVars, {{"dot", "{x: 0.5, y: 0.25, radius: 0.125, color: #000000}"}}),
            expected);
}

TEST(Vars, FormPartsOfPathsAndTwoDollarsMeanOne) {
  const TemporaryFolder folder;
  folder.write("a_7$b.csv", "x,y\n0,0\n");
  const auto load = [&](const std::string& vars, const std::string& data) {
    return parse_scene("version: 1\nvars: {n: 7, " + vars + "}\nlayers:\n  - {data: " + data +
                           ", map: {x: x, y: y, radius: 1}, name: $$n}\noutput: \"$n ${n}.png\"\n",
                       folder / "s.yaml");
  };
  for (const Scene& scene :
       {load("kind: a_", "\"${kind}${n}$$b.csv\""), load("whole: a_7$b.csv", "$whole")}) {
    EXPECT_EQ(std::get<DataSource>(scene.layers[0].source).path, folder / "a_7$b.csv");
    EXPECT_EQ(scene.layers[0].name, "$n");
    EXPECT_EQ(scene.output, "$n 7.png") << "parts have braces";
  }
}

TEST(Vars, WrongValueIsReportedAtItsPlaceAndForEachUse) {
  EXPECT_EQ(parse_error("version: 1\nvars: {a: 2, b: -1}\nlayers:\n"
                        "  - circles: [{x: 0, y: 0, radius: $b}, {x: 0, y: $c, radius: $b}]\n"
                        "    opacity: $a\n"),
            "s.yaml:2:11: layers[0].opacity: expected a number from 0 to 1, got 2\n"
            "s.yaml:2:17: layers[0].circles[0].radius: expected a number > 0, got -1\n"
            "s.yaml:2:17: layers[0].circles[1].radius: expected a number > 0, got -1\n"
            "s.yaml:4:51: unknown var \"c\"");
}

TEST(Vars, UnknownVarSuggestsAnUnusedOne) {
  EXPECT_EQ(parse_error("version: 1\nvars: {gian: 1, other: 2}\nlayers:\n"
                        "  - {generator: rgb, opacity: $gain}\n"
                        "output: ${others}.png\n"),
            "s.yaml:2:8: vars.gian: unused: write $gian as a value (did you mean \"gain\"?)\n"
            "s.yaml:2:17: vars.other: unused: write $other as a value (did you mean \"others\"?)\n"
            "s.yaml:4:31: unknown var \"gain\" (did you mean \"gian\"?)\n"
            "s.yaml:5:9: unknown var \"others\" (did you mean \"other\"?)");
}

TEST(Vars, SettingNeedsAVarAndOneValue) {
  const auto refusal = [](const std::string& name, const std::string& value) {
    return message_of([&] { print_of(kVars, {{name, value}}); }, ExitCode::kUsage);
  };
  EXPECT_EQ(refusal("gian", "1"), "--set gian: s.yaml has no such var (did you mean \"gain\"?)");
  EXPECT_EQ(refusal("NAME", "1"),
            "--set NAME: s.yaml has no such var; there are gain, tint, middle, side and dot");
  for (const std::string value : {"", "1, 2", "[1", "}", "1]", "&a 1", "1], [2", "a #b.csv"})
    EXPECT_EQ(refusal("gain", value),
              "--set gain: expected one value, as 0.5, \"text\" or [1, 2], got \"" + value + "\"");
}

TEST(Vars, WrongSettingIsReportedWithItsOption) {
  const std::string text =
      "version: 1\nvars: {a: 1, b: 0.1}\nlayers:\n"
      "  - {circles: [{x: 0, y: 0, radius: $b}], opacity: $a}\n";
  SceneOverrides overrides;
  overrides.vars = {{"b", "2"}, {"b", "-1"}, {"a", "2"}};
  EXPECT_EQ(message_of([&] { parse_scene(text, "s.yaml", overrides); }),
            "s.yaml:2:11: --set a: layers[0].opacity: expected a number from 0 to 1, got 2\n"
            "s.yaml:2:17: --set b: layers[0].circles[0].radius: expected a number > 0, got -1");
}

TEST(Vars, RepeatedVarsCountTowardsTheValueLimit) {
  if (kAddressSanitized) GTEST_SKIP() << "sanitizers change how much memory is needed";
  std::string text = "version: 1\nvars: {many: [";
  for (int i = 0; i < 10'000; ++i) text += "1,";
  text += "1]}\nlayers:\n";
  for (int i = 0; i < 10'000; ++i) text += "  - $many\n";
  const std::string error = parse_error(text);
  EXPECT_NE(error.find("too many values, with those of vars"), std::string::npos) << error;
}

}  // namespace
}  // namespace roundel
