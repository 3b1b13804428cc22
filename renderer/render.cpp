#include "renderer/render.h"

#include <algorithm>

#include "renderer/image/files.h"
#include "renderer/raster/chunks.h"
#include "renderer/raster/frame_estimate.h"
#include "renderer/raster/tile_grid.h"
#include "renderer/raster/view.h"
#include "renderer/scene/fingerprint.h"

namespace roundel {
namespace {

/// The circles of any frame of a scene without simulated layers.
class SceneFeed final : public CircleFeed {
 public:
  SceneFeed(const Scene& scene, const CircleSource& source)
      : scene_(scene), source_(source), count_(count_circles(scene)) {}

  std::size_t count() const override { return count_; }
  void read(std::size_t first, std::span<Shape> shapes, std::span<Paint> paints) const override {
    source_.make_run(first, shapes, paints);
    apply_view(scene_, shapes);
  }
  /// A place in the classic scenes' stream of random numbers takes microseconds to find.
  std::size_t cheap_run() const override { return 16; }

 private:
  const Scene& scene_;
  const CircleSource& source_;
  std::size_t count_;
};

}  // namespace

void generate_in_frame_space(CircleSource& source, std::int64_t frame, Circles& circles,
                             CircleSource::Depths depths) {
  // None moves before frame 0.
  source.generate(std::max<std::int64_t>(frame, 0), circles, depths, CircleSource::Space::kFrame);
}

std::uint64_t expected_circles(const Scene& scene) {
  const CircleSource source(scene);
  if (!source.makes_runs()) return count_circles(scene);
  return estimate_frame(SceneFeed(scene, source), scene.image, kCpuBinSize, 2 * kCpuFrontSpread)
      .front_circles;  // of two chunks
}

std::uint64_t circles_in_memory(const Scene& scene) {
  const std::uint64_t count = count_circles(scene);
  if (count <= kMostCirclesAtOnce || !CircleSource(scene).makes_runs()) return count;
  return kMostCirclesAtOnce;
}

std::uint64_t count_overlaps(const Scene& scene, std::int64_t frame) {
  const int width = scene.image.width, height = scene.image.height;
  CircleSource source(scene);
  Circles circles;
  if (!source.makes_runs()) {
    generate_in_frame_space(source, frame, circles);
    return count_overlaps(circles, width, height, kCpuBinSize);
  }
  const SceneFeed feed(scene, source);
  std::uint64_t overlaps = 0;
  for (std::size_t first = 0, size = 0; first < feed.count(); first += size) {
    size = std::min<std::size_t>(feed.count() - first, kMostCirclesAtOnce);
    circles.shapes.resize_discard(size);
    circles.paints.resize_discard(size);
    feed.read_in_parallel(first, circles.shapes.span(), circles.paints.span());
    overlaps += count_overlaps(circles, width, height, kCpuBinSize);
  }
  return overlaps;
}

FrameRenderer::FrameRenderer(const Scene& scene, Rasterizer& rasterizer)
    : scene_(scene), rasterizer_(rasterizer), source_(scene) {}

template <typename Output>
void FrameRenderer::draw(std::int64_t frame, Output& out, StageStats& stats) {
  if (source_.makes_runs()) {
    rasterizer_.draw(SceneFeed(scene_, source_), scene_.image, out, stats);
    return;
  }
  {
    const StageTimer timer(stats, "generate");
    generate_in_frame_space(source_, frame, circles_);
    stats.stage("generate").bytes = circles_.count() * (sizeof(Shape) + sizeof(Paint));
  }
  rasterizer_.draw(circles_, scene_.image, out, stats);  // stages bin and blend
}

void FrameRenderer::render(std::int64_t frame, Framebuffer& out, StageStats& stats) {
  draw(frame, out, stats);
}

void FrameRenderer::render(std::int64_t frame, Image& out, StageStats& stats) {
  draw(frame, out, stats);
}

void render_to_file(const Scene& scene, std::int64_t frame, Rasterizer& rasterizer,
                    const std::string& path, StageStats& stats, std::optional<ImageFormat> asked) {
  const ImageFormat format = asked ? *asked : format_of(path);
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
