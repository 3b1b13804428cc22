#include "renderer/compare/pending_goldens.h"

#include <fmt/format.h>
#include <gtest/gtest.h>
#include <sys/stat.h>

#include "renderer/base/input_file.h"
#include "renderer/compare/accept_goldens.h"
#include "renderer/compare/stored_goldens.h"
#include "tests/compare/sample_pictures.h"

namespace roundel {
namespace {

namespace fs = std::filesystem;
using Names = std::vector<std::string>;

class Pending : public ::testing::Test {
 protected:
  Pending() { fs::create_directory(folder_ / "goldens"); }

  void keep(const Names& names, const Image& image = plain_image(4, 4),
            PendingGoldens::Others others = PendingGoldens::Others::kRemove) const {
    PendingGoldens pending(folder_ / "out", folder_ / "goldens", names, others);
    EXPECT_EQ(pending.leftover_problem(), "");
    for (const std::string& name : names) {
      pending.keep_actual(name, image, {"roundel", "0123", 1, 7});
      pending.keep_diff(name, image);
    }
  }
  Names names() const {
    Names names;
    for (const PendingGolden& golden : read_pending(folder_ / "out")) names.push_back(golden.name);
    return names;
  }
  AcceptableGoldens goldens() const { return {folder_ / "out", folder_ / "goldens"}; }
  Accepted accept(const std::string& name) const {
    AcceptableGoldens accepting = goldens();
    const Accepted accepted = accept_golden(accepting, name);
    commit_goldens(accepting);
    return accepted;
  }
  static std::pair<ino_t, std::int64_t> identity(const std::string& path) {
    struct stat status {};
    EXPECT_EQ(stat(path.c_str(), &status), 0);
    return {status.st_ino, status.st_mtim.tv_nsec};
  }

  TemporaryFolder folder_;
};

TEST_F(Pending, KeptPictureBecomesTheGolden) {
  keep({"a.png", "film x/\xC3\xBC 0001.png"});
  EXPECT_EQ(names(), (Names{"a.png", "film x/\xC3\xBC 0001.png"}));
  for (const std::string& name : names()) {
    AcceptableGoldens checked = goldens();
    checked.stores = false;
    EXPECT_EQ(accept_golden(checked, name), Accepted::kStored);
    EXPECT_FALSE(fs::exists(folder_ / ("goldens/" + name)));
    EXPECT_EQ(accept(name), Accepted::kStored);
    EXPECT_EQ(read_png_info(folder_ / ("goldens/" + name)).metadata->fingerprint, "0123");
  }
}

TEST_F(Pending, GoldensAppearTogether) {
  Names many;
  for (int i = 0; i < 9; ++i) many.push_back(fmt::format("sub{}/{}.png", i % 2, i));
  keep(many);
  const auto stored = [this] { return golden_pictures(folder_ / "goldens").size(); };
  for (const bool is_whole : {false, true}) {
    AcceptableGoldens accepting = goldens();
    for (const std::string& name : many)
      EXPECT_EQ(accept_golden(accepting, name), Accepted::kStored);
    EXPECT_EQ(stored(), 0u);
    if (is_whole) commit_goldens(accepting);
  }
  EXPECT_EQ(stored(), many.size());
  for (const auto& entry : fs::recursive_directory_iterator(folder_ / "goldens"))
    EXPECT_NE(entry.path().extension(), ".tmp");
}

TEST_F(Pending, EqualGoldenIsUntouched) {
  keep({"a.png"});
  EXPECT_EQ(accept("a.png"), Accepted::kStored);
  const auto before = identity(folder_ / "goldens/a.png");
  EXPECT_EQ(accept("a.png"), Accepted::kAlready);
  EXPECT_EQ(identity(folder_ / "goldens/a.png"), before);
  keep({"a.png"}, with_spot(plain_image(4, 4), 1, 1));
  EXPECT_EQ(accept("a.png"), Accepted::kReplaced);
  EXPECT_NE(identity(folder_ / "goldens/a.png").first, before.first);
}

TEST_F(Pending, RunRemovesOnlyItsPictures) {
  keep({"a.png", "b.png"});
  folder_.write("out/notes.txt", "mine");
  folder_.write("out/actual/b.notes.png", "mine");
  keep({"b.png"}, plain_image(4, 4), PendingGoldens::Others::kKeep);
  EXPECT_EQ(names(), (Names{"a.png", "b.png"}));
  keep({"b.png"});
  EXPECT_EQ(names(), Names{"b.png"});
  EXPECT_FALSE(fs::exists(folder_ / "out/actual/a.png"));
  EXPECT_FALSE(fs::exists(folder_ / "out/diff/a.png"));
  EXPECT_TRUE(fs::exists(folder_ / "out/actual/b.png"));
  keep({});
  EXPECT_EQ(names(), Names{});
  EXPECT_FALSE(fs::exists(folder_ / "out/actual/b.png"));
  EXPECT_TRUE(fs::exists(folder_ / "out/notes.txt"));
  EXPECT_TRUE(fs::exists(folder_ / "out/actual/b.notes.png"));
  EXPECT_FALSE(fs::exists(folder_ / "out/.claims"));
}

TEST_F(Pending, NamesDifferByTheirExtensions) {
  keep({"a.png"});
  const std::string exr = "\x76\x2f\x31\x01 pixels";
  folder_.write("a.exr", exr);
  {
    PendingGoldens pending(folder_ / "out", folder_ / "goldens", {"a.exr"},
                           PendingGoldens::Others::kKeep);
    pending.copy_actual("a.exr", folder_ / "a.exr");
  }
  EXPECT_EQ(names(), (Names{"a.exr", "a.png"}));
  remove_pending(folder_ / "out", {"a.exr"});
  EXPECT_EQ(names(), Names{"a.png"});
  EXPECT_TRUE(fs::exists(folder_ / "out/actual/a.png"));
}

TEST_F(Pending, OnlyOneRunClaimsAName) {
  const PendingGoldens first(folder_ / "out", folder_ / "goldens", {"a.png", "b.png"});
  const PendingGoldens other(folder_ / "out", folder_ / "goldens", {"c.png"});
  const auto claim = [&] {
    PendingGoldens(folder_ / "out", folder_ / "goldens", {"d.png", "b.png"});
  };
  EXPECT_EQ(message_of(claim, ExitCode::kUsage),
            "another regress writes b.png with --output " + (folder_ / "out") +
                ": wait for it, or give each its own --output");
  const PendingGoldens next(folder_ / "out", folder_ / "goldens", {"d.png"});
}

TEST_F(Pending, AClaimedPictureStays) {
  PendingGoldens running(folder_ / "out", folder_ / "goldens", {"a.png"});
  running.keep_actual("a.png", plain_image(4, 4), {});
  keep({"b.png"});
  EXPECT_EQ(names(), (Names{"a.png", "b.png"}));
}

TEST_F(Pending, APictureForOtherGoldensIsRefused) {
  keep({"a.png"});
  const auto other = [&] { PendingGoldens(folder_ / "out", folder_ / "others", {"a.png"}); };
  EXPECT_NE(
      message_of(other, ExitCode::kUsage).find("a.png is pending for another folder of goldens"),
      std::string::npos);
  const PendingGoldens same(folder_ / "out", folder_ / "others/../goldens/", {"a.png"});
}

TEST_F(Pending, RunRemovesFilesOfAKilledRun) {
  {
    PendingGoldens killed(folder_ / "out", folder_ / "goldens", {"a.png", "film/1.png"});
    killed.keep_actual("film/1.png", plain_image(4, 4), {});
    killed.keep_diff("film/1.png", plain_image(4, 4));
  }
  folder_.write("out/actual/film/.roundel-1-1.tmp", "half a picture");
  folder_.write("out/actual/film/2.png", "mine");
  keep({});
  EXPECT_FALSE(fs::exists(folder_ / "out/actual/film/1.png"));
  EXPECT_FALSE(fs::exists(folder_ / "out/actual/film/.roundel-1-1.tmp"));
  EXPECT_FALSE(fs::exists(folder_ / "out/diff/film/1.png"));
  EXPECT_FALSE(fs::exists(folder_ / "out/pending/film/1.png.json"));
  EXPECT_TRUE(fs::exists(folder_ / "out/actual/film/2.png"));
}

TEST_F(Pending, GoldensFolderIsRelativeToTheOutput) {
  keep({"film/a.png"});
  EXPECT_EQ(InputFile(folder_ / "out/pending/film/a.png.json").read(1000),
            "{\"version\":1,\"goldens\":\"../goldens\"}\n");
}

TEST_F(Pending, UnusedGoldensReplacePictures) {
  keep({"a.png"});
  PendingGoldens(folder_ / "out", folder_ / "goldens", {}, PendingGoldens::Others::kKeep)
      .list_unused({"a.png", "b.png"});
  const std::vector<PendingGolden> entries = read_pending(folder_ / "out");
  ASSERT_EQ(names(), (Names{"a.png", "b.png"}));
  EXPECT_TRUE(entries[0].is_unused && entries[1].is_unused);
  EXPECT_FALSE(fs::exists(folder_ / "out/actual/a.png"));
}

TEST_F(Pending, PathContainmentResolvesLinks) {
  fs::create_directory_symlink("goldens", folder_ / "link");
  EXPECT_TRUE(is_within(folder_ / "goldens/a.png", folder_ / "goldens"));
  EXPECT_TRUE(is_within(folder_ / "link/deep/a.png", folder_ / "goldens/"));
  EXPECT_TRUE(is_within(folder_ / "goldens", folder_ / "link"));
  EXPECT_FALSE(is_within(folder_ / "goldens/../a.png", folder_ / "goldens"));
  EXPECT_FALSE(is_within(folder_ / "goldens2", folder_ / "goldens"));
  EXPECT_FALSE(is_within(folder_ / "", folder_ / "goldens"));
}

TEST_F(Pending, NamesMatchWithoutExtensionAndByPattern) {
  const Names names = {"a.png", "film/0001.png", "film/0002.png"};
  EXPECT_EQ(matching_names("a.png", names), Names{"a.png"});
  EXPECT_EQ(matching_names("film/0002", names), Names{"film/0002.png"});
  EXPECT_EQ(matching_names("film/*", names), (Names{"film/0001.png", "film/0002.png"}));
  EXPECT_EQ(matching_names("film/000?", names), (Names{"film/0001.png", "film/0002.png"}));
  EXPECT_EQ(matching_names("*2", names), Names{"film/0002.png"});
  EXPECT_EQ(matching_names("b", names), Names{});
}

TEST_F(Pending, RejectsAForeignFile) {
  fs::create_directories(folder_ / "out/pending");
  for (const char* text : {"", "{", "[]", "{}", R"({"goldens": "x"})",
                           R"({"version": 1, "goldens": 1})", R"({"version": 1})"}) {
    folder_.write("out/pending/a.png.json", text);
    EXPECT_NE(message_of([&] { names(); }).find("expected what \"roundel regress\" writes"),
              std::string::npos)
        << text;
    const PendingGoldens next(folder_ / "out", folder_ / "goldens", {});  // continues
    EXPECT_NE(next.leftover_problem().find("expected what"), std::string::npos) << text;
  }
  keep({"a.png"});  // replaces its own
  EXPECT_EQ(names(), Names{"a.png"});
  for (const char* name : {"a.json", "a.pfm.json"}) {
    folder_.write("out/pending/" + std::string(name), R"({"version": 1, "goldens": "../goldens"})");
    EXPECT_NE(message_of([&] { names(); }).find("expected the name of a PNG or EXR file"),
              std::string::npos)
        << name;
    fs::remove(folder_ / ("out/pending/" + std::string(name)));
  }
}

TEST_F(Pending, AnEntryOfAnotherVersionIsRefused) {
  fs::create_directories(folder_ / "out/pending");
  folder_.write("out/pending/a.png.json", R"({"version": 2, "pictures": []})");
  const std::string expected = (folder_ / "out/pending/a.png.json") +
                               ": version: expected 1, got 2; run \"roundel regress\" again";
  EXPECT_EQ(message_of([&] { names(); }), expected);
  EXPECT_EQ(PendingGoldens(folder_ / "out", folder_ / "goldens", {}).leftover_problem(), expected);
}

}  // namespace
}  // namespace roundel
