#pragma once
#include <cstdint>
#include <optional>
#include <string>

#include "renderer/base/stage_stats.h"
#include "renderer/circles/generate.h"
#include "renderer/frame_statistics.h"
#include "renderer/image/files.h"
#include "renderer/pixels/framebuffer.h"
#include "renderer/pixels/image.h"
#include "renderer/raster/rasterizer.h"
#include "renderer/scene/scene.h"

namespace roundel {

/// The image that a PNG of a frame of a scene holds. `scene` is at that frame. Throws Error.
Image render_to_image(const Scene& scene, std::int64_t frame, Rasterizer& rasterizer,
                      StageStats& stats);

/// Renders one frame of a scene into a file: the whole data flow. The ending of `path` chooses the
/// format (.png, .exr, .pfm) where none is given. Throws Error; on any failure there is no file at
/// `path` that was not there before. Returns a sample of the frame's circles.
/// `progress`: counts the circles that drawing makes, if any. `sync`: of the file.
CircleSample render_to_file(const Scene& scene, std::int64_t frame, Rasterizer& rasterizer,
                            const std::string& path, StageStats& stats,
                            std::optional<ImageFormat> asked = std::nullopt,
                            WorkCount* progress = nullptr, Sync sync = Sync::kNow);

}  // namespace roundel
