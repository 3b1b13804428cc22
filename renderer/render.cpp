#include "renderer/render.h"

#include <tbb/parallel_for.h>

#include "renderer/image/files.h"
#include "renderer/raster/view.h"
#include "renderer/scene/fingerprint.h"

namespace roundel {

FrameRenderer::FrameRenderer(const Scene& scene, Rasterizer& rasterizer)
    : scene_(scene), rasterizer_(rasterizer), source_(scene) {}

void FrameRenderer::generate(std::int64_t frame, StageStats& stats) {
  const StageTimer timer(stats, "generate");
  const int width = scene_.image.width, height = scene_.image.height;
  source_.generate(frame, circles_);
  stats.stage("generate").bytes = circles_.count() * (sizeof(Shape) + sizeof(Paint));
  if (is_identity(scene_.view, width, height)) return;
  tbb::parallel_for(std::size_t{0}, circles_.count(), [&](std::size_t i) {
    circles_.shapes[i] = to_frame_space(circles_.shapes[i], scene_.view, width, height);
  });
}

void FrameRenderer::render(std::int64_t frame, Framebuffer& out, StageStats& stats) {
  generate(frame, stats);
  rasterizer_.draw(circles_, scene_.image, out, stats);  // stages bin and blend
}

void FrameRenderer::render(std::int64_t frame, Image& out, StageStats& stats) {
  generate(frame, stats);
  rasterizer_.draw(circles_, scene_.image, out, stats);  // stages bin and blend
}

void render_to_file(const Scene& scene, std::int64_t frame, Rasterizer& rasterizer,
                    const std::string& path, StageStats& stats) {
  const ImageFormat format = format_of(path);
  const ImageMetadata metadata{"roundel " ROUNDEL_VERSION, fingerprint(scene), scene.seed, frame};
  FrameRenderer renderer(scene, rasterizer);

  std::vector<std::uint8_t> file;
  if (format == ImageFormat::kPng) {
    Image image;
    renderer.render(frame, image, stats);
    const StageTimer timer(stats, "encode");
    file = encode_png(image, metadata);
  } else {
    Framebuffer framebuffer;
    renderer.render(frame, framebuffer, stats);
    const StageTimer timer(stats, "encode");
    file = format == ImageFormat::kExr ? encode_exr(framebuffer, scene.image.alpha, metadata)
                                       : encode_pfm(framebuffer);
  }
  stats.stage("encode").bytes = file.size();
  const StageTimer timer(stats, "write");
  write_file_atomically(path, file);
}

}  // namespace roundel
