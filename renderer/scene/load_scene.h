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

/// A var's value on the command line: text as in a list in brackets, with colours unquoted.
struct VarSetting {
  std::string name, value;
  /// Returns the prefix of errors about the value; if empty, they have the var's place in the file.
  std::function<std::string()> place = {};
};

/// Settings from the command line, or a caller, that replace those of the scene file.
struct SceneOverrides {
  std::optional<int> width, height;
  std::optional<std::uint32_t> seed;
  std::uint64_t memory = 0;       ///< for Scene::memory
  std::optional<bool> antialias;  ///< for ImageSettings::antialias
  double scale = 1;               ///< factor on width, height and lengths in px
  /// Undrawn pixels on the left and above, then the drawn width and height.
  std::optional<std::array<int, 4>> crop;
  std::optional<std::int64_t> frame;  ///< the scene's frame; absent: the animation's
  /// Frames are drawn one by one: if the first frame of a film of data has invalid rows, the scene
  /// may be at a later one.
  bool is_film = false;
  std::optional<std::vector<std::string>> layers;  ///< names; all others are hidden
  std::vector<VarSetting> vars;                    ///< the last setting of a var wins
  /// Data in memory, by the name in `data`.
  std::map<std::string, std::shared_ptr<const Table>, std::less<>> tables;
  /// Called with the path of each data file, existing or not, before it is opened.
  std::function<void(const std::string&)> on_data_file = {};
};

/// True for "-" (standard input), /dev/stdin and /dev/fd/N: data paths of such a scene are relative
/// to the working directory.
bool is_stream_path(const std::string& path);

/// Reads and checks a scene file and its data files; "-" is standard input. Throws
/// Error(kInvalidScene) with a line per problem, "FILE:LINE:COLUMN: KEY.PATH: expected …, got …";
/// Error(kRuntimeFailure) if an existing file cannot be read; Error(kUsage) for an invalid size or
/// unknown layers on the command line.
Scene load_scene(const std::string& path, const SceneOverrides& overrides = {});

/// Returns the text of a scene file. Throws as load_scene() does if it cannot be read.
std::string read_scene_text(const std::string& path);

/// load_scene() for a text; `path` is for messages, and data paths are relative to it.
Scene parse_scene(std::string_view text, const std::string& path,
                  const SceneOverrides& overrides = {});
/// Checks everything except the values of data; throws as parse_scene() does.
void check_scene(std::string_view text, const std::string& path, const SceneOverrides& overrides);

}  // namespace roundel
