#include "renderer/compare/pending_goldens.h"

#include <gtest/gtest.h>
#include <sys/stat.h>

#include "renderer/base/input_file.h"
#include "tests/compare/sample_pictures.h"

namespace roundel {
namespace {

namespace fs = std::filesystem;
using Names = std::vector<std::string>;

class Pending : public ::testing::Test {
 protected:
  Pending() { fs::create_directory(folder_ / "goldens"); }

  void keep(const Names& names, const Image& image = plain_image(4, 4)) const {
    PendingGoldens pending(folder_ / "out", folder_ / "goldens", names);
    EXPECT_EQ(pending.leftover_problem(), "");
    for (const std::string& name : names) {
      pending.keep_actual(name, image, {"roundel", "0123", 1, 7});
      pending.keep_diff(name, image);
    }
    pending.finish(names, {});
  }
  AcceptableGoldens read() const { return read_pending(folder_ / "out", folder_ / "goldens"); }
  static std::pair<ino_t, std::int64_t> identity(const std::string& path) {
    struct stat status {};
    EXPECT_EQ(stat(path.c_str(), &status), 0);
    return {status.st_ino, status.st_mtim.tv_nsec};
  }

  TemporaryFolder folder_;
};

TEST_F(Pending, KeptPictureBecomesTheGolden) {
  keep({"a.png", "film x/\xC3\xBC 0001.png"});
  const AcceptableGoldens goldens = read();
  EXPECT_EQ(goldens.names, (Names{"a.png", "film x/\xC3\xBC 0001.png"}));
  for (const std::string& name : goldens.names) {
    EXPECT_EQ(accept_golden(goldens, name), Accepted::kStored);
    EXPECT_EQ(read_png_info(folder_ / ("goldens/" + name)).metadata->fingerprint, "0123");
  }
}

TEST_F(Pending, EqualGoldenIsUntouched) {
  keep({"a.png"});
  AcceptableGoldens goldens = read();
  EXPECT_EQ(accept_golden(goldens, "a.png"), Accepted::kStored);
  const auto before = identity(folder_ / "goldens/a.png");
  EXPECT_EQ(accept_golden(goldens, "a.png"), Accepted::kAlready);
  EXPECT_EQ(identity(folder_ / "goldens/a.png"), before);
  keep({"a.png"}, with_spot(plain_image(4, 4), 1, 1));
  goldens = read();
  EXPECT_EQ(accept_golden(goldens, "a.png"), Accepted::kReplaced);
  EXPECT_NE(identity(folder_ / "goldens/a.png").first, before.first);
}

TEST_F(Pending, RunRemovesOnlyFilesOfThePreviousRun) {
  keep({"a.png", "b.png"});
  folder_.write("out/notes.txt", "mine");
  keep({"b.png"});
  EXPECT_FALSE(fs::exists(folder_ / "out/actual/a.png"));
  EXPECT_FALSE(fs::exists(folder_ / "out/diff/a.png"));
  EXPECT_TRUE(fs::exists(folder_ / "out/actual/b.png"));
  EXPECT_TRUE(fs::exists(folder_ / "out/notes.txt"));
  keep({});
  EXPECT_FALSE(fs::exists(folder_ / "out/actual/b.png"));
  EXPECT_EQ(message_of([&] { read(); }), (folder_ / "out/pending.json") + ": no such file");
}

TEST_F(Pending, RunRemovesOnlyFilesOfAKilledRun) {
  {
    PendingGoldens killed(folder_ / "out", folder_ / "goldens", {"a.png", "film/1.png"});
    killed.keep_actual("film/1.png", plain_image(4, 4), {});
    killed.keep_diff("film/1.png", plain_image(4, 4));
  }
  folder_.write("out/actual/film/.roundel-1-1.tmp", "half a picture");
  folder_.write("out/actual/film/2.png", "mine");
  EXPECT_NE(message_of([&] { read(); }).find("the run did not finish"), std::string::npos);
  keep({});
  EXPECT_FALSE(fs::exists(folder_ / "out/actual/film/1.png"));
  EXPECT_FALSE(fs::exists(folder_ / "out/actual/film/.roundel-1-1.tmp"));
  EXPECT_FALSE(fs::exists(folder_ / "out/diff/film/1.png"));
  EXPECT_FALSE(fs::exists(folder_ / "out/pending.json"));
  EXPECT_TRUE(fs::exists(folder_ / "out/actual/film/2.png"));
}

TEST_F(Pending, GoldensFolderIsRelativeToTheList) {
  keep({"a.png"});
  const std::string list = InputFile(folder_ / "out/pending.json").read(1000);
  EXPECT_NE(list.find("\"../goldens\""), std::string::npos) << list;
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

TEST_F(Pending, RejectsAListThatLeavesTheFolder) {
  fs::create_directory(folder_ / "out");
  for (const char* name :
       {"../a.png", "x/../../a.png", "/tmp/a.png", "", "a\\u0000b.png", "a.pfm"}) {
    folder_.write("out/pending.json",
                  R"({"version": 1, "goldens": "/tmp", "names": [")" + std::string(name) + "\"]}");
    EXPECT_NE(message_of([&] { read(); }).find("expected paths of PNG or EXR files"),
              std::string::npos)
        << name;
  }
}

TEST_F(Pending, RejectsAForeignFile) {
  fs::create_directory(folder_ / "out");
  for (const char* text : {"", "{", "[]", "{}", R"({"goldens": "x", "names": []})",
                           R"({"version": 1, "goldens": 1, "names": []})",
                           R"({"version": 1, "goldens": "x", "names": [1]})"}) {
    folder_.write("out/pending.json", text);
    EXPECT_NE(message_of([&] { read(); }).find("expected the list"), std::string::npos) << text;
    const PendingGoldens next(folder_ / "out", folder_ / "goldens", {});  // continues
    EXPECT_NE(next.leftover_problem().find("expected the list"), std::string::npos) << text;
  }
}

TEST_F(Pending, AListOfAnotherVersionIsRefused) {
  fs::create_directory(folder_ / "out");
  folder_.write("out/pending.json", R"({"version": 2, "pictures": []})");
  const std::string expected = (folder_ / "out/pending.json") +
                               ": version: expected 1, got 2; run \"roundel regress\" again";
  EXPECT_EQ(message_of([&] { read(); }), expected);
  EXPECT_NE(
      PendingGoldens(folder_ / "out", folder_ / "goldens", {}).leftover_problem().find(expected),
      std::string::npos);
}

}  // namespace
}  // namespace roundel
