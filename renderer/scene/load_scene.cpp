#include "renderer/scene/load_scene.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstdio>
#include <filesystem>
#include <system_error>

#include "renderer/base/error.h"
#include "renderer/base/input_file.h"
#include "renderer/base/similar_file.h"
#include "renderer/base/text.h"
#include "renderer/format/format_errors.h"
#include "renderer/format/validate.h"
#include "renderer/format/yaml_tree.h"
#include "renderer/scene/resolve_scene.h"
#include "renderer/scene/scene_film.h"
#include "renderer/scene/scene_reader.h"
#include "renderer/scene/scene_spec.h"
#include "renderer/scene/vars.h"

namespace roundel {

namespace {

std::vector<std::string> layer_names(YamlNode root) {
  std::vector<std::string> names;
  const std::optional<YamlNode> layers = root.find("layers");
  if (!layers) return names;
  layers->for_each_item([&names](YamlNode layer) {
    const std::optional<YamlNode> name = layer.find("name");
    names.emplace_back(name && name->is_scalar() ? name->text() : std::string_view());
  });
  return names;
}

/// `uses_frame`: set to true if a value is $frame.
Scene read_text(std::string_view text, const std::string& path, const SceneOverrides& overrides,
                bool& uses_frame) {
  YamlTree tree(text, path);
  FormatErrors errors(path);
  uses_frame = replace_vars(tree, path, overrides.vars, overrides.frame, errors);
  errors.set_layer_names(layer_names(tree.root()));
  Scene scene;
  if (const std::optional<PartlyValidNode> root = validate(tree.root(), scene_spec(), errors))
    scene = read_scene(*root, path, overrides, errors);
  errors.throw_if_any();
  return scene;
}

/// A scene for each number of $frame.
std::shared_ptr<const SceneFilm> film_of_text(std::string_view text, const std::string& path,
                                              const SceneOverrides& overrides) {
  const auto load = [text = std::string(text), path, overrides](std::int64_t frame) {
    SceneOverrides of_frame = overrides;
    of_frame.frame = frame;
    return parse_scene(text, path, of_frame);
  };
  auto film = std::make_shared<SceneFilm>(load, max_film_bytes(overrides.memory));
  film->is_by_var = true;
  return film;
}

}  // namespace

void check_scene(std::string_view text, const std::string& path, const SceneOverrides& overrides) {
  bool uses_frame = false;
  read_text(text, path, overrides, uses_frame);
}

Scene parse_scene(std::string_view text, const std::string& path, const SceneOverrides& overrides) {
  bool uses_frame = false;
  Scene scene = read_text(text, path, overrides, uses_frame);
  scene.memory = overrides.memory;
  resolve_scene(scene, overrides.is_film || overrides.frame);
  if (overrides.frame) scene = scene_at(scene, *overrides.frame);
  if (!uses_frame) return scene;
  scene.frame = overrides.frame.value_or(scene.default_frame());
  scene.film = film_of_text(text, path, overrides);
  return scene;
}

bool is_stream_path(const std::string& path) {
  return path == "-" || path == "/dev/stdin" || path.starts_with("/dev/fd/") ||
         path.starts_with("/proc/self/fd/");
}

namespace {

/// Reads a pipe, up to `limit` bytes.
std::string read_stream(const std::string& path, std::size_t limit) {
  std::FILE* const file = path == "-" ? stdin : std::fopen(path.c_str(), "rbe");
  std::string text;
  std::array<char, 65536> piece;  // NOLINT: filled by fread
  std::size_t got = 1;
  while (file != nullptr && got > 0 && text.size() < limit) {
    got = std::fread(piece.data(), 1, std::min(piece.size(), limit - text.size()), file);
    text.append(piece.data(), got);
  }
  const bool failed = file == nullptr || std::ferror(file) != 0;
  const std::string reason = failed ? std::generic_category().message(errno) : "";
  if (file != nullptr && file != stdin) std::fclose(file);
  if (failed) throw Error(ExitCode::kRuntimeFailure, path + ": cannot read: " + reason);
  return text;
}

/// Throws Error for extensions of pictures and tables.
void refuse_other_file(const std::string& path) {
  static constexpr std::array kPictures = {".png", ".exr", ".pfm", ".jpg", ".jpeg", ".webp"};
  static constexpr std::array kTables = {".csv", ".tsv", ".npy", ".npz", ".h5", ".h5ad", ".ply"};
  const std::string ending = lower_case(std::filesystem::path(path).extension().string());
  const auto is_in = [&](const auto& endings) {
    return std::find(endings.begin(), endings.end(), ending) != endings.end();
  };
  if (is_in(kPictures))
    throw Error(ExitCode::kInvalidScene, path + ": expected a scene, got a picture");
  if (is_in(kTables))
    throw Error(ExitCode::kInvalidScene,
                fmt::format("{0}: expected a scene, got a table; a scene's layer draws it: "
                            "{{data: {0}, map: {{x: NAME, y: NAME, radius: 2px}}}}",
                            path));
}

}  // namespace

std::string read_scene_text(const std::string& path) {
  // One byte beyond the limit makes parse_scene() refuse the text.
  constexpr std::size_t kLimit = YamlTree::kMaxFileBytes + 1;
  if (is_stream_path(path)) return read_stream(path, kLimit);
  check_file_exists(path, {".yaml", ".yml", ".json"});
  return InputFile(path).read(kLimit);
}

Scene load_scene(const std::string& path, const SceneOverrides& overrides) try {
  return parse_scene(read_scene_text(path), path, overrides);
} catch (const InvalidScene&) {
  refuse_other_file(path);
  throw;
}

}  // namespace roundel
