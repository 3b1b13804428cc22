// A still is a film of one frame: its file has the same bytes.
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <iterator>

#include "renderer/base/error.h"
#include "renderer/film/export_pipeline.h"
#include "renderer/render.h"
#include "renderer/scene/load_scene.h"

namespace roundel {
namespace {

namespace fs = std::filesystem;

class Still : public ::testing::Test {
 protected:
  Still() { fs::create_directories(folder_); }
  ~Still() override { fs::remove_all(folder_); }

  std::string in_folder(const std::string& name) const { return (folder_ / name).string(); }
  static std::string content(const std::string& path) {
    std::ifstream file(path, std::ios::binary);
    return {std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
  }
  void draw_still(const std::string& path, std::optional<ImageFormat> format = std::nullopt) {
    render_to_file(scene_, 5, *make_cpu_rasterizer({}), path, stats_, format);
  }
  void draw_film(const std::string& path, ImageFormat format) const {
    ListedFrames frames({5});
    const FrameEncoder encoder(scene_, {format});
    FileSink sink{FrameName(path)};
    ExportJob job{scene_, frames, encoder, sink, {}};
    job.rasterizers.push_back(make_cpu_rasterizer({}));
    EXPECT_EQ(export_frames(std::move(job)).written, FrameList{5});
  }

  Scene scene_ = parse_scene(
      "version: 1\nimage: {width: 40, height: 30}\nlayers: [{generator: hypnosis}]\n", "test.yaml");
  StageStats stats_;

 private:
  fs::path folder_ = fs::path(::testing::TempDir()) /
                     ("roundel_still_" +
                      std::string(::testing::UnitTest::GetInstance()->current_test_info()->name()));
};

TEST_F(Still, EqualsTheFilmsFrame) {
  const std::pair<const char*, ImageFormat> formats[] = {
      {"png", ImageFormat::kPng}, {"exr", ImageFormat::kExr}, {"pfm", ImageFormat::kPfm}};
  for (const auto& [ending, format] : formats) {
    const std::string still = in_folder(std::string("still.") + ending);
    const std::string film = in_folder(std::string("film_####.") + ending);
    draw_still(still);
    draw_film(film, format);
    EXPECT_FALSE(content(still).empty());
    EXPECT_EQ(content(still), content(FrameName(film).path(5))) << ending;
  }
}

TEST_F(Still, FormatOptionOverridesTheExtension) {
  draw_still(in_folder("a.pfm"));
  draw_still(in_folder("a.picture"), ImageFormat::kPfm);
  EXPECT_EQ(content(in_folder("a.picture")), content(in_folder("a.pfm")));
}

TEST_F(Still, LastStageIsTheWrittenFile) {
  draw_still(in_folder("a.png"));
  ASSERT_GE(stats_.stages.size(), 2U);
  EXPECT_EQ(stats_.stages.back().name, "write");
  EXPECT_EQ(stats_.stage("encode").bytes, fs::file_size(in_folder("a.png")));
}

TEST_F(Still, FailedWriteLeavesNoFile) {
  EXPECT_THROW(draw_still(in_folder("no/such/folder/a.png")), Error);
  EXPECT_TRUE(fs::is_empty(in_folder("")));
}

}  // namespace
}  // namespace roundel
