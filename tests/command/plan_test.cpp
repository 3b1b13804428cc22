// One plan of names for stills and films.
#include <gtest/gtest.h>

#include "renderer/base/error.h"
#include "tools/roundel/commands/export.h"

namespace roundel {
namespace {

ExportPlan plan(const Arguments& arguments, const std::string& more = "") {
  RenderOptions options;
  Arguments all = arguments;
  all.emplace_back("scenes/rgb.yaml");
  EXPECT_TRUE(parse(all, options));
  return plan_export(parse_scene("version: 1\nimage: {width: 8, height: 8}\n"
                                 "layers: [{generator: rgb}]\n" +
                                     more,
                                 "scenes/rgb.yaml"),
                     options);
}

TEST(Plan, StillIsOneFrameNamedAfterItsScene) {
  EXPECT_EQ(plan({"-o", "no/such/folder/"}).path(), "no/such/folder/rgb.png");
  EXPECT_EQ(plan({"-o", "no/such/folder/"}).frames, FrameList{0});
  EXPECT_EQ(plan({"-o", "folder/", "--format=exr"}).path(), "folder/rgb.exr");
  EXPECT_EQ(plan({"-o", "a_####.pfm", "--frame=7"}).path(), "a_0007.pfm");
  EXPECT_EQ(plan({}, "output: its/own_##.exr\n").path(), "its/own_00.exr");
}

TEST(Plan, FolderNamesOfStillsHaveNoFrameField) {
  EXPECT_EQ(plan({"-o", "folder_##/", "--frame=7"}).path(), "folder_##/rgb.png");
}

TEST(Plan, FilmFramesHaveNumbersInTheirNames) {
  EXPECT_EQ(plan({"-o", "folder/", "--frames=3-5"}).path(), "folder/rgb_0003.png");
  EXPECT_EQ(plan({"-o", "folder/", "--frames=3-5"}).frames, (FrameList{3, 4, 5}));
  EXPECT_EQ(plan({"-o", "a.png", "--frames=3"}).path(), "a.png");  // one frame needs no number
  EXPECT_THROW(plan({"-o", "a.png", "--frames=3-5"}), Error);
}

TEST(Plan, FormatComesFromTheNameOrTheOption) {
  EXPECT_EQ(plan({"-o", "a.exr"}).format.picture, ImageFormat::kExr);
  EXPECT_EQ(plan({"-o", "a.picture", "--format=pfm"}).format.picture, ImageFormat::kPfm);
  const FrameFormat y4m = plan({"-o", "-", "--format=y4m", "--frames=1-2"}).format;
  EXPECT_EQ(y4m.video, VideoFormat::kY4m);
  EXPECT_EQ(y4m.picture, ImageFormat::kPng);
  EXPECT_THROW(plan({}), Error);
}

}  // namespace
}  // namespace roundel
