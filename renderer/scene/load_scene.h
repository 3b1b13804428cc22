#pragma once
#include <array>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "renderer/scene/scene.h"

namespace roundel {

/// A var's value on the command line, as in a list in brackets, with unquoted colours.
struct VarSetting {
  std::string name, value;
  /// Prefix of its errors; if empty, they have the var's place in the file.
  std::function<std::string()> place = {};
};

/// Replace settings of the scene file.
struct SceneOverrides {
  std::optional<int> width, height;
  std::optional<std::uint32_t> seed;
  std::uint64_t memory = 0;       ///< for Scene::memory
  std::optional<bool> antialias;  ///< for ImageSettings::antialias
  double scale = 1;               ///< factor on width, height and lengths in px
  /// Undrawn pixels on the left and above, then drawn width and height.
  std::optional<std::array<int, 4>> crop;
  std::optional<std::int64_t> frame;  ///< absent: the animation's
  /// Frames are drawn one by one: if data of the first frame are invalid, the scene may be at a
  /// later one.
  bool is_film = false;
  std::optional<std::vector<std::string>> layers;  ///< names of visible layers
  std::vector<VarSetting> vars;                    ///< the last of a var wins
  /// Data in memory, by the name in `data`.
  std::map<std::string, std::shared_ptr<const Table>, std::less<>> tables;
  /// Called before a data file is opened, even if it does not exist.
  std::function<void(const std::string&)> on_data_file = {};
};

/// True for "-" (standard input), /dev/stdin and /dev/fd/N. Their data paths are relative to the
/// working directory.
bool is_stream_path(const std::string& path);

/// Reads and checks a scene file and its data; "-" is standard input. Throws Error(kInvalidScene)
/// with a line per problem, "FILE:LINE:COLUMN: KEY.PATH: expected …, got …"; Error(kRuntimeFailure)
/// if an existing file cannot be read; Error(kUsage) for an invalid size or unknown layers on the
/// command line.
Scene load_scene(const std::string& path, const SceneOverrides& overrides = {});

/// Throws as load_scene() does if the file cannot be read.
std::string read_scene_text(const std::string& path);

/// `path`: for messages, and base of data paths.
Scene parse_scene(std::string_view text, const std::string& path,
                  const SceneOverrides& overrides = {});
/// Checks all but the values of data; throws as parse_scene() does.
void check_scene(std::string_view text, const std::string& path, const SceneOverrides& overrides);

}  // namespace roundel
