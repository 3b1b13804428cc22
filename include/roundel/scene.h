#pragma once
/// Scenes: reading, checking and properties.
#include <roundel/columns.h>
#include <roundel/error.h>
#include <roundel/picture.h>

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace roundel {
inline namespace v0 {

/// Values that replace those of the scene file, and data for it.
struct SceneOptions {
  std::optional<int> width = {}, height = {};  ///< pixels, 1 to 65536
  double scale = 1;                            ///< factor of width, height and lengths in px; > 0
  std::optional<Box> crop = {};                ///< the part of the picture that is drawn
  std::optional<bool> antialias = {};          ///< true: smooth edges
  std::optional<std::uint32_t> seed = {};
  /// Values of the scene's vars by name. A value is written as after --set NAME=: "0.5", "#ff0000",
  /// "[1, 2]"; a text with a comma needs its own quotes.
  std::map<std::string, std::string> set = {};
  /// Columns of equal length. A layer with `data: NAME` draws those of this name, a circle a row.
  std::map<std::string, std::vector<Column>> tables = {};
  /// Names of the layers to draw; the others are hidden.
  std::optional<std::vector<std::string>> layers = {};
  std::optional<std::uint64_t> memory = {};  ///< bytes, at least 2^20; as in RenderOptions
};

/// A circle in scene space. Without a stroke `inner_radius` is equal to `radius`.
struct Circle {
  double x, y;
  double z;                 ///< depth, 0 to 1
  double radius;            ///< must be > 0 to cover a pixel
  double red, green, blue;  ///< as in a scene file; 0 to 1, or more
  double alpha;             ///< 0 to 1
  double inner_radius;      ///< the stroke is a ring from here to `radius`
};

/// A scene that was read and checked, with its data. It never changes, its copies share everything,
/// and many threads may use it.
///
/// Frames are numbered from -10,000,000 to 10,000,000; the default is the animation's first one, or
/// 0. All functions with a frame throw UsageError for another number, and SceneError if the frame's
/// data are missing or wrong.
class Scene {
 public:
  /// Reads a scene file (docs/scenes.md) in YAML or JSON. Its data files are relative to it. Throws
  /// SceneError with all mistakes, UsageError for a wrong option, RenderError for a file that
  /// cannot be read.
  static Scene from_file(const std::string& path, const SceneOptions& options = {});
  /// Reads the text of a scene file. `path` is its name in messages; data files are relative to its
  /// folder.
  static Scene from_text(std::string_view text, const SceneOptions& options = {},
                         const std::string& path = "scene");

  int width() const;     ///< pixels of a row of the picture
  int height() const;    ///< rows of the picture
  int channels() const;  ///< 3 (RGB), or with `alpha: true` 4 (RGBA)

  std::int64_t first_frame() const;
  std::int64_t frames() const;  ///< length of the animation; 1 without one
  double fps() const;           ///< frames a second of the animation; 60 without one

  /// Number of a frame's circles.
  std::uint64_t circle_count(std::optional<std::int64_t> frame = {}) const;
  /// Returns a frame's circles in paint order: later ones are on top.
  std::vector<Circle> circles(std::optional<std::int64_t> frame = {}) const;
  /// Hash of everything that a frame's pixels depend on: 32 hex digits.
  std::string fingerprint(std::optional<std::int64_t> frame = {}) const;
  /// Size, window, layers with their domains and categories: numbers for axes and legends, as the
  /// JSON of roundel.validate in Python (docs/python.md, Axes).
  std::string description(std::optional<std::int64_t> frame = {}) const;

 private:
  friend struct Access;
  struct State;
  explicit Scene(std::shared_ptr<const State> state) : state_(std::move(state)) {}

  std::shared_ptr<const State> state_;
};

}  // namespace v0
}  // namespace roundel
