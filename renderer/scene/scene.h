#pragma once
#include <array>
#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "renderer/base/frame_name.h"
#include "renderer/base/input_file.h"
#include "renderer/map/data_map.h"
#include "renderer/map/layer_move.h"
#include "renderer/map/survey_rows.h"
#include "renderer/pixels/image_settings.h"
#include "renderer/scene/keyed_value.h"

namespace roundel {

class Table;

/// `center` is the middle of the image; its height spans 1/zoom scene units.
struct View {
  double center_x = 0.5, center_y = 0.5;
  double zoom = 1;      ///< > 0
  bool flip_y = false;  ///< y points down
  double rotate = 0;    ///< degrees counter-clockwise in the image, about its middle

  /// The rotation in scene space.
  double scene_rotate() const { return flip_y ? -rotate : rotate; }
  bool operator==(const View&) const = default;
};

/// The part of scene space in the middle of an image of any aspect.
struct ViewWindow {
  enum class Kind { kData, kSquare, kGiven };
  Kind kind = Kind::kGiven;
  std::array<double, 2> x{0, 1}, y{0, 1};  ///< low, high; kGiven
  double margin = 0.05;                    ///< other kinds: share of the longer side, on each side
  bool is_over_frame = false;              ///< kData: of each frame's files, else of all
  bool covers = false;                     ///< it fills the image; else all of it is shown
};

/// True if frame space is scene space, in an image of this size.
inline bool is_identity(const View& view, int width, int height) {
  return view.zoom == 1 && view.center_y == 0.5 && !view.flip_y && view.rotate == 0 &&
         view.center_x == 0.5 * static_cast<double>(width) / static_cast<double>(height);
}

enum class Shader {
  kSolid,  ///< one colour and alpha everywhere inside
  kSnow,   ///< flake; colour and alpha depend on z and on the distance from the centre
  kSoft,   ///< one colour inside; alpha falls off from the centre to 0 at the rim
};

/// Names in scene files, in the order of BlendMode.
inline constexpr std::array<const char*, 4> kBlendModeNames = {"over", "add", "multiply", "screen"};
inline const char* name_of(BlendMode mode) {
  return kBlendModeNames[static_cast<std::size_t>(mode)];
}

/// A number drawn for each circle.
struct ConstantLaw {
  double value;
};
struct UniformLaw {
  double low, high;
};  ///< [low, high)
struct GaussianLaw {
  double mean, sigma;
};  ///< sigma >= 0
using NumberLaw = std::variant<ConstantLaw, UniformLaw, GaussianLaw>;

/// A place drawn for each circle, in scene space.
struct UniformPosition {
  std::array<double, 2> low{0, 0}, high{1, 1};
};
struct GaussianPosition {
  std::array<double, 2> mean;
  double sigma;
};
struct DiscPosition {  ///< uniform in a disc
  std::array<double, 2> center;
  double radius;
};
struct RingPosition {  ///< uniform between two circles; `radius` is the outer one's
  std::array<double, 2> center;
  double radius, width = 0;
};
struct PolylinePosition {  ///< uniform along lines between points
  std::vector<std::array<double, 2>> points;
  double width = 0;  ///< uniform across the lines, half on each side
  double sigma = 0;  ///< instead of width: round clouds
};
struct GridPosition {  ///< a circle per cell of the box, by rows, from the lower left corner
  std::uint64_t columns, rows;
  double jitter = 0;  ///< 0: in the cells' centres; 1: anywhere in the cells
  std::array<double, 2> low{0, 0}, high{1, 1};
};
using PositionLaw = std::variant<UniformPosition, GaussianPosition, DiscPosition, RingPosition,
                                 PolylinePosition, GridPosition>;

/// A colour drawn for each circle.
struct ConstantColor {
  DisplayColor value;
};
struct UniformColor {  ///< independent channels
  DisplayColor low, high;
};
struct ChoiceColor {
  std::vector<DisplayColor> colors;
  std::vector<double> weights;  ///< one per colour, sum > 0
};
struct GradientColor {  ///< at a uniform t of the gradient
  Gradient gradient;
};
using ColorLaw = std::variant<ConstantColor, UniformColor, ChoiceColor, GradientColor>;

/// A classic scene (see circles/classic.h).
struct GeneratorSource {
  std::string name;                   ///< rgb, rgby, rand10k, ..., fireworks
  std::optional<std::uint32_t> seed;  ///< instead of the scene's
};

/// Circle k depends only on (scene seed or own seed, layer index, k).
struct RandomSource {
  std::uint64_t count = 0;
  std::optional<std::uint32_t> seed;  ///< instead of the scene's
  PositionLaw position = UniformPosition{};
  NumberLaw radius = ConstantLaw{0.01};  ///< a draw <= 0 covers nothing
  ColorLaw color = ConstantColor{};
  std::optional<NumberLaw> alpha;    ///< clamped to [0, 1]; default: the shader's alpha
  NumberLaw depth = ConstantLaw{0};  ///< z, clamped to [0, 1]
};

struct InlineCircle {
  double x = 0, y = 0, z = 0, radius = 0;
  DisplayColor color;
  std::optional<double> alpha;  ///< default: the shader's
};
struct InlineSource {
  std::vector<InlineCircle> circles;
};

enum class DataColumn { kX, kY, kZ, kRadius, kRed, kGreen, kBlue, kAlpha, kIgnored };
/// Names in scene files, in the order of DataColumn.
inline constexpr std::array<const char*, 9> kDataColumnNames = {
    "x", "y", "z", "radius", "red", "green", "blue", "alpha", "_"};

/// A data file per frame.
struct DataFilm {
  std::string folder;  ///< base of the names
  FrameName name{""};
  std::int64_t start = 0, frames = 1;      ///< first frame and number of frames
  TableHead first;                         ///< the first frame's file
  UsedColumns used;                        ///< by all layers with this film
  DataMap map;                             ///< made for `first`; settled over all files
  std::optional<DataFacts> facts;          ///< over all files, if anything needs them
  std::map<std::int64_t, FileStamp> seen;  ///< files that it was made from, by frame

  /// Frames before 0 use the file of frame 0.
  std::string path(std::int64_t frame) const;
};

/// A circle per row, in paint order.
struct DataSource {
  std::string path;  ///< resolved: as given to open()
  /// Roles of all columns, for the key "columns".
  std::vector<DataColumn> columns;
  std::uint64_t rows = 0;                  ///< rows of the table
  std::uint64_t content_hash = 0;          ///< XXH3 of the file, if any
  std::shared_ptr<const Table> table;      ///< the hashed data, from which circles are made
  std::string dataset = {};                ///< one of several in the file
  std::optional<DisplayColor> color = {};  ///< for circles without their own
  DataMap map = {};
  /// Facts that resolve_scene() has read: always for a map that is not plain.
  std::shared_ptr<const DataFacts> facts = {};
  bool fits_float = true;  ///< Table::fits_float()
  /// A film of data, of which the members above describe one frame.
  std::shared_ptr<const DataFilm> film = {};
};
/// The plain map for the key "columns". `color`: of all circles, without colour columns.
DataMap map_of_columns(const std::vector<DataColumn>& columns, const DisplayColor& color = {});

/// A ring inside the rim.
struct Stroke {
  Length width;                       ///< > 0; in pixels, or in the layer's units
  std::optional<DisplayColor> color;  ///< absent: the circle's own; alpha too
  std::optional<double> alpha;
};

struct Layer {
  std::variant<GeneratorSource, RandomSource, InlineSource, DataSource> source;
  Shader shader = Shader::kSolid;
  float alpha = 0.5f;     ///< solid: for circles without their own
  std::string name = {};  ///< unique; may be empty
  double opacity = 1;     ///< 0 to 1, a factor on alphas
  LayerMove move = {};
  BlendMode blend = BlendMode::kOver;
  bool fill = true;                   ///< false: only the stroke is painted
  std::optional<Stroke> stroke = {};  ///< above the fill; only with the shader solid
  /// First and last frame that show it; absent: all. Other frames hide it.
  std::optional<std::array<double, 2>> frames = {};
  bool is_on_screen = false;  ///< inline circles in pixels, from the image's lower left corner
  bool is_hidden = false;     ///< without circles, but counted as a layer
};

struct Animation {
  double fps = 60;  ///< the film's; simulations step by 1/60 s
  std::int64_t frames = 1;
  std::int64_t start = 0;    ///< also the default frame of a still
  bool is_real = false;      ///< frame n is n/fps seconds of simulated time, else n steps
  std::int64_t samples = 1;  ///< motion blur: a frame is the mean of this many pictures
  double shutter = 0.5;      ///< their times are in this part of a frame's duration
};

class SceneFilm;

/// A scene file, checked and resolved: all that decides a frame's pixels.
struct Scene {
  std::string path;  ///< for messages
  ImageSettings image;
  int width_in_file = 0, height_in_file = 0;  ///< for messages: without --size
  std::uint32_t seed = 1;
  View view;
  std::optional<ViewWindow> window;  ///< source of `view`
  std::vector<Layer> layers;         ///< in paint order
  std::optional<Animation> animation;
  /// Values with keys, in the scene as at `frame`; null without keys.
  std::shared_ptr<const std::vector<KeyedValue>> keyed;
  std::int64_t frame = 0;
  std::uint64_t memory = 0;           ///< limit for drawing in bytes; 0: unset
  std::optional<std::string> output;  ///< pattern, relative to the working directory
  /// A scene for each frame, of which the members above are one.
  std::shared_ptr<const SceneFilm> film = {};

  std::int64_t default_frame() const { return animation ? animation->start : 0; }
};

/// Circles of any frame; 0 in hidden layers.
std::uint64_t count_circles(const Scene& scene);
std::uint64_t count_circles(const Layer& layer);
/// Parts drawn per circle: fill, stroke, or both.
inline std::uint64_t parts_of(const Layer& layer) {
  return layer.fill && layer.stroke ? 2 : 1;
}
std::uint64_t count_parts(const Scene& scene);
inline std::uint64_t count_parts(const Layer& layer) {
  return count_circles(layer) * parts_of(layer);
}
/// Styles of the circles, for ImageSettings::styles.
CircleStyles styles_of(const Scene& scene);
/// True if a layer has a data file per frame.
bool is_data_film(const Scene& scene);
/// True if the layer is hidden in the scene's frame, but not in all.
inline bool waits_for_frame(const Layer& layer) {
  return layer.is_hidden && layer.frames;
}
/// True if a layer that is not hidden has rows that move.
bool has_moving_rows(const Scene& scene);
bool has_moving_rows(const Layer& layer);
/// True for a simulation that is not hidden in all frames.
bool is_simulated(const Layer& layer);
/// The scene's frame for a film's frame: rows of a table all show one.
std::int64_t shown_frame(const Scene& scene, std::int64_t frame);
/// Steps of 1/60 s. Throws Error(kInvalidScene) beyond kMaxFrame.
std::int64_t steps_at(const Scene& scene, std::int64_t frame);
const std::vector<KeyedValue>& keyed_values(const Scene& scene);
/// True if the scene itself, except simulations, depends on the frame: see scene_at().
bool has_frames(const Scene& scene);

inline constexpr std::uint64_t kMaxCircles = 1'000'000'000;
inline constexpr double kMaxZoom = 1e9;
inline constexpr double kMaxFps = 1000;
inline constexpr std::int64_t kMaxSamples = 256;
inline constexpr std::uint64_t kMaxLayers = 1000;
inline constexpr double kBytesPerPixel = 16, kBytesPerCircle = 32;  ///< lower bounds of memory

}  // namespace roundel
