#include "renderer/render.h"

#include "renderer/frame_encoder.h"
#include "renderer/image/files.h"
#include "renderer/scene/fingerprint.h"

namespace roundel {
FrameRenderer::FrameRenderer(const Scene& scene, Rasterizer& rasterizer)
    : scene_(scene), rasterizer_(rasterizer), source_(scene) {}

void FrameRenderer::render(std::int64_t frame, const FrameTarget& out, StageStats& stats) {
  const auto generate = [&] {
    if (source_.is_streamed()) return source_.at(frame, circles_);  // in the frame loop
    const StageTimer timer(stats, "generate");
    stats.stage("generate").bytes = count_circles(scene_) * (sizeof(Shape) + sizeof(Paint));
    return source_.at(frame, circles_);
  };
  const CircleStream circles = generate();
  if (sample_.circles == 0) sample_ = sample_circles(circles, scene_.image);
  rasterizer_.draw(circles, scene_.image, out, stats);
}

CircleSample render_to_file(const Scene& scene, std::int64_t frame, Rasterizer& rasterizer,
                            const std::string& path, StageStats& stats,
                            std::optional<ImageFormat> asked) {
  const FrameEncoder encoder(scene, {asked ? *asked : format_of(path)});
  FramePixels picture;
  CircleSample sample;
  {
    FrameRenderer renderer(scene, rasterizer);
    if (encoder.wants_float())
      renderer.render(frame, picture.framebuffer, stats);
    else
      renderer.render(frame, picture.image, stats);
    sample = renderer.sample();
  }
  // What drawing took is gone before encoding begins.
  rasterizer.give_back();
  give_back_freed_blocks();

  std::vector<std::uint8_t> file;
  {
    const StageTimer timer(stats, "encode");
    if (is_streamed_png(picture.image.width, picture.image.height, picture.image.channels)) {
      write_png(path, picture.image, encoder.metadata(frame));
      return sample;
    }
    file = encoder.encode(std::move(picture), frame);
    stats.stage("encode").bytes = file.size();
  }
  const StageTimer timer(stats, "write");
  write_file_atomically(path, file);
  return sample;
}

}  // namespace roundel
