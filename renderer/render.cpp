#include "renderer/render.h"

#include <algorithm>
#include <array>
#include <limits>

#include "renderer/frame_encoder.h"
#include "renderer/image/files.h"
#include "renderer/raster/chunks.h"
#include "renderer/raster/frame_estimate.h"
#include "renderer/raster/shaders.h"
#include "renderer/raster/tile_grid.h"
#include "renderer/raster/view.h"

namespace roundel {
namespace {

constexpr std::size_t kCirclesSurveyed = std::size_t{1} << 22;  ///< at once

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

/// Another feed's circles, counting those that are read.
class CountingFeed final : public CircleFeed {
 public:
  CountingFeed(const CircleFeed& feed, std::atomic<std::uint64_t>& count)
      : feed_(feed), count_(count) {}

  std::size_t count() const override { return feed_.count(); }
  void read(std::size_t first, std::span<Shape> shapes, std::span<Paint> paints) const override {
    feed_.read(first, shapes, paints);
    count_ += shapes.size();
  }
  std::size_t cheap_run() const override { return feed_.cheap_run(); }

 private:
  const CircleFeed& feed_;
  std::atomic<std::uint64_t>& count_;
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

bool makes_circles_on_the_way(const Scene& scene) {
  return CircleSource(scene).makes_runs();
}

SceneBounds view_bounds(const Scene& scene) {
  const double half_height = 0.5 / scene.view.zoom;
  const double half_width = half_height * scene.image.width / scene.image.height;
  return {scene.view.center_x - half_width, scene.view.center_x + half_width,
          scene.view.center_y - half_height, scene.view.center_y + half_height};
}

CircleSample sample_circles(const CircleFeed& circles, const ImageSettings& image) {
  constexpr std::size_t kSamples = 256;
  std::array<Shape, kSamples> shapes;  // NOLINT: only the first `sample.circles` are set
  std::array<Paint, kSamples> paints;  // NOLINT
  CircleSample sample;
  sample.circles = std::min(circles.count(), kSamples);
  for (std::size_t i = 0, run = 0; i < sample.circles; i += run) {
    run = std::min(circles.cheap_run(), sample.circles - i);
    const std::size_t first = std::min(circles.count() / sample.circles * i, circles.count() - run);
    circles.read(first, std::span(shapes).subspan(i, run), std::span(paints).subspan(i, run));
  }
  for (std::size_t i = 0; i < sample.circles; ++i) {
    if (2 * shapes[i].radius * static_cast<float>(image.height) < 1) ++sample.under_a_pixel;
    if (!is_snow(paints[i]))
      sample.brightest =
          std::max({sample.brightest, paints[i].red, paints[i].green, paints[i].blue});
  }
  return sample;
}

CircleSample sample_circles(const Scene& scene, std::int64_t frame) {
  CircleSource source(scene);
  if (source.makes_runs()) return sample_circles(SceneFeed(scene, source), scene.image);
  Circles circles;
  generate_in_frame_space(source, frame, circles);
  return sample_circles(MemoryFeed(circles), scene.image);
}

SceneBounds circle_bounds(const Scene& scene, std::int64_t frame) {
  constexpr double kInfinity = std::numeric_limits<double>::infinity();
  SceneBounds bounds{kInfinity, -kInfinity, kInfinity, -kInfinity};  // of frame space
  const auto add = [&bounds](std::span<const Shape> shapes) {
    for (const Shape& shape : shapes) {
      bounds.left = std::min(bounds.left, double{shape.x} - double{shape.radius});
      bounds.right = std::max(bounds.right, double{shape.x} + double{shape.radius});
      bounds.bottom = std::min(bounds.bottom, double{shape.y} - double{shape.radius});
      bounds.top = std::max(bounds.top, double{shape.y} + double{shape.radius});
    }
  };
  CircleSource source(scene);
  Circles circles;
  if (!source.makes_runs()) {
    generate_in_frame_space(source, frame, circles);
    add(circles.shapes.span());
  } else {
    const SceneFeed feed(scene, source);
    for (std::size_t first = 0, size = 0; first < feed.count(); first += size) {
      size = std::min<std::size_t>(feed.count() - first, kCirclesSurveyed);
      circles.shapes.resize_discard(size);
      circles.paints.resize_discard(size);
      feed.read_in_parallel(first, circles.shapes.span(), circles.paints.span());
      add(circles.shapes.span());
    }
  }
  // Back to scene space.
  const SceneBounds view = view_bounds(scene);
  const double zoom = scene.view.zoom;
  return {view.left + bounds.left / zoom, view.left + bounds.right / zoom,
          view.bottom + bounds.bottom / zoom, view.bottom + bounds.top / zoom};
}

FrameSurvey survey_frame(const Scene& scene, std::int64_t frame, std::uint64_t picture_bytes,
                         const RasterOptions& options, SurveyProgress& progress) {
  const int width = scene.image.width, height = scene.image.height;
  CircleSource source(scene);
  Circles circles;
  FrameSurvey survey;
  const auto measure = [&](const CircleFeed& feed) {
    if (picture_bytes > 0)
      survey.drawing_bytes = measure_drawing(feed, scene.image, picture_bytes, options);
  };
  if (!source.makes_runs()) {
    generate_in_frame_space(source, frame, circles);
    survey.sample = sample_circles(MemoryFeed(circles), scene.image);
    survey.overlaps = count_overlaps(circles, width, height, kCpuBinSize);
    measure(MemoryFeed(circles));
    return survey;
  }
  const SceneFeed feed(scene, source);
  survey.sample = sample_circles(feed, scene.image);
  progress.total = (picture_bytes > 0 ? 2 : 1) * feed.count();
  for (std::size_t first = 0, size = 0; first < feed.count(); first += size) {
    size = std::min<std::size_t>(feed.count() - first, kCirclesSurveyed);
    circles.shapes.resize_discard(size);
    circles.paints.resize_discard(size);
    feed.read_in_parallel(first, circles.shapes.span(), circles.paints.span());
    survey.overlaps += count_overlaps(circles, width, height, kCpuBinSize);
    progress.done += size;
  }
  circles = {};
  measure(CountingFeed(feed, progress.done));
  return survey;
}

FrameRenderer::FrameRenderer(const Scene& scene, Rasterizer& rasterizer)
    : scene_(scene), rasterizer_(rasterizer), source_(scene) {}

template <typename Output>
void FrameRenderer::draw(std::int64_t frame, Output& out, StageStats& stats) {
  const auto look = [&](const CircleFeed& circles) {
    if (sample_.circles == 0) sample_ = sample_circles(circles, scene_.image);
  };
  if (source_.makes_runs()) {
    const SceneFeed feed(scene_, source_);
    look(feed);
    rasterizer_.draw(feed, scene_.image, out, stats);
    return;
  }
  {
    const StageTimer timer(stats, "generate");
    generate_in_frame_space(source_, frame, circles_);
    stats.stage("generate").bytes = circles_.count() * (sizeof(Shape) + sizeof(Paint));
  }
  look(MemoryFeed(circles_));
  rasterizer_.draw(circles_, scene_.image, out, stats);  // stages bin and blend
}

void FrameRenderer::render(std::int64_t frame, Framebuffer& out, StageStats& stats) {
  draw(frame, out, stats);
}

void FrameRenderer::render(std::int64_t frame, Image& out, StageStats& stats) {
  draw(frame, out, stats);
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
