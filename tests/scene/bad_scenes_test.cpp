#include <fstream>
#include <sstream>

#include "renderer/base/text.h"
#include "renderer/format/format_errors.h"
#include "renderer/format/yaml_tree.h"
#include "tests/scene/testing.h"

namespace roundel {
namespace {

TEST(BadScenes, HaveTheExactMessages) {
  const std::string path = ROUNDEL_SOURCE_DIR "/tests/scene/bad_scenes.yaml";
  std::stringstream text;
  text << std::ifstream(path).rdbuf();
  YamlTree cases(text.str(), path, "list of scenes");
  std::size_t count = 0;
  cases.root().for_each_item([&](YamlNode bad) {
    ++count;
    SCOPED_TRACE(bad.find("name")->text());
    std::string expected;
    std::istringstream lines(std::string(bad.find("errors")->text()));
    for (std::string line; std::getline(lines, line);)
      expected += (expected.empty() ? "s.yaml:" : "\ns.yaml:") + line;
    EXPECT_EQ(parse_error(std::string(bad.find("scene")->text())), expected);
  });
  EXPECT_GE(count, 90u);
}

TEST(BadScenes, ColumnsAndLinesCountFromOneAcrossComments) {
  EXPECT_EQ(parse_error("# one\n\n   # three\nversion: 1\nlayers: []\n\n  \nsead: 2\n"),
            "s.yaml:8:1: unknown key \"sead\" (did you mean \"seed\"?)");
}

TEST(BadScenes, OnlyTheFirstHundredProblemsAreListed) {
  std::string text = "version: 1\nlayers: []\n";
  for (int i = 0; i < 1000; ++i) text += "key" + std::to_string(i) + ": 1\n";
  const std::string error = parse_error(text);
  EXPECT_EQ(std::count(error.begin(), error.end(), '\n'), 100);
  EXPECT_TRUE(error.ends_with("\ns.yaml: 900 more errors")) << error;
}

// Words of the scene are shortened in the middle, so that the place and the problem remain.
TEST(BadScenes, LinesOfMessagesAreShort) {
  if (kAddressSanitized) GTEST_SKIP() << "reads megabytes of text";
  const auto repeat = [](const std::string& word, int times) {
    std::string text;
    for (int i = 0; i < times; ++i) text += word;
    return text;
  };
  const std::string start = "version: 1\nlayers:\n";
  for (const char* letter : {"a", "b ", "é", "€"}) {
    SCOPED_TRACE(letter);
    const std::string long_word = repeat(letter, 100'000);
    for (const std::string& scene : {
             start + "  - {data: " + long_word + ".npy, columns: [x, y, radius]}",
             start + "  - {data: folder/" + long_word + ".npy, columns: [x]}",
             start + "  - generator: " + long_word,
             start + "  - {shader: \"" + long_word + "\"}",
             start + "  - {" + repeat(letter, 900) + ": 1}",
             start + "  - {circles: [{x: '" + long_word + "'}]}",
             "version: 1\nlayers: []\noutput: \"\\t" + long_word + "\"",
             "version: " + long_word,
             long_word,
         }) {
      std::istringstream lines(parse_error(scene));
      for (std::string line; std::getline(lines, line);) {
        EXPECT_LE(line.size(), kMaxErrorLineBytes);
        EXPECT_TRUE(line.starts_with("s.yaml:")) << line;
        EXPECT_FALSE(find_non_text(line)) << line;
      }
    }
    const std::string error =
        parse_error(start + "  - {data: " + repeat(letter, 400) + ".npy, columns: [x, y, radius]}");
    EXPECT_TRUE(error.starts_with("s.yaml:3:12: layers[0].data: " + repeat(letter, 20))) << error;
    EXPECT_TRUE(error.ends_with(repeat(letter, 20) + ".npy: File name too long")) << error;
    EXPECT_NE(error.find("…"), std::string::npos);
  }
}

TEST(BadScenes, ThousandsOfLongProblemsFillFewPages) {
  if (kAddressSanitized) GTEST_SKIP() << "reads megabytes of text";
  std::string text = "version: 1\nlayers:\n";
  for (int i = 0; i < 900; ++i)
    text += "  - {data: " + std::string(5000, 'd') + ".npy, columns: [x, y, radius]}\n";
  const std::string error = parse_error(text);
  EXPECT_TRUE(error.ends_with("\ns.yaml: 800 more errors"));
  EXPECT_LT(error.size(), FormatErrors::kMaxReported * (kMaxErrorLineBytes + 1) + 100);
}

TEST(Errors, LongLinesLoseTheirMiddle) {
  const std::string longest(kMaxErrorLineBytes, 'x');
  EXPECT_EQ(error_text({}), "");
  EXPECT_EQ(error_text(Lines("a") + "b\n"), "a\nb");
  EXPECT_EQ(error_text(Lines(longest) + longest), longest + "\n" + longest);
  const std::string shortened = error_text(Lines("a") + (longest + "y") + "b");
  EXPECT_EQ(shortened.find("a\nxxx"), 0u);
  EXPECT_TRUE(shortened.ends_with("xxy\nb")) << shortened;
  EXPECT_NE(shortened.find("x…x"), std::string::npos);
  EXPECT_LE(shortened.size(), kMaxErrorLineBytes + 4);
  EXPECT_EQ(std::string(Error(ExitCode::kUsage, longest + "y").what()), error_text(longest + "y"));
}

TEST(Errors, LineFeedsInNamesAreEscaped) {
  const Error error(ExitCode::kUsage, Lines("a\n::error::b.yaml: \x1b[31m") + "c");
  EXPECT_STREQ(error.what(), "a\\x0a::error::b.yaml: \\x1b[31m\nc");
  EXPECT_EQ(error.lines().all(),
            (std::vector<std::string>{"a\\x0a::error::b.yaml: \\x1b[31m", "c"}));
}

TEST(BadScenes, DataFilesAreCheckedWithTheScene) {
  const TemporaryFolder folder;
  folder.write("junk.npy", "this is no array");
  const std::string scene = folder.write("s.yaml",
                                         "version: 1\nlayers:\n  - data: junk.npy\n"
                                         "    columns: [x, y, radius]\n    shader: solid\n");
  EXPECT_EQ(message_of([&] { load_scene(scene); }),
            scene + ":3:11: layers[0].data: " + (folder / "junk.npy") +
                ": expected an .npy array, but it does not start like one");
}

TEST(BadScenes, NamesOfLayersAreUnique) {
  EXPECT_EQ(parse_error("version: 1\nlayers:\n"
                        "  - {name: a, generator: rgb}\n"
                        "  - {name: \"b,c\", generator: rgb}\n"
                        "  - {name: a, generator: rgb, opacity: 1.5, scale: 0, pivot: 1}\n"),
            "s.yaml:4:12: layers[1].name (\"b,c\"): expected a name without commas, got \"b,c\"\n"
            "s.yaml:5:12: layers[2].name (\"a\"): \"a\" is already the name of layers[0]\n"
            "s.yaml:5:40: layers[2].opacity (\"a\"): expected a number from 0 to 1, got 1.5\n"
            "s.yaml:5:52: layers[2].scale (\"a\"): expected a number > 0, got 0\n"
            "s.yaml:5:62: layers[2].pivot (\"a\"): expected a point [x, y], got 1");
}

TEST(BadScenes, NamesOfLayersAreInMessages) {
  EXPECT_EQ(
      parse_error("version: 1\nvars: {name: stars}\nlayers:\n"
                  "  - {name: $name, circles: [{x: 0, y: 0, radius: big}]}\n"
                  "  - {generator: rbg}\n"
                  "  - {name: [1], random: {count: 1}, shade: 1}\n"
                  "  - {name: dust, data: dust.npy, map: {x: 0, y: 0, radius: 1}}\n"),
      "s.yaml:4:50: layers[0].circles[0].radius (\"stars\"): expected a number > 0, got "
      "\"big\"\n"
      "s.yaml:5:17: layers[1].generator: expected one of rgb, rgby, rand10k, rand100k, rand1M, "
      "micro2M, biglittle, littlebig, pattern, snow, snowsingle, bouncingballs, hypnosis or "
      "fireworks, got \"rbg\" (did you mean \"rgb\"?)\n"
      "s.yaml:6:12: layers[2].name: expected a name, got a list of 1\n"
      "s.yaml:6:37: layers[2]: unknown key \"shade\" (did you mean \"shader\"?)\n"
      "s.yaml:7:24: layers[3].data (\"dust\"): dust.npy: no such file");
}

TEST(BadScenes, ShownLayersMustExist) {
  const auto error_of_layers = [](const std::string& layers, const std::string& shown) {
    SceneOverrides overrides;
    overrides.layers = std::vector<std::string>{shown};
    return message_of([&] { parse_scene("version: 1\nlayers: " + layers, "s.yaml", overrides); },
                      ExitCode::kUsage);
  };
  const std::string named = "[{name: stars, generator: rgb}, {name: dust, generator: rgb}]";
  EXPECT_EQ(error_of_layers(named, "strs"),
            "--layers: s.yaml has no layer named \"strs\" (did you mean \"stars\"?)");
  EXPECT_EQ(error_of_layers(named, "planets"),
            "--layers: s.yaml has no layer named \"planets\" (named: stars and dust)");
  EXPECT_EQ(error_of_layers("[{generator: rgb}]", "stars"),
            "--layers: s.yaml has no layer named \"stars\" (its layers have no names)");
}

TEST(BadScenes, MissingFilesAndFoldersAreInvalid) {
  const TemporaryFolder folder;
  EXPECT_EQ(message_of([&] { load_scene(folder / "none.yaml"); }),
            (folder / "none.yaml") + ": no such file");
  EXPECT_EQ(message_of([&] { load_scene(folder / ""); }),
            (folder / "") + ": expected a file, got a directory");
  EXPECT_EQ(message_of([] { load_scene("/dev/null"); }), "/dev/null: expected a regular file");
}

}  // namespace
}  // namespace roundel
