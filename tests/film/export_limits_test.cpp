#include <gtest/gtest.h>

#include "renderer/film/export_pipeline.h"
#include "renderer/scene/load_scene.h"

namespace roundel {
namespace {

constexpr std::size_t kEncoders = 32;

/// Returns the limits of an export with six rasterizers.
ExportLimits limits_of(VideoFormat format, bool have_recipes,
                       std::uint64_t budget = std::uint64_t{1} << 30) {
  const Scene scene = parse_scene(
      "version: 1\nimage: {width: 24, height: 16}\nlayers:\n  - generator: hypnosis\n", "a.yaml");
  ListedFrames frames({});
  const FrameEncoder encoder(scene, {ImageFormat::kPng, format});
  StreamSink stream(-1, "");
  FileSink files{FrameName("#.png")};
  const bool is_stream = format != VideoFormat::kNone;
  FrameSink& sink = is_stream ? static_cast<FrameSink&>(stream) : files;
  ExportJob job{scene, frames, encoder, sink, {}};
  for (int k = 0; k < 6; ++k) job.rasterizers.push_back(make_cpu_rasterizer({}));
  return export_limits(job, kEncoders, budget, have_recipes);
}

TEST(ExportLimits, DependOnTheExport) {
  for (const VideoFormat format : {VideoFormat::kNone, VideoFormat::kRawVideo}) {
    for (const bool have_recipes : {false, true}) {
      const ExportLimits limits = limits_of(format, have_recipes);
      EXPECT_EQ(limits.draw, 6U);
      EXPECT_EQ(limits.encode, kEncoders);
      EXPECT_EQ(limits.write, format == VideoFormat::kNone ? 16U : 1U);
      EXPECT_EQ(limits.write_first, format == VideoFormat::kNone ? 4U : 1U);
      EXPECT_EQ(limits.ahead, have_recipes ? 6U : 2U);
    }
  }
}

/// Allocating memory that devices write to takes long.
TEST(ExportLimits, DevicesNeedPicturesForDrawersAndWriters) {
  const auto pictures = [](VideoFormat format, bool have_recipes, auto... budget) {
    const ExportLimits limits = limits_of(format, have_recipes, budget...);
    return limits.frames - (have_recipes ? limits.ahead : 0);
  };
  EXPECT_EQ(pictures(VideoFormat::kNone, false), 3 * kEncoders + 12);
  EXPECT_EQ(pictures(VideoFormat::kNone, true), 12U + 16);
  EXPECT_EQ(pictures(VideoFormat::kRawVideo, true), 12U + 1);
  EXPECT_EQ(pictures(VideoFormat::kY4m, true), 3 * kEncoders + 12);  // encoded on the host
  EXPECT_EQ(pictures(VideoFormat::kRawVideo, true, std::uint64_t{1}), 7U);
}

}  // namespace
}  // namespace roundel
