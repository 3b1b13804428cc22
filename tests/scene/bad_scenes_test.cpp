#include <yaml-cpp/yaml.h>

#include <sstream>

#include "tests/scene/testing.h"

namespace roundel {
namespace {

TEST(BadScenes, HaveExactlyTheirMessages) {
  const YAML::Node cases = YAML::LoadFile(ROUNDEL_SOURCE_DIR "/tests/scene/bad_scenes.yaml");
  ASSERT_GE(cases.size(), 90u);
  for (const YAML::Node& bad : cases) {
    SCOPED_TRACE(bad["name"].as<std::string>());
    std::string expected;
    std::istringstream lines(bad["errors"].as<std::string>());
    for (std::string line; std::getline(lines, line);)
      expected += (expected.empty() ? "s.yaml:" : "\ns.yaml:") + line;
    EXPECT_EQ(parse_error(bad["scene"].as<std::string>()), expected);
  }
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

TEST(BadScenes, DataFilesAreCheckedWithTheScene) {
  const TemporaryFolder folder;
  folder.write("junk.npy", "this is no array");
  const std::string scene = folder.write("s.yaml",
                                         "version: 1\nlayers:\n  - data: junk.npy\n"
                                         "    columns: [x, y, radius]\n    shader: solid\n");
  EXPECT_EQ(error_of([&] { load_scene(scene); }),
            scene + ":3:11: layers[0].data: " + (folder / "junk.npy") +
                ": expected an .npy array, but it does not start like one");
}

TEST(BadScenes, MissingFilesAndFoldersAreInvalid) {
  const TemporaryFolder folder;
  EXPECT_EQ(error_of([&] { load_scene(folder / "none.yaml"); }),
            (folder / "none.yaml") + ": no such file");
  EXPECT_EQ(error_of([&] { load_scene(folder / ""); }),
            (folder / "") + ": expected a file, got a directory");
  EXPECT_EQ(error_of([] { load_scene("/dev/null"); }), "/dev/null: expected a regular file");
}

}  // namespace
}  // namespace roundel
