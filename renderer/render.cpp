#include "renderer/render.h"

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
  const ImageFormat format = asked ? *asked : format_of(path);
  const ImageMetadata metadata{"roundel " ROUNDEL_VERSION, fingerprint(scene), scene.seed, frame};
  // What drawing took is gone before encoding begins.
  CircleSample sample;
  const auto draw = [&](auto& picture) {
    {
      FrameRenderer renderer(scene, rasterizer);
      renderer.render(frame, picture, stats);
      sample = renderer.sample();
    }
    rasterizer.give_back();
    give_back_freed_blocks();
  };

  std::vector<std::uint8_t> file;
  if (format == ImageFormat::kPng) {
    Image image;
    draw(image);
    const StageTimer timer(stats, "encode");
    if (is_streamed_png(image.width, image.height, image.channels)) {
      write_png(path, image, metadata);
      return sample;
    }
    file = encode_png(std::move(image), metadata);
  } else {
    Framebuffer framebuffer;
    draw(framebuffer);
    const StageTimer timer(stats, "encode");
    file = format == ImageFormat::kExr
               ? encode_exr(std::move(framebuffer), scene.image.alpha, metadata)
               : encode_pfm(std::move(framebuffer));
  }
  stats.stage("encode").bytes = file.size();
  const StageTimer timer(stats, "write");
  write_file_atomically(path, file);
  return sample;
}

}  // namespace roundel
