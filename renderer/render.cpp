#include "renderer/render.h"

#include "renderer/base/atomic_file.h"
#include "renderer/base/buffer.h"
#include "renderer/frame_encoder.h"
#include "renderer/frame_memory.h"
#include "renderer/image/files.h"
#include "renderer/image/png_stream.h"
#include "renderer/picture_bands.h"

// Calls all stages of a frame in the order of the data flow: generate, plan, bin and blend chunk by
// chunk, finish, encode, write. Films run several frames at once in their pipeline
// (film/export_pipeline.cpp).

namespace roundel {

Image render_to_image(const Scene& scene, std::int64_t frame, Rasterizer& rasterizer,
                      StageStats& stats) {
  CircleSource source(scene);
  Circles memory;
  Image image;
  rasterizer.draw(source.at(frame, memory, &stats), scene.image, image, stats);
  return image;
}

namespace {

CircleSample render_bands(const Scene& scene, std::int64_t frame, Rasterizer& rasterizer,
                          const FrameEncoder& encoder, const std::string& path, StageStats& stats,
                          WorkCount& progress, Sync sync) {
  CircleSource source(scene);
  Circles memory;
  const CircleStream circles = source.at(frame, memory, &stats);
  const CircleStream drawn = circles.counted(progress);
  FramePixels picture;
  AtomicFile file(path);
  std::uint64_t bytes = 0;
  PngStream png(encoder.png_shape(), encoder.metadata(picture, frame),
                [&](std::span<const std::uint8_t> some) {
                  file.write(some);
                  bytes += some.size();
                });
  const int rows = rows_of_band(scene.image, ImageFormat::kPng);
  if (source.is_streamed()) {
    const int bands = (scene.image.height + rows - 1) / rows;
    progress.total = static_cast<std::uint64_t>(bands) * circles.pictures() * circles.count();
  }
  for (int top = 0; top < scene.image.height; top += rows) {
    draw_within(scene, frame, ImageFormat::kPng, [&] {
      rasterizer.draw(drawn, band_of(scene.image, top, rows), encoder.target(picture), stats);
    });
    rasterizer.free_host_memory();
    const StageTimer timer(stats, "encode");
    png.add(picture.image.bytes.data(), static_cast<std::size_t>(picture.image.height));
  }
  png.finish();
  file.commit(sync);
  stats.stage("encode").bytes = bytes;
  return sample_circles(circles, scene.image);
}

}  // namespace

CircleSample render_to_file(const Scene& scene, std::int64_t frame, Rasterizer& rasterizer,
                            const std::string& path, StageStats& stats,
                            std::optional<ImageFormat> requested, WorkCount* shown, Sync sync,
                            ExrStorage exr) {
  WorkCount unseen;
  WorkCount& progress = shown != nullptr ? *shown : unseen;
  const ImageFormat format = requested ? *requested : format_of(path);
  const FrameEncoder encoder(scene, {format, VideoFormat::kNone, exr});
  if (is_drawn_in_bands(scene.image, format))
    return render_bands(scene, frame, rasterizer, encoder, path, stats, progress, sync);
  FramePixels picture;
  CircleSample sample;
  {
    CircleSource source(scene);
    Circles memory;
    const CircleStream circles = source.at(frame, memory, &stats);  // or bin() makes them on demand
    trim_heap();                                                    // used for reading data
    sample = sample_circles(circles, scene.image);
    if (source.is_streamed()) progress.total = circles.pictures() * circles.count();
    draw_within(scene, frame, format, [&] {
      rasterizer.draw(circles.counted(progress), scene.image, encoder.target(picture), stats);
    });
  }
  // Frees the memory of drawing before encoding.
  rasterizer.free_host_memory();
  trim_heap();

  std::vector<std::uint8_t> file;
  {
    const StageTimer timer(stats, "encode");
    file = encoder.encode(picture, frame, true);
    stats.stage("encode").bytes = file.size();
  }
  const StageTimer timer(stats, "write", StageResource::kOutput);
  write_file_atomically(path, file, OverwriteRule::kFollow, sync);
  return sample;
}

}  // namespace roundel
