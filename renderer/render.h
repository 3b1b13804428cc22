#pragma once
#include <atomic>
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

namespace roundel {

/// The circles of a frame in frame space, for the size of the scene's image. Frames before 0 have
/// those of frame 0.
void generate_in_frame_space(CircleSource& source, std::int64_t frame, Circles& circles,
                             CircleSource::Depths depths = CircleSource::Depths::kPainted);

/// About how many circles the CPU backend makes and looks at for a frame: all, or where circles can
/// be made without the others those in front that saturate the image.
std::uint64_t expected_circles(const Scene& scene);

/// True where the CPU backend makes circles while it draws; all are in memory before otherwise.
bool makes_circles_on_the_way(const Scene& scene);

/// A rectangle of scene space.
struct SceneBounds {
  double left, right, bottom, top;
};
SceneBounds view_bounds(const Scene& scene);

/// What a look at some of a frame's circles tells, for people.
struct CircleSample {
  std::size_t circles = 0;        ///< looked at: all, or some hundred that lie evenly apart
  std::size_t under_a_pixel = 0;  ///< of them: less wide than a pixel
  float brightest = 0;            ///< channel of their colours, in the scene's blend space
};
/// Circles as drawing takes them; those of the shader snow have no colours.
CircleSample sample_circles(const CircleFeed& circles, const ImageSettings& image);
/// The same, for a frame that is not at hand.
CircleSample sample_circles(const Scene& scene, std::int64_t frame);

/// Where the circles of a frame lie. Makes all of them.
SceneBounds circle_bounds(const Scene& scene, std::int64_t frame);

/// What going through a frame's circles tells.
struct FrameSurvey {
  /// Pairs of circles and bins of the CPU backend's size that they may cover pixels of.
  std::uint64_t overlaps = 0;
  std::uint64_t drawing_bytes = 0;  ///< what measure_drawing() says
  CircleSample sample;
};

/// How far a survey is: `done` of `total` circles have been looked at. It may end before.
struct SurveyProgress {
  std::atomic<std::uint64_t> done{0}, total{0};
};

/// Makes the circles, chunk by chunk where it can, and goes with them through bin and blend on the
/// CPU as `options` say, without a picture, of which drawing would write `picture_bytes`; or, where
/// these are 0, leaves that out. Throws what generating and drawing throw.
FrameSurvey survey_frame(const Scene& scene, std::int64_t frame, std::uint64_t picture_bytes,
                         const RasterOptions& options, SurveyProgress& progress);

/// Renders frames of one scene, one after the other.
class FrameRenderer {
 public:
  /// Both must outlive the renderer.
  FrameRenderer(const Scene& scene, Rasterizer& rasterizer);

  /// Draws a frame, float or 8-bit. Stages generate, bin and blend are added to `stats`.
  void render(std::int64_t frame, Framebuffer& out, StageStats& stats);
  void render(std::int64_t frame, Image& out, StageStats& stats);

  /// Of the first frame that was rendered.
  const CircleSample& sample() const { return sample_; }

 private:
  template <typename Output>
  void draw(std::int64_t frame, Output& out, StageStats& stats);

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
