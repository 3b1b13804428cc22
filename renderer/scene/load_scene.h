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

/// A var's value on the command line: text as in a list in brackets, where colours need no quotes.
struct VarSetting {
  std::string name, value;
  /// What errors of the value begin with; where it is empty, the place of the var in the file.
  std::function<std::string()> place = {};
};

/// What the command line, or a caller, says instead of the scene file.
struct SceneOverrides {
  std::optional<int> width, height;
  std::optional<std::uint32_t> seed;
  std::uint64_t memory = 0;       ///< for Scene::memory
  std::optional<bool> antialias;  ///< for ImageSettings::antialias
  double scale = 1;               ///< of width and height, and of lengths in px
  /// Pixels on the left and above that are not drawn, then the width and height that are.
  std::optional<std::array<int, 4>> crop;
  std::optional<std::int64_t> frame;  ///< that the scene is at; else that of the animation
  /// Frames are drawn one by one: of a film of data the scene may be at another than its first one,
  /// where that has a file with rows that cannot be drawn.
  bool is_film = false;
  std::optional<std::vector<std::string>> layers;  ///< names; all others are hidden
  std::vector<VarSetting> vars;                    ///< of a var set twice the last one counts
  /// Data in memory, by what `data` has in place of a file's name.
  std::map<std::string, std::shared_ptr<const Table>, std::less<>> tables;
  /// Called with the path of each data file, whether it is there or not, before it is opened.
  std::function<void(const std::string&)> on_data_file = {};
};

/// True for what stands for a pipe, "-" (standard input), /dev/stdin and /dev/fd/N: data of such a
/// scene are relative to the working directory.
bool is_stream_path(const std::string& path);

/// Reads and checks a scene file and its data files; "-" is standard input.
/// Throws Error(kInvalidScene) with every problem found, one a line, each
/// "FILE:LINE:COLUMN: KEY.PATH: expected …, got …"; Error(kRuntimeFailure) if the file cannot be
/// read for another reason than not existing. Error(kUsage) for a size on the command line that is
/// out of range, and for layers that there are not.
Scene load_scene(const std::string& path, const SceneOverrides& overrides = {});

/// The text of a scene file. Throws what load_scene() does where it cannot be read.
std::string read_scene_text(const std::string& path);

/// The same for the text of a scene file; `path` is for messages and the place of data files.
Scene parse_scene(std::string_view text, const std::string& path,
                  const SceneOverrides& overrides = {});
/// Checks all of that but the values of data: throws as parse_scene() does.
void check_scene(std::string_view text, const std::string& path, const SceneOverrides& overrides);

}  // namespace roundel
