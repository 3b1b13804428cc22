#pragma once
#include <atomic>
#include <cstdint>
#include <string>
#include <vector>

#include "renderer/raster/rasterizer.h"
#include "renderer/scene/resolve_scene.h"
#include "renderer/scene/scene.h"

/// What can be told of a frame without a picture of it.
namespace roundel {

/// About how many circles the CPU backend makes and looks at for a frame: all, or where circles can
/// be made without the others those in front that saturate the image.
std::uint64_t expected_circles(const Scene& scene);

/// True where the CPU backend makes circles while it draws; all are in memory before otherwise.
bool makes_circles_on_the_way(const Scene& scene);

SceneBounds view_bounds(const Scene& scene);
/// What is drawn of it: all, or the crop.
SceneBounds picture_bounds(const Scene& scene);

/// How a value of a layer's circles comes from its data, for people.
struct ValueReading {
  enum class Kind {
    kNumbers,     ///< a column's numbers as they stand, divided by `one`
    kScale,       ///< numbers through a scale
    kColors,      ///< texts #rrggbb
    kChannels,    ///< red, green and blue, each divided by its `ones`
    kCategories,  ///< values that stand for colours
  };
  const char* key;  ///< color, alpha or radius
  Kind kind;
  std::vector<std::string> columns;  ///< names; of channels three, and numbers of constants
  std::vector<double> ones;          ///< by column
  const Scale* scale = nullptr;      ///< of kScale; the map's
  std::uint64_t missing = 0;         ///< rows that take the key's "missing"
};
/// Returns how color, alpha and radius are read, as far as they come from columns. `map` is the
/// source's and must outlive the result.
std::vector<ValueReading> value_readings(const DataSource& source, const DataMap& map,
                                         const DataFacts& facts);

/// What a look at some of a frame's circles tells, for people.
struct CircleSample {
  std::size_t circles = 0;        ///< looked at: all, or some hundred that lie evenly apart
  std::size_t under_a_pixel = 0;  ///< of them: less wide than a pixel
  std::size_t touching = 0;       ///< of them: touch the picture
  float brightest = 0;            ///< channel of their colours, in the scene's blend space
  double ink = 0;                 ///< sum of their areas, in pixels, times their alphas
};
/// Circles as drawing takes them; those of the shader snow have no colours.
CircleSample sample_circles(const CircleStream& circles, const ImageSettings& image);
/// The same, for a frame that is not at hand.
CircleSample sample_circles(const Scene& scene, std::int64_t frame);

/// False where no circle touches the picture. True for circles that are made on the way, of which
/// there are more than millions: that is not known of them.
bool touch_picture(const CircleStream& circles, const ImageSettings& image);

/// Where circles lie, and how many of them there is something to see of.
struct CirclePlaces {
  SceneBounds bounds;
  std::uint64_t touching = 0;       ///< touch the picture
  std::uint64_t under_a_pixel = 0;  ///< are less wide than a pixel
  std::uint64_t circles = 0;        ///< that were looked at
};
/// The same for all circles of a frame, or some million of them that lie evenly apart where there
/// are more and they are made on the way.
CirclePlaces circle_places(const Scene& scene, std::int64_t frame);

/// What going through a frame's circles tells.
struct FrameSurvey {
  /// Pairs of circles and tiles of the CPU backend's size that they may cover pixels of.
  std::uint64_t overlaps = 0;
  std::uint64_t touching = 0, under_a_pixel = 0;  ///< circles, as in CirclePlaces
  DrawingNeeds drawing{};
  CircleSample sample;
};

/// Makes the circles, piece by piece where it can, and goes with them through bin and blend on the
/// CPU as `options` say, without a picture, of which drawing would write `picture_bytes` at once,
/// in bands of so many rows. Throws what generating and drawing throw.
FrameSurvey survey_frame(const Scene& scene, std::int64_t frame, std::uint64_t picture_bytes,
                         int rows_of_band, const RasterOptions& options, WorkCount& progress);

}  // namespace roundel
