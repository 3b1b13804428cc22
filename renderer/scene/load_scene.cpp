#include "renderer/scene/load_scene.h"

#include "renderer/base/error.h"
#include "renderer/base/input_file.h"
#include "renderer/scene/resolve_scene.h"
#include "renderer/scene/scene_errors.h"
#include "renderer/scene/scene_reader.h"
#include "renderer/scene/spec.h"
#include "renderer/scene/validate.h"
#include "renderer/scene/yaml_tree.h"

namespace roundel {

Scene parse_scene(std::string_view text, const std::string& path, const SceneOverrides& overrides) {
  YamlTree tree(text, path);
  SceneErrors errors(path);
  Scene scene;
  if (const std::optional<PartlyValidNode> root = validate(tree.root(), scene_spec(), errors))
    scene = read_scene(*root, path, overrides, errors);
  errors.throw_if_any();
  resolve_scene(scene);
  return scene;
}

Scene load_scene(const std::string& path, const SceneOverrides& overrides) {
  // One byte more than allowed is enough for parse_scene to refuse it.
  const std::string text = InputFile(path).read(YamlTree::kMaxFileBytes + 1);
  return parse_scene(text, path, overrides);
}

}  // namespace roundel
