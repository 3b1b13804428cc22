#pragma once
#include <cstdint>
#include <memory>
#include <optional>
#include <string>

#include "renderer/base/stage_stats.h"
#include "renderer/generate/generate.h"
#include "renderer/image/files.h"
#include "renderer/image/image.h"
#include "renderer/raster/framebuffer.h"
#include "renderer/raster/rasterizer.h"
#include "renderer/scene/scene.h"

namespace roundel {

/// The circles of a frame in frame space, for the size of the scene's image. Frames before 0 have
/// those of frame 0.
void generate_in_frame_space(CircleSource& source, std::int64_t frame, Circles& circles,
                             CircleSource::Depths depths = CircleSource::Depths::kPainted);

/// About how many circles the CPU backend makes and looks at for a frame: all, or where circles can
/// be made without the others those in front that saturate the image.
std::uint64_t expected_circles(const Scene& scene);

/// How many circles are in memory at once, at most, when a frame is rendered.
std::uint64_t circles_in_memory(const Scene& scene);

/// Pairs of circles of a frame and bins of the CPU backend's size that they may cover pixels of.
/// Makes the circles, chunk by chunk where it can; throws what CircleSource::generate() throws.
std::uint64_t count_overlaps(const Scene& scene, std::int64_t frame);

/// Renders frames of one scene, one after the other.
class FrameRenderer {
 public:
  /// Both must outlive the renderer.
  FrameRenderer(const Scene& scene, Rasterizer& rasterizer);

  /// Draws a frame, float or 8-bit. Stages generate, bin and blend are added to `stats`.
  void render(std::int64_t frame, Framebuffer& out, StageStats& stats);
  void render(std::int64_t frame, Image& out, StageStats& stats);

 private:
  template <typename Output>
  void draw(std::int64_t frame, Output& out, StageStats& stats);

  const Scene& scene_;
  Rasterizer& rasterizer_;
  CircleSource source_;
  Circles circles_;
};

/// Renders one frame of a scene into a file: the whole data flow. The ending of `path` chooses the
/// format (.png, .exr, .pfm) where none is given. Throws Error; on any failure there is no file at
/// `path` that was not there before.
void render_to_file(const Scene& scene, std::int64_t frame, Rasterizer& rasterizer,
                    const std::string& path, StageStats& stats,
                    std::optional<ImageFormat> asked = std::nullopt);

}  // namespace roundel
