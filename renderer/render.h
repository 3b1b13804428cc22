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

/// Draws the image of a frame's PNG. `scene` is at that frame. Throws Error.
Image render_to_image(const Scene& scene, std::int64_t frame, Rasterizer& rasterizer,
                      StageStats& stats);

/// Renders one frame of a scene to a file. `requested`: the format; else the extension of `path`
/// decides (.png, .exr, .pfm). Throws Error, and then leaves `path` as it was. Returns a sample of
/// the circles. `progress`: counts the circles that drawing makes, if any.
CircleSample render_to_file(const Scene& scene, std::int64_t frame, Rasterizer& rasterizer,
                            const std::string& path, StageStats& stats,
                            std::optional<ImageFormat> requested = std::nullopt,
                            WorkCount* progress = nullptr, Sync sync = Sync::kNow,
                            ExrStorage exr = {});

}  // namespace roundel
