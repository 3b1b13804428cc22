#pragma once
#include <cstdint>
#include <memory>
#include <optional>
#include <string>

#include "renderer/base/stage_stats.h"
#include "renderer/generate/generate.h"
#include "renderer/image/files.h"
#include "renderer/pixels/framebuffer.h"
#include "renderer/pixels/image.h"
#include "renderer/raster/rasterizer.h"
#include "renderer/scene/scene.h"
#include "renderer/survey.h"

namespace roundel {

/// Renders frames of one scene, one after the other.
class FrameRenderer {
 public:
  /// Both must outlive the renderer.
  FrameRenderer(const Scene& scene, Rasterizer& rasterizer);

  /// Draws a frame. Its stages, from generate to finish, are added to `stats`.
  void render(std::int64_t frame, const FrameTarget& out, StageStats& stats);

  /// Of the first frame that was rendered.
  const CircleSample& sample() const { return sample_; }

 private:
  const Scene& scene_;
  Rasterizer& rasterizer_;
  CircleSource source_;
  Circles circles_;
  CircleSample sample_;
};

/// Renders one frame of a scene into a file: the whole data flow. The ending of `path` chooses the
/// format (.png, .exr, .pfm) where none is given. Throws Error; on any failure there is no file at
/// `path` that was not there before. Returns a sample of the frame's circles.
CircleSample render_to_file(const Scene& scene, std::int64_t frame, Rasterizer& rasterizer,
                            const std::string& path, StageStats& stats,
                            std::optional<ImageFormat> asked = std::nullopt);

}  // namespace roundel
