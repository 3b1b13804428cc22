#pragma once
#include <cstddef>
#include <cstdint>

#include "renderer/raster/rasterizer.h"
#include "renderer/scene/resolve_scene.h"
#include "renderer/scene/scene.h"

/// Statistics of a frame, measured without drawing it.
namespace roundel {

/// Estimates the circles that the CPU backend makes: all, or only the front ones that saturate the
/// image if circles can be made one by one.
std::uint64_t expected_circles(const Scene& scene);

/// Statistics of up to 256 of a frame's circles, evenly spaced.
struct CircleSample {
  std::size_t circles = 0;
  std::size_t under_a_pixel = 0;  ///< narrower than a pixel
  std::size_t touching = 0;       ///< partly or wholly in the picture
  std::size_t centered = 0;       ///< with their centre in the whole image
  float min_radius = 0;           ///< in heights of the whole image
  float brightest = 0;  ///< largest colour channel in the scene's blend space; ignores shader snow
  double ink = 0;       ///< sum of area, in pixels, times alpha
};
CircleSample sample_circles(const CircleStream& circles, const ImageSettings& image);
/// Samples a film's first frame; empty if that has bad data or takes long.
CircleSample sample_film(const Scene& scene);

/// Statistics of all circles of a frame.
struct CircleStatistics {
  SceneBounds bounds;               ///< in scene space
  std::uint64_t touching = 0;       ///< partly or wholly in the picture
  std::uint64_t under_a_pixel = 0;  ///< narrower than a pixel
};
CircleStatistics circle_statistics(const CircleStream& circles, const Scene& scene);
CircleStatistics circle_statistics(const Scene& scene, std::int64_t frame);

std::uint64_t frame_overlaps(const Scene& scene, std::int64_t frame);

/// Statistics of a frame and of the work to draw it on the CPU.
struct FrameStatistics {
  std::uint64_t overlaps = 0;  ///< pairs of a circle and a tile in which it may cover pixels
  std::uint64_t touching = 0, under_a_pixel = 0;  ///< circles, as in CircleStatistics
  DrawingNeeds drawing{};
  CircleSample sample;
};

/// Makes the circles and runs bin and blend as `options` say, without a picture. Drawing would hold
/// `picture_bytes` at once, in bands of `rows_of_band` rows. Throws the errors of generating and
/// drawing.
FrameStatistics measure_frame(const Scene& scene, std::int64_t frame, std::uint64_t picture_bytes,
                              int rows_of_band, const RasterOptions& options, WorkCount& progress);

}  // namespace roundel
