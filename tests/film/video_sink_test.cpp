#include "renderer/film/video_sink.h"

#include <gtest/gtest.h>
#include <sys/stat.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>
#include <vector>

#include "tests/testing.h"

namespace roundel {
namespace {

constexpr std::uint8_t kTwoPixels[] = {1, 2, 3, 4, 5, 6};

VideoSettings small_video(const std::string& path) {
  return {path, OverwriteRule::kRefuse, 2, 1, PixelFormat::kRgb24, frame_rate(23.976), 2, "", 0};
}

/// An ffmpeg on PATH that is a script.
class VideoSinkTest : public ::testing::Test {
 protected:
  void install(const std::string& script) const {
    const std::string program = folder_ / "ffmpeg";
    std::ofstream(program) << "#!/bin/sh\n" << script;
    chmod(program.c_str(), 0755);
    setenv("PATH", ((folder_ / ":") + path_).c_str(), 1);
  }
  void TearDown() override { setenv("PATH", path_.c_str(), 1); }
  std::string video() const { return folder_ / "a.mov"; }
  std::string content() const {
    std::ifstream file(video(), std::ios::binary);
    return {std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
  }

  TemporaryFolder folder_;
  std::string path_ = std::getenv("PATH");
};

TEST(VideoKind, FollowsTheExtension) {
  EXPECT_EQ(video_kind("a.MP4"), VideoKind::kMp4);
  EXPECT_EQ(video_kind("out.png/b.WebM"), VideoKind::kWebm);
  for (const char* name : {"a.png", "mp4", ".mp4/a", "a.mp4v"})
    EXPECT_EQ(video_kind(name), std::nullopt) << name;
}

TEST(FfmpegArguments, HaveTheExactRateAndNoNameOfTheVideo) {
  VideoSettings video = small_video("-y.mov");
  video.audio = "http:a.wav";
  const std::vector<std::string> arguments = ffmpeg_arguments(video);
  const auto has = [&](const char* text) {
    return std::find(arguments.begin(), arguments.end(), text) != arguments.end();
  };
  EXPECT_TRUE(has("24000/1001"));
  EXPECT_TRUE(has("0.083417"));  // 2 frames
  EXPECT_TRUE(has("file:http:a.wav"));
  EXPECT_TRUE(has("file:/dev/fd/3"));
  EXPECT_FALSE(has("-y.mov"));
}

TEST_F(VideoSinkTest, TheVideoGetsItsNameOnceFfmpegHasEnded) {
  install("cat >&3");
  VideoSink sink(small_video(video()), [] { return true; });
  sink.write(0, kTwoPixels);
  sink.write(1, kTwoPixels);
  EXPECT_FALSE(std::filesystem::exists(video()));
  sink.sync({0, 1});
  EXPECT_TRUE(sink.is_done());
  EXPECT_EQ(sink.file_bytes(), 12U);
  EXPECT_EQ(content(), "\1\2\3\4\5\6\1\2\3\4\5\6");
}

TEST_F(VideoSinkTest, UnfinishedVideosVanish) {
  install("cat >&3");
  {
    VideoSink sink(small_video(video()), [] { return true; });
    sink.write(0, kTwoPixels);
    sink.sync({0, 1});
    EXPECT_FALSE(sink.is_done());
  }
  EXPECT_EQ(folder_.count_files(), 1U);
}

TEST_F(VideoSinkTest, ReportsFailuresWithMessages) {
  install("cat > /dev/null; echo first >&2; echo last >&2; exit 7");
  VideoSink sink(small_video(video()), [] { return true; });
  sink.write(0, kTwoPixels);
  sink.write(1, kTwoPixels);
  const Error error = error_of([&] { sink.sync({0, 1}); });
  EXPECT_EQ(error.exit_code(), ExitCode::kRuntimeFailure);
  EXPECT_EQ(error.what(), video() + ": ffmpeg ended: exit status 7\nffmpeg: first\nffmpeg: last");
  EXPECT_EQ(folder_.count_files(), 1U);
}

TEST_F(VideoSinkTest, WaitingForFfmpegCanEnd) {
  install("exec sleep 1000");
  bool goes_on = true;
  VideoSink sink(small_video(video()), [&] { return goes_on; });
  sink.write(0, kTwoPixels);
  sink.write(1, kTwoPixels);
  goes_on = false;
  EXPECT_THROW(sink.write(2, kTwoPixels), Error);
  sink.sync({0, 1});
  EXPECT_FALSE(sink.is_done());
}

}  // namespace
}  // namespace roundel
