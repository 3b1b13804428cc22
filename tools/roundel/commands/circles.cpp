#include <cstdint>
#include <string>
#include <variant>
#include <vector>

#include "renderer/base/frame_name.h"
#include "renderer/base/write_file.h"
#include "renderer/circles/circle_rows.h"
#include "renderer/circles/generate.h"
#include "renderer/data/npy.h"
#include "renderer/frame_memory.h"
#include "renderer/scene/load_scene.h"
#include "renderer/warnings.h"
#include "tools/roundel/cli/common_options.h"
#include "tools/roundel/cli/machine.h"
#include "tools/roundel/cli/output_path.h"
#include "tools/roundel/cli/problems.h"
#include "tools/roundel/cli/terminal.h"
#include "tools/roundel/commands/commands.h"

namespace roundel {
namespace {

enum class Columns { kUsual, kAll };

struct CirclesOptions {
  std::string scene_path;
  std::string output;
  Columns columns = Columns::kUsual;
  SceneOptions scene;
  FramesOption frames;
};

bool parse(const Arguments& arguments, CirclesOptions& options) {
  CommandLine line("circles", "SCENE -o FILE [OPTION...]",
                   "Writes the circles of a frame as a NumPy array. They are in scene space and "
                   "paint order, float32 [n, 7]: x, y, z, radius, red, green, blue; or [n, 4] "
                   "without colours if every layer has the shader snow. In a mixed scene flakes "
                   "are white. With --frames each frame has a file.");
  std::vector<std::string> scenes;
  line.add_arguments("SCENE", 1, 1, scenes, "scene file (YAML)");
  line.add_value(
      "output,o", "FILE",
      [&options](const std::string& value) {
        if (value != "-" && !value.ends_with(".npy")) throw Expected{"a file name ending in .npy"};
        options.output = value;
      },
      {Group::kResults,
       "array to write (.npy), or - for standard output; #### stands for the frame number. An "
       "existing file is replaced, unless the scene reads it. Missing folders are made"});
  line.add_value(
      "columns", "NAMES",
      one_of(options.columns, {{"usual", Columns::kUsual}, {"all", Columns::kAll}}),
      {Group::kResults,
       "usual or all; all: [n, 8], with alpha at the end. For scenes with strokes [n, 9], with the "
       "inner radius of each circle's stroke, or its radius if it has none. As data under the same "
       "view they draw the same picture again. The array is float64 if the view moves float64 "
       "data, circles of layers with a map, an offset, a scale or a rotation, or inline and random "
       "ones far from 0; only a map reads it without rounding radii. Default: usual"});
  add_size(line, options.scene);
  add_scale(line, options.scene);
  add_layers(line, options.scene);
  add_frames(line, options.frames);
  add_seed_and_frame(line, options.scene);
  line.add_note("A failed or interrupted run leaves no partial file.");
  line.set_usual({"output", "columns", "layers", "frames", "set", "seed", "frame"});
  line.set_examples({"roundel circles scenes/rand10k.yaml -o circles.npy",
                     "roundel circles scenes/snow.yaml --frame 60 --columns all -o snow.npy",
                     "roundel circles scenes/snow.yaml --frames 0-9 -o snow_####.npy"});
  line.set_exit_codes(exit_codes(ExitCode::kOutputRefused));
  line.set_guide("docs/command.md");
  line.add_check([&options](CommandLine::Problems& problems) {
    if (options.output.empty()) problems.emplace_back("--output: expected -o FILE.npy");
    if (options.frames.is_given() && options.scene.frame)
      problems.emplace_back("--frame: expected --frame or --frames, got both");
    if (options.frames.is_given() && options.output != "-" &&
        !FrameName(options.output).has_number())
      problems.emplace_back("--output: expected #### for the frame number, with --frames");
  });
  if (!line.parse(arguments)) return false;
  options.scene_path = scenes.front();
  return true;
}

}  // namespace

int run_circles(const Arguments& arguments) {
  CirclesOptions options;
  if (!parse(arguments, options)) return 0;
  if (options.output == "-") check_is_not_terminal("circles.npy");
  const ThreadLimit thread_limit;
  Scene scene = load_scene(options.scene_path, options.scene.overrides);
  scene.image.blend_space = BlendSpace::kDisplay;  // colours as in the scene file
  const bool all = options.columns == Columns::kAll;
  const std::size_t columns = circle_columns(scene, all);
  const FrameList frames = frames_of(scene, options.frames, frame_of(scene, options.scene));
  const bool is_stream = options.output == "-";
  const FrameName name =
      options.frames.is_given() ? FrameName(options.output) : FrameName::literal(options.output);
  std::vector<std::string> paths;
  for (const std::int64_t frame : frames)
    if (!is_stream) paths.push_back(name.path(frame));
  const InputFiles inputs(input_paths({scene}));
  for (const std::string& path : paths) {
    check_writable(path, true);
    inputs.check_output(path, ExitCode::kOutputRefused);
  }
  check_memory(scene, count_circles(scene) * circle_row_bytes(scene, all));

  const NewFolders folders = make_folders_of(paths);
  FilmSource source(scene, CircleUse::kList);
  Circles circles;
  for (std::size_t i = 0; i < frames.size(); ++i) {
    const FilmSource::Frame frame = source.at(frames[i]);
    const std::string file =
        std::visit([&](const auto& rows) { return npy_file(rows, rows.size() / columns, columns); },
                   circle_rows(*frame.scene, *frame.circles, frames[i], all, circles));
    if (is_stream)
      print_data(file);
    else
      write_text_atomically(paths[i], file);
  }
  if (is_stream) finish_output();
  print_warnings(with_path(scene, SceneWarnings().about_data(scene)));
  return 0;
}

}  // namespace roundel
