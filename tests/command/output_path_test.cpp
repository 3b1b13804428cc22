#include "tools/roundel/cli/output_path.h"

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>

#include "renderer/base/error.h"

namespace roundel {
namespace {

namespace fs = std::filesystem;

class OutputPath : public ::testing::Test {
 protected:
  OutputPath() { fs::create_directories(folder_); }
  ~OutputPath() override { fs::remove_all(folder_); }

  std::string in_folder(const std::string& name) const { return (folder_ / name).string(); }
  static void create(const std::string& path) { std::ofstream(path) << "text"; }

  static std::string refusal(const std::string& path, bool may_replace) {
    try {
      check_writable(path, may_replace);
      return "";
    } catch (const Error& error) {
      EXPECT_EQ(error.exit_code(), ExitCode::kOutputRefused);
      return error.what();
    }
  }

 private:
  fs::path folder_ = fs::path(::testing::TempDir()) /
                     ("roundel_output_path_" +
                      std::string(::testing::UnitTest::GetInstance()->current_test_info()->name()));
};

TEST_F(OutputPath, PicturesInFoldersAreNamedAfterTheirScene) {
  EXPECT_EQ(picture_in_folder("out/", "scenes/rgb.yaml"), "out/rgb.png");
  EXPECT_EQ(picture_in_folder("out", "rgb.v2.yaml"), "out/rgb.v2.png");
  EXPECT_EQ(picture_in_folder("out", "rgb.yaml", ImageFormat::kExr), "out/rgb.exr");
  EXPECT_EQ(picture_in_folder("out", "rgb.yaml", ImageFormat::kPfm), "out/rgb.pfm");
}

TEST_F(OutputPath, FolderExistsOrEndsInASlash) {
  EXPECT_TRUE(names_folder(in_folder("")));
  EXPECT_TRUE(names_folder("no_such_folder/"));
  EXPECT_FALSE(names_folder("no_such_folder"));
}

TEST_F(OutputPath, NewFilesInAFolderAreWritable) {
  EXPECT_EQ(refusal(in_folder("a.png"), false), "");
}

TEST_F(OutputPath, KeepsExistingFilesUnlessOverwriting) {
  create(in_folder("a.png"));
  EXPECT_EQ(refusal(in_folder("a.png"), true), "");
  EXPECT_EQ(refusal(in_folder("a.png"), false),
            in_folder("a.png") + ": exists (--overwrite replaces it)");
}

TEST_F(OutputPath, AcceptsAMissingFolder) {
  EXPECT_EQ(refusal(in_folder("new/a.png"), false), "");
  EXPECT_EQ(refusal(in_folder("no/ne/a.png"), true), "");
  create(in_folder("file"));
  for (const char* path : {"file/a.png", "file/no/ne/a.png"})
    EXPECT_EQ(refusal(in_folder(path), true),
              in_folder(path) + ": cannot write, expected a folder, got the file \"" +
                  in_folder("file") + "\"");
}

TEST_F(OutputPath, EmptyNewFoldersAreRemoved) {
  {
    const NewFolders made =
        make_folders_of({in_folder("a/1.png"), in_folder("./a/2.png"), in_folder("b/1.png"),
                         in_folder("c.png"), in_folder("a/b/c/1.png")});
    create(in_folder("b/1.png"));
    EXPECT_TRUE(fs::is_directory(in_folder("a/b/c")));
  }
  EXPECT_FALSE(fs::exists(in_folder("a")));
  EXPECT_TRUE(fs::exists(in_folder("b/1.png")));
}

TEST_F(OutputPath, LinkNeedsTheFolderOfItsTarget) {
  create(in_folder("no"));
  fs::create_symlink("no/ne/a.png", in_folder("link.png"));
  EXPECT_NE(refusal(in_folder("link.png"), true).find(in_folder("no")), std::string::npos);
  EXPECT_EQ(refusal(in_folder("link.png"), true).find(in_folder("link.png") + ": cannot write"),
            0U);
  fs::remove(in_folder("no"));
  EXPECT_EQ(refusal(in_folder("link.png"), true), "");  // made for the picture
  fs::create_directories(in_folder("no/ne"));
  EXPECT_EQ(refusal(in_folder("link.png"), true), "");
  EXPECT_NE(refusal(in_folder("link.png"), false), "");
}

TEST_F(OutputPath, KeepsFolders) {
  fs::create_directory(in_folder("a.png"));
  EXPECT_EQ(refusal(in_folder("a.png"), true),
            in_folder("a.png") + ": cannot write, it is a folder");
}

TEST_F(OutputPath, KeepsInputsUnderAnyName) {
  const std::string input = in_folder("data.npy");
  create(input);
  create(in_folder("other.npy"));
  fs::create_symlink("data.npy", in_folder("link.png"));
  fs::create_hard_link(input, in_folder("hard.png"));
  const std::vector<std::string> inputs = {in_folder("missing.npy"), input};
  for (const char* name : {"data.npy", "./data.npy", "link.png", "hard.png"}) {
    try {
      check_output_is_no_input(in_folder(name), inputs, ExitCode::kOutputRefused);
      ADD_FAILURE() << name;
    } catch (const Error& error) {
      EXPECT_EQ(error.exit_code(), ExitCode::kOutputRefused);
      EXPECT_NE(std::string(error.what()).find("which this command reads"), std::string::npos);
    }
  }
  for (const char* name : {"other.npy", "missing.npy", "new.png"})
    EXPECT_NO_THROW(check_output_is_no_input(in_folder(name), inputs, ExitCode::kOutputRefused));
}

}  // namespace
}  // namespace roundel
