#include <algorithm>
#include <cmath>
#include <vector>

#include "renderer/data/npy.h"
#include "renderer/generate/generate.h"
#include "renderer/scene/load_scene.h"
#include "tools/roundel/cli/common_options.h"
#include "tools/roundel/cli/output_path.h"
#include "tools/roundel/cli/requirements.h"
#include "tools/roundel/commands/commands.h"

namespace roundel {
namespace {

struct CirclesOptions {
  std::string scene_path;
  std::string output;
  SceneOptions scene;
};

bool parse(const Arguments& arguments, CirclesOptions& options) {
  CommandLine line(
      "circles", "SCENE -o FILE [OPTION...]",
      "Writes the circles of a frame, in scene space and paint order, as a NumPy array "
      "of float32 [n, 7]: x, y, z, radius, red, green, blue; or [n, 4] without colours "
      "where the shader of every layer is snow. In a mixed scene flakes are white. Data in "
      "float64 are rounded; pictures round their positions only behind the view.");
  std::vector<std::string> scenes;
  line.add_arguments("SCENE", 1, 1, scenes, "scene file (YAML)");
  line.add_value(
      "output,o", "FILE", text(options.output, "a file name ending in .npy", ".npy"),
      "array to write (.npy); an existing file is replaced, unless the scene reads it; a missing "
      "folder is made, its last level");
  add_seed_and_frame(line, options.scene);
  line.add_note(kExitCodes);
  line.add_check([&options](CommandLine::Problems& problems) {
    if (options.output.empty()) problems.emplace_back("--output: expected -o FILE.npy");
  });
  if (!line.parse(arguments)) return false;
  options.scene_path = scenes.front();
  return true;
}

constexpr std::size_t kShapeColumns = 4;  // x, y, z, radius
constexpr std::size_t kAllColumns = 7;    // and red, green, blue

/// Rows [count][columns] for the array.
std::vector<float> rows_of(const Circles& circles, std::size_t columns) {
  std::vector<float> rows;
  rows.reserve(circles.count() * columns);
  for (std::size_t i = 0; i < circles.count(); ++i) {
    const Shape& shape = circles.shapes[i];
    rows.insert(rows.end(), {shape.x, shape.y, shape.z, shape.radius});
    if (columns == kShapeColumns) continue;
    const Paint& paint = circles.paints[i];
    const bool is_snow = std::signbit(paint.alpha);  // and has no colour of its own
    rows.insert(rows.end(), {is_snow ? 1.0f : paint.red, is_snow ? 1.0f : paint.green,
                             is_snow ? 1.0f : paint.blue});
  }
  return rows;
}

}  // namespace

int run_circles(const Arguments& arguments) {
  CirclesOptions options;
  if (!parse(arguments, options)) return 0;
  Scene scene = load_scene(options.scene_path, options.scene.overrides);
  scene.image.blend_space = BlendSpace::kDisplay;  // colours as the scene file has them
  const bool all_snow =
      std::all_of(scene.layers.begin(), scene.layers.end(),
                  [](const Layer& layer) { return layer.shader == Shader::kSnow; });
  const std::size_t columns = all_snow && !scene.layers.empty() ? kShapeColumns : kAllColumns;
  check_writable(options.output, true);
  check_replaces_no_input(options.output, files_read({scene}), ExitCode::kOutputRefused);
  check_memory(
      scene, count_circles(scene) * (sizeof(Shape) + sizeof(Paint) + 2 * columns * sizeof(float)));

  const std::vector<NewFolder> folders = make_folders_of({options.output});
  Circles circles;
  CircleSource(scene).generate(frame_of(scene, options.scene), circles);
  write_npy(options.output, rows_of(circles, columns), circles.count(), columns);
  return 0;
}

}  // namespace roundel
