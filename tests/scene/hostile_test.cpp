// Inputs made to take much time or memory. All must be refused, well within the test's limit.
#include <sys/resource.h>
#include <sys/stat.h>

#include <chrono>

#include "renderer/format/yaml_tree.h"
#include "tests/scene/testing.h"

namespace roundel {
namespace {

std::string repeat(const std::string& part, std::size_t times) {
  std::string text;
  text.reserve(part.size() * times);
  for (std::size_t i = 0; i < times; ++i) text += part;
  return text;
}

constexpr std::size_t kMillion = 1'000'000;

TEST(HostileScenes, RejectsMillionDeepNestingAtTheLimit) {
  const std::string too_deep = ": nested too deeply (at most 64 levels)";
  EXPECT_EQ(parse_error(repeat("[", kMillion)), "s.yaml:1:65" + too_deep);
  EXPECT_EQ(parse_error(repeat("{", kMillion)), "s.yaml:1:2: expected a key that is a single word");
  EXPECT_EQ(parse_error(repeat("{a: ", kMillion)), "s.yaml:1:257" + too_deep);
  EXPECT_EQ(parse_error(repeat("[\n", kMillion)), "s.yaml:65:1" + too_deep);
  EXPECT_EQ(parse_error(repeat("- ", kMillion)), "s.yaml:1:129" + too_deep);
  std::string stairs;
  for (std::size_t i = 0; i < 2000; ++i) stairs += std::string(i, ' ') + "a:\n";
  EXPECT_EQ(parse_error(stairs), "s.yaml:65:65" + too_deep);
}

TEST(HostileScenes, AcceptsNestingUpToTheLimit) {
  EXPECT_EQ(parse_error(repeat("[", 64) + repeat("]", 64)),
            "s.yaml:1:1: expected a scene {version: 1, layers: [...], ...}, got a list of 1");
  EXPECT_EQ(parse_error(repeat("[", 65) + repeat("]", 65)),
            "s.yaml:1:65: nested too deeply (at most 64 levels)");
}

TEST(HostileScenes, RejectsAHundredMegabytesUnread) {
  const TemporaryFolder folder;
  const std::string path = folder.write("big.yaml", "version: 1\n");
  std::filesystem::resize_file(path, 100 * kMillion);
  const auto start = std::chrono::steady_clock::now();
  EXPECT_EQ(
      message_of([&] { load_scene(path); }),
      path + ":1:1: expected a scene file of at most 16.0 MiB; put bulk data into an .npy file");
  EXPECT_LT(std::chrono::steady_clock::now() - start, std::chrono::seconds(5));
}

TEST(HostileScenes, RejectsTooManyValues) {
  EXPECT_EQ(parse_error(repeat("[", 1) + repeat("a,", 5 * kMillion)),
            "s.yaml:1:8000001: too many values; put bulk data into an .npy file");
}

TEST(HostileScenes, RejectsInvalidTextWithItsPlace) {
  EXPECT_EQ(parse_error(std::string("version: 1\nseed: \0", 18)),
            "s.yaml:2:7: expected UTF-8 text, got the byte 0x00");
  EXPECT_EQ(parse_error("\x7f"
                        "ELF\x02\x01"),
            "s.yaml:1:1: expected UTF-8 text, got the byte 0x7f");
  EXPECT_EQ(parse_error("# caf\xe9\n"), "s.yaml:1:6: expected UTF-8 text, got the byte 0xe9");
  EXPECT_EQ(parse_error("a: \xed\xa0\x80"), "s.yaml:1:4: expected UTF-8 text, got the byte 0xed");
  EXPECT_EQ(parse_error("a: \xc0\xaf"), "s.yaml:1:4: expected UTF-8 text, got the byte 0xc0");
  EXPECT_EQ(parse_error("a: \xf4\x90\x80\x80"),
            "s.yaml:1:4: expected UTF-8 text, got the byte 0xf4");
  EXPECT_EQ(parse_error("\xff\xfe"
                        "a"),
            "s.yaml:1:1: expected UTF-8 text, got the byte 0xff");
  EXPECT_EQ(parse_error("a: \x1b[31m"), "s.yaml:1:4: expected UTF-8 text, got the byte 0x1b");
}

TEST(HostileScenes, ReadsRepetitionsOfOneCharacterQuickly) {
  for (const char* part :
       {"\"",    "'",     "a", "a\n",          "#",  "\n", " ", "\t", "&a ", "!a ",
        "---\n", "...\n", "%", "%TAG !a! b\n", ": ", "? ", "-", "[]", "]",   "*",
        "|\n",   ">"}) {
    SCOPED_TRACE(part);
    const auto start = std::chrono::steady_clock::now();
    EXPECT_FALSE(parse_error(repeat(part, 300'000)).empty());
    EXPECT_LT(std::chrono::steady_clock::now() - start, std::chrono::seconds(20));
  }
}

TEST(HostileScenes, AMillionUnknownKeysNeedLittleMemory) {
  if (kAddressSanitized) GTEST_SKIP() << "sanitizers change how much memory is needed";
  std::string text = "version: 1\nlayers: []\n";
  for (int i = 0; i < 300'000; ++i) text += "k: 1\n";
  const std::string error = parse_error(text);
  EXPECT_LT(error.size(), 20'000u);
  EXPECT_TRUE(error.ends_with("s.yaml: 299900 more errors")) << error.substr(error.size() - 100);
}

TEST(HostileScenes, RejectsAFifoWithoutAWriter) {
  const TemporaryFolder folder;
  const std::string fifo = folder / "fifo";
  ASSERT_EQ(::mkfifo(fifo.c_str(), 0600), 0);
  EXPECT_EQ(message_of([&] { load_scene(fifo); }), fifo + ": expected a regular file");
}

TEST(HostileScenes, ManyInlineCirclesAreReadInLittleMemory) {
  if (kAddressSanitized) GTEST_SKIP() << "sanitizers change how much memory is needed";
  std::string text = "version: 1\nlayers:\n  - circles:\n";
  for (int i = 0; i < 20'000; ++i)
    text += "      - {x: 0.25, y: 0.75, radius: 0.01, color: [0.1, 0.2, 0.3], alpha: 0.5}\n";
  rusage before{}, after{};
  ::getrusage(RUSAGE_SELF, &before);
  const Scene scene = parse_scene(text, "s.yaml");
  ::getrusage(RUSAGE_SELF, &after);
  EXPECT_EQ(std::get<InlineSource>(scene.layers[0].source).circles.size(), 20'000u);
  EXPECT_LT(after.ru_maxrss - before.ru_maxrss, 100 * 1024) << "KiB";
}

// Yaml-cpp holds all tokens of such a layer: 750 MiB, unless it is read in pieces.
TEST(HostileScenes, LargestSceneTakesAtMostFiveSecondsAndLittleMemory) {
#ifdef ROUNDEL_SANITIZED
  constexpr std::size_t kBytes = std::size_t{2} << 20;
#else
  constexpr std::size_t kBytes = YamlTree::kMaxFileBytes;
#endif
  const std::string circle =
      "{x: 0.250000, y: 0.750000, radius: 0.010000, color: [0.1, 0.2, 0.3]},\n";
  const std::string begin = "{version: 1, layers: [{circles: [\n";
  const std::string end = "{x: 1, y: 1, radius: 1}]}]}";
  const std::size_t count = (kBytes - begin.size() - end.size()) / circle.size();
  const std::string text = begin + repeat(circle, count) + end;
  rusage before{}, after{};
  ::getrusage(RUSAGE_SELF, &before);
  const Scene scene = parse_scene(text, "s.yaml");
  ::getrusage(RUSAGE_SELF, &after);
  const std::vector<InlineCircle>& circles = std::get<InlineSource>(scene.layers[0].source).circles;
  ASSERT_EQ(circles.size(), count + 1);
  EXPECT_EQ(circles[count / 2].x, circles[0].x);
  EXPECT_NE(circles[count].x, circles[0].x);
#ifndef ROUNDEL_SANITIZED
  EXPECT_LT(after.ru_maxrss - before.ru_maxrss, 500 * 1024) << "KiB";
#ifdef __OPTIMIZE__
  EXPECT_LT(after.ru_utime.tv_sec - before.ru_utime.tv_sec, 10) << "twice the limit: others work";
#endif
#endif
}

// Errors within the parts read in pieces, and after them, have their places.
TEST(HostileScenes, LongListsInBracketsKeepTheirPlaces) {
  const std::string circles = repeat("{x: 1, y: 1, radius: 1},\n", 50'000);
  EXPECT_EQ(parse_error("{version: 1, layers: [{circles: [\n" + circles +
                        "{x: 1, y: 1, radius: é}]}], sead: 1}"),
            "s.yaml:50002:22: layers[0].circles[50000].radius: expected a number > 0, got \"é\"\n"
            "s.yaml:50002:29: unknown key \"sead\" (did you mean \"seed\"?)");
  EXPECT_EQ(parse_error("version: 1\nlayers: [{circles: [\n" + circles + "]}]\nsead: 1\n"),
            "s.yaml:50004:1: unknown key \"sead\" (did you mean \"seed\"?)");
}

}  // namespace
}  // namespace roundel
