#include <fmt/format.h>

#include <cmath>
#include <cstddef>
#include <limits>
#include <optional>
#include <utility>

#include "renderer/base/text.h"
#include "renderer/data/table.h"
#include "renderer/generate/generate.h"
#include "renderer/picture_bands.h"
#include "renderer/raster/tile_grid.h"
#include "renderer/render.h"
#include "renderer/scene/fingerprint.h"
#include "renderer/scene/moving_parts.h"
#include "renderer/scene/resolve_scene.h"
#include "tools/roundel/cli/common_options.h"
#include "tools/roundel/cli/machine.h"
#include "tools/roundel/cli/output_path.h"
#include "tools/roundel/cli/problems.h"
#include "tools/roundel/cli/process.h"
#include "tools/roundel/cli/progress.h"
#include "tools/roundel/cli/requirements.h"
#include "tools/roundel/cli/surprises.h"
#include "tools/roundel/cli/terminal.h"
#include "tools/roundel/commands/commands.h"

namespace roundel {
namespace {

struct ValidateOptions {
  std::vector<std::string> scenes;
  std::optional<std::string> output;  ///< default: the scene's own
  std::optional<ImageFormat> format;  ///< default: that of the output, else PNG
  SceneOptions scene;
  MachineOptions machine;
  Verbosity verbosity = Verbosity::kNormal;
};

bool parse(const Arguments& arguments, ValidateOptions& options) {
  CommandLine line(
      "validate", "SCENE... [OPTION...]",
      "Checks scenes as render does, without making pictures, and prints their size, circles, "
      "overlaps (circle-tile pairs), the ranges of data, memory and fingerprint on stdout. Memory "
      "is the most that render would have for this picture with these options, program included, "
      "and a --memory that is enough for that.");
  add_scenes(line, options.scenes);
  line.add_value("output,o", "FILE", text(options.output, "a file name or a folder"),
                 "the picture that render would write; nothing is written: only its ending counts");
  line.add_value(
      "format", "NAME",
      one_of(options.format,
             {{"png", ImageFormat::kPng}, {"exr", ImageFormat::kExr}, {"pfm", ImageFormat::kPfm}}),
      "png, exr or pfm: the format that render would write (default: that of "
      "--output, or of the scene's \"output\", else png)");
  add_picture(line, options.scene);
  add_seed_and_frame(line, options.scene);
  add_machine(line, options.machine);
  add_quiet(line, options.verbosity);
  line.add_note(exit_codes(ExitCode::kInvalidScene));
  line.add_check([&options](CommandLine::Problems& problems) {
    check_output_option(options.output, options.scenes.size(), problems, options.format);
    if (options.output == "-" && !options.format)
      problems.emplace_back("--output: expected --format for standard output");
  });
  if (!line.parse(arguments)) return false;
  options.scene.overrides.memory = options.machine.raster.memory_budget;
  return true;
}

/// The numbers that a scale goes by, to be written into a scene: "v by log: 0.1 to 25.5".
std::string scale_text(const Scale& scale, const std::string& column) {
  const char* const name = kScaleNames[static_cast<std::size_t>(scale.kind)];
  if (scale.ends.empty()) return fmt::format("{} by {}: no numbers", column, name);
  return fmt::format("{} by {}: {} to {}{}", column, name, scale.ends.front(), scale.ends.back(),
                     scale.is_over_frame ? ", of this frame" : "");
}

/// The same for categories: "{a: "#1f77b4", b: "#ff7f0e"}", in a scene's words.
std::string categories_text(const ColorMap& color, bool is_text) {
  constexpr std::size_t kListed = 20;
  std::string text;
  for (const Category& category : color.categories) {
    if (!text.empty() && &category - color.categories.data() >= std::ptrdiff_t{kListed}) break;
    const auto byte = [](float channel) { return static_cast<int>(std::lround(channel * 255)); };
    text += fmt::format(
        "{}{}: \"#{:02x}{:02x}{:02x}\"", text.empty() ? "" : ", ",
        is_text ? roundel::quoted(category.text) : fmt::format("{}", category.number),
        byte(category.color.red), byte(category.color.green), byte(category.color.blue));
  }
  if (color.categories.size() > kListed)
    text += fmt::format(", and {} more", color.categories.size() - kListed);
  return fmt::format("{{{}}}{}", text, color.is_over_frame ? ", of this frame" : "");
}

/// "v by log: 0.1 to 25.5", "r / 255, g / 255, b / 255".
std::string reading_text(const ValueReading& reading, const ColorMap& color, bool is_text) {
  using Kind = ValueReading::Kind;
  const std::string& column = reading.columns.front();
  if (reading.kind == Kind::kScale) return scale_text(*reading.scale, column);
  if (reading.kind == Kind::kCategories) return column + ": " + categories_text(color, is_text);
  if (reading.kind == Kind::kColors) return column + ": texts #rrggbb";
  std::string text;
  for (std::size_t c = 0; c < reading.columns.size(); ++c) {
    text += (c == 0 ? "" : ", ") + reading.columns[c];
    if (reading.ones[c] != 1) text += fmt::format(" / {}", reading.ones[c]);
  }
  return text;
}

/// What a layer's data are like: rows, the columns that are used, what scales found in them.
std::string describe_data(const DataSource& source, const std::string& of_layer) {
  DataMap map = source.map ? *source.map : map_of_columns(source);
  const bool is_film = source.film && source.film->facts;
  const DataFacts facts = is_film        ? *source.film->facts
                          : source.facts ? *source.facts
                                         : survey_rows(*source.table, map);
  std::string text = fmt::format("  data         {}{}: {}", of_layer.empty() ? "" : of_layer + ": ",
                                 source.path, counted(source.rows, "row"));
  if (is_film)
    text += fmt::format(", in all {} {}",
                        counted(static_cast<std::uint64_t>(source.film->frames), "file"),
                        counted(facts.rows, "row"));
  if (facts.dropped > 0) text += fmt::format(", {} left out by where", with_commas(facts.dropped));
  if (facts.skipped > 0) text += fmt::format(", {} skipped", with_commas(facts.skipped));
  if (const std::uint64_t comments = source.table->comments(); comments > 0)
    text += fmt::format(", {}", counted(comments, "comment"));
  text += '\n';
  for (const ColumnRange& column : facts.columns) {
    text += fmt::format("    {:<10} ", column.name);
    text +=
        column.low > column.high ? "no numbers" : fmt::format("{} to {}", column.low, column.high);
    if (column.missing > 0) text += fmt::format(", {} missing", with_commas(column.missing));
    text += '\n';
  }
  for (const ValueReading& reading : value_readings(source, map, facts)) {
    const bool is_text = reading.kind == ValueReading::Kind::kCategories &&
                         source.table->columns()[map.columns[map.color.slot]].is_text;
    text += fmt::format("    {:<10} {}", reading.key, reading_text(reading, map.color, is_text));
    if (reading.missing > 0) text += fmt::format(", {} missing", with_commas(reading.missing));
    text += '\n';
  }
  return text;
}

/// Some circles are drawn as two.
bool has_parts(const Scene& scene) {
  return count_parts(scene) != count_circles(scene);
}
std::string drawn_text(const Scene& scene) {
  if (!has_parts(scene)) return counted(count_circles(scene), "circle");
  return with_commas(count_parts(scene)) + " fills and strokes";
}

std::string describe_data(const Scene& scene, const FrameSurvey& survey) {
  std::string text;
  for (const Layer& layer : scene.layers)
    if (const auto* const source = std::get_if<DataSource>(&layer.source);
        source != nullptr && !layer.is_hidden)
      text += describe_data(*source, layer.name);
  if (text.empty()) return "";
  const SceneBounds view = view_bounds(scene);
  return text +
         fmt::format("  seen         {} of {}, {} less wide than a pixel\n",
                     with_commas(survey.touching), drawn_text(scene),
                     with_commas(survey.under_a_pixel)) +
         fmt::format("  view         x {:.9g} to {:.9g}, y {:.9g} to {:.9g}\n", view.left,
                     view.right, view.bottom, view.top) +
         fmt::format("    center     [{}, {}], zoom: {}\n", scene.view.center_x,
                     scene.view.center_y, scene.view.zoom);
}

/// The scene for the frames of its animation.
Scene film_of(const Scene& scene) {
  if (!scene.animation || !scene.keyed) return scene;
  return settled(scene, run_of_frames(scene.animation->start, scene.animation->frames));
}

/// What depends on the frame, a line a part.
std::string describe_motion(const Scene& scene) {
  std::string text;
  for (const std::string& part : moving_parts(film_of(scene)))
    text += fmt::format("  {:<12} {}\n", text.empty() ? "moves" : "", part);
  return text;
}

/// Generates the circles, which checks the values of data files, and says what the frame needs.
/// `at_start`: memory that the process had before it did anything.
std::string describe(const Scene& scene, const ValidateOptions& options, std::uint64_t at_start) {
  const ImageFormat format = picture_format(scene, options.output, options.format);
  const std::int64_t frame = frame_of(scene, options.scene);
  const RasterOptions& raster = options.machine.raster;
  check_feasible(scene, format, raster.memory_budget);
  const Backend backend = choose_backend(options.machine, work_of(scene)).backend;

  RasterOptions measured = raster;
  measured.total_memory = raster.memory_budget;
  // With CUDA --memory is device memory, and the host holds the circles of a chunk.
  if (backend == Backend::kCuda)
    measured = {.threads = raster.threads, .chunks_of = Backend::kCuda};
  WorkCount progress;
  std::optional<WorkProgress> shown;
  if (options.verbosity != Verbosity::kQuiet) shown.emplace(scene.path, progress);
  const FrameSurvey survey = survey_frame(scene, frame, picture_bytes(scene.image, format),
                                          rows_of_band(scene.image, format), measured, progress);
  shown.reset();
  warn_of_surprises(film_of(scene), format, survey.sample,
                    scene.animation ? static_cast<std::size_t>(scene.animation->frames) : 1, false);
  CircleSample sample = survey.sample;
  if (scene.animation) sample.ink = std::numeric_limits<double>::infinity();  // they may fade in
  warn_of_nothing(film_of(scene), format, sample, frame, survey.overlaps);
  const std::uint64_t beyond =
      frame_memory(scene, format, backend, survey.drawing, raster.threads).most();
  const std::uint64_t memory = beyond + program_memory(at_start, format, backend);
  return fmt::format("{}: valid\n", scene.path) +
         fmt::format("  size         {}x{} pixels\n", scene.image.width, scene.image.height) +
         fmt::format("  circles      {}{}\n", with_commas(count_circles(scene)),
                     has_parts(scene) ? ", drawn as " + drawn_text(scene) : "") +
         fmt::format("  overlaps     {} with tiles of {} pixels\n", with_commas(survey.overlaps),
                     kCpuTileSize) +
         describe_data(scene, survey) + describe_motion(scene) +
         fmt::format("  memory       {} ({} bytes), {} of it the program\n",
                     memory_text(static_cast<double>(memory)), memory,
                     memory_text(static_cast<double>(memory - beyond))) +
         // With CUDA that is device memory, which takes what it can get.
         (backend == Backend::kCpu ? fmt::format("  --memory     {}M\n", (beyond >> 20) + 1) : "") +
         fmt::format("  fingerprint  {}\n", fingerprint(scene));
}

}  // namespace

int run_validate(const Arguments& arguments) {
  ValidateOptions options;
  if (!parse(arguments, options)) return 0;
  set_log_level(options.verbosity);
  const std::uint64_t at_start = resident_memory();
  const ThreadLimit thread_limit(options.machine.raster.threads);
  Problems problems;
  for (const Scene& scene : load_scenes(options.scenes, options.scene.overrides, problems)) {
    problems.attempt([&] {
      const std::string description = describe(scene, options, at_start);
      if (options.verbosity != Verbosity::kQuiet) print_out(description);
    });
  }
  return static_cast<int>(problems.exit_code());
}

}  // namespace roundel
