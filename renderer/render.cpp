#include "renderer/render.h"

#include <tbb/parallel_for.h>

#include <algorithm>

#include "renderer/image/files.h"
#include "renderer/raster/view.h"
#include "renderer/scene/fingerprint.h"

namespace roundel {

void generate_in_frame_space(const Scene& scene, CircleSource& source, std::int64_t frame,
                             Circles& circles) {
  const int width = scene.image.width, height = scene.image.height;
  source.generate(std::max<std::int64_t>(frame, 0), circles);  // before 0 nothing has moved yet
  if (is_identity(scene.view, width, height)) return;
  tbb::parallel_for(std::size_t{0}, circles.count(), [&](std::size_t i) {
    circles.shapes[i] = to_frame_space(circles.shapes[i], scene.view, width, height);
  });
}

FrameRenderer::FrameRenderer(const Scene& scene, Rasterizer& rasterizer)
    : scene_(scene), rasterizer_(rasterizer), source_(scene) {}

void FrameRenderer::generate(std::int64_t frame, StageStats& stats) {
  const StageTimer timer(stats, "generate");
  generate_in_frame_space(scene_, source_, frame, circles_);
  stats.stage("generate").bytes = circles_.count() * (sizeof(Shape) + sizeof(Paint));
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
    if (is_streamed_png(image.width, image.height, image.channels)) {
      write_png(path, image, metadata);
      return;
    }
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
