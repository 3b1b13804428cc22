#include <fmt/format.h>

#include <cmath>
#include <cstddef>
#include <nlohmann/json.hpp>
#include <optional>
#include <utility>

#include "renderer/base/text.h"
#include "renderer/circles/generate.h"
#include "renderer/data/table.h"
#include "renderer/description.h"
#include "renderer/format/format_errors.h"
#include "renderer/format/json_text.h"
#include "renderer/frame_memory.h"
#include "renderer/picture_bands.h"
#include "renderer/raster/tile_grid.h"
#include "renderer/render.h"
#include "renderer/scene/fingerprint.h"
#include "renderer/scene/load_scene.h"
#include "renderer/scene/moving_parts.h"
#include "renderer/scene/resolve_scene.h"
#include "renderer/warnings.h"
#include "tools/roundel/cli/common_options.h"
#include "tools/roundel/cli/machine.h"
#include "tools/roundel/cli/output_path.h"
#include "tools/roundel/cli/problems.h"
#include "tools/roundel/cli/progress.h"
#include "tools/roundel/cli/terminal.h"
#include "tools/roundel/commands/commands.h"
#include "tools/roundel/commands/comparing.h"

namespace roundel {
namespace {

using Json = nlohmann::ordered_json;

struct ValidateOptions {
  std::vector<std::string> scenes;
  std::optional<std::string> output;  ///< default: the scene's own
  std::optional<ImageFormat> format;  ///< default: by the output's extension, else PNG
  SceneOptions scene;
  MachineOptions machine;
  std::optional<std::string> json;  ///< a file, or - for standard output
  Verbosity verbosity = Verbosity::kNormal;
};

bool parse(const Arguments& arguments, ValidateOptions& options) {
  CommandLine line(
      "validate", "SCENE... [OPTION...]",
      "Checks scenes and their data without drawing, and describes them. Prints size, circles, "
      "overlaps (circle-tile pairs), the part of scene space that the picture shows, ranges of "
      "data, memory and fingerprint. Memory is an upper bound of what render takes for this "
      "picture "
      "with these options, and a --memory that is enough; with a smaller one it may draw in "
      "parts.");
  add_scenes(line, options.scenes);
  line.add_value(
      "output,o", "FILE", text(options.output, "a file name or a folder"),
      {Group::kPicture,
       "the picture that render would write; only its extension counts, nothing is written"});
  line.add_value(
      "format", "NAME",
      one_of(options.format,
             {{"png", ImageFormat::kPng}, {"exr", ImageFormat::kExr}, {"pfm", ImageFormat::kPfm}}),
      {Group::kPicture,
       "png, exr or pfm; the format that render would write. Default: by --output or the scene's "
       "\"output\", otherwise png"});
  add_picture(line, options.scene);
  add_seed_and_frame(line, options.scene);
  add_machine(line, options.machine);
  line.add_optional_value(
      "json", "FILE", "-", text(options.json, "a file name"),
      {Group::kResults,
       "print the result as JSON; invalid scenes with all their problems. With =FILE write it to a "
       "file, and print the text too. \"roundel schema validation\" prints the JSON Schema"});
  add_quiet(line, options.verbosity);
  line.set_usual({"size", "set", "frame", "json", "backend", "memory", "quiet"});
  line.set_examples({"roundel validate scenes/galaxy.yaml",
                     "roundel validate scenes/*.yaml --quiet",
                     "roundel validate scenes/title.yaml --frame 60 --json"});
  line.set_exit_codes(exit_codes(ExitCode::kInvalidScene));
  line.set_guide("docs/command.md");
  line.add_check([&options](CommandLine::Problems& problems) {
    check_output_option(options.output, options.scenes.size(), problems, options.format);
  });
  if (!line.parse(arguments)) return false;
  options.scene.overrides.memory = options.machine.raster.memory_budget;
  if (options.output == "-" && !options.format) options.format = ImageFormat::kPng;
  return true;
}

/// Returns the numbers of a scale, to copy into a scene: "v by log: 0.1 to 25.5".
std::string scale_text(const Scale& scale, const std::string& column) {
  const char* const name = kScaleNames[static_cast<std::size_t>(scale.kind)];
  if (scale.ends.empty()) return fmt::format("{} by {}: no numbers", column, name);
  return fmt::format("{} by {}: {} to {}{}", column, name, scale.ends.front(), scale.ends.back(),
                     scale.is_over_frame ? ", of this frame" : "");
}

/// Returns the colours of categories, {a: "#1f77b4", b: "#ff7f0e"}, in a scene's words.
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

/// Prints the sources of radius, alpha and color: "v by log: 0.1 to 25.5", "r / 255".
Lines describe_values(const DataSource& source, const DataMap& map, const MissingRows& missing) {
  Lines lines;
  const auto add = [&](const char* key, std::string text, std::uint64_t rows) {
    if (rows > 0) text += fmt::format(", {} missing", with_commas(rows));
    lines += fmt::format("    {:<10} {}", key, text);
  };
  const auto name_of = [&](Slot slot) {
    const std::string& name = source.table->columns()[map.columns[slot]].name;
    return name.empty() ? fmt::format("column {}", map.columns[slot]) : printable(name);
  };
  const auto divided = [](const std::string& text, double one) {
    return one == 1 ? text : fmt::format("{} / {}", text, one);
  };
  const auto add_size = [&](const char* key, const SizeMap& size, std::uint64_t rows) {
    if (!size.slot) return;
    const std::string name = name_of(*size.slot);
    add(key, size.scale ? scale_text(*size.scale, name) : divided(name, size.one), rows);
  };
  add_size("radius", map.radius, missing.radius);
  if (map.alpha) add_size("alpha", *map.alpha, missing.alpha);
  using Kind = ColorMap::Kind;
  const ColorMap& color = map.color;
  if (color.kind == Kind::kChannels) {
    std::string text;
    for (std::size_t c = 0; c < color.channels.size(); ++c) {
      const NumberMap& channel = color.channels[c];
      const std::string name =
          channel.slot ? name_of(*channel.slot) : fmt::format("{}", channel.constant);
      text += (c == 0 ? "" : ", ") + divided(name, color.ones[c]);
    }
    add("color", text, 0);
  } else if (color.kind != Kind::kConstant) {
    const std::string name = name_of(color.slot);
    const bool is_text = source.table->columns()[map.columns[color.slot]].is_text;
    add("color",
        color.kind == Kind::kScale  ? scale_text(color.scale, name)
        : color.kind == Kind::kText ? name + ": texts #rrggbb"
                                    : name + ": " + categories_text(color, is_text),
        missing.color);
  }
  return lines;
}

/// Describes a layer's data: rows, used columns, ranges of scales.
Lines describe_data(const DataSource& source, const std::string& of_layer) {
  DataMap map = source.map;
  const bool is_film = source.film && source.film->facts;
  const DataFacts facts = is_film        ? *source.film->facts
                          : source.facts ? *source.facts
                                         : survey_rows(*source.table, map);
  std::string head = fmt::format("  data         {}{}: {}", of_layer.empty() ? "" : of_layer + ": ",
                                 source.path, counted(source.rows, "row"));
  if (is_film)
    head += fmt::format(", in all {} {}",
                        counted(static_cast<std::uint64_t>(source.film->frames), "file"),
                        counted(facts.rows, "row"));
  if (facts.dropped > 0) head += fmt::format(", {} left out by where", with_commas(facts.dropped));
  if (facts.skipped > 0) head += fmt::format(", {} skipped", with_commas(facts.skipped));
  if (const std::uint64_t comments = source.table->comments(); comments > 0)
    head += fmt::format(", {}", counted(comments, "comment"));
  Lines text = head;
  for (const ColumnRange& column : facts.columns) {
    std::string range = fmt::format("    {:<10} ", column.name);
    range +=
        column.low > column.high ? "no numbers" : fmt::format("{} to {}", column.low, column.high);
    if (column.missing > 0) range += fmt::format(", {} missing", with_commas(column.missing));
    text += range;
  }
  return text + describe_values(source, map, facts.missing);
}

/// Some circles are drawn as two.
bool has_parts(const Scene& scene) {
  return count_parts(scene) != count_circles(scene);
}
std::string drawn_text(const Scene& scene) {
  if (!has_parts(scene)) return counted(count_circles(scene), "circle");
  return with_commas(count_parts(scene)) + " fills and strokes";
}

Lines describe_data(const Scene& scene, const FrameStatistics& statistics) {
  Lines text;
  for (const Layer& layer : scene.layers)
    if (const auto* const source = std::get_if<DataSource>(&layer.source);
        source != nullptr && !layer.is_hidden)
      text += describe_data(*source, layer.name);
  if (text.empty()) return {};
  return text + fmt::format("  seen         {} of {}, {} less wide than a pixel\n",
                            with_commas(statistics.touching), drawn_text(scene),
                            with_commas(statistics.under_a_pixel));
}

/// Prints the picture's edges, with all digits.
Lines describe_view(const Scene& scene) {
  const auto [x, y] = picture_window(scene);
  return Lines(fmt::format("  view         x {} to {}, y {} to {}\n", x[0], x[1], y[0], y[1])) +
         fmt::format("    center     [{}, {}], zoom: {}{}\n", scene.view.center_x,
                     scene.view.center_y, scene.view.zoom,
                     scene.view.rotate == 0 ? "" : fmt::format(", rotate: {}", scene.view.rotate));
}

/// Returns the scene for the frames of its animation.
Scene film_of(const Scene& scene) {
  if (!scene.animation || scene.film) return scene;
  return restricted_to(scene, run_of_frames(scene.animation->start, scene.animation->frames));
}

/// Lists the parts that depend on the frame, one a line.
Lines describe_motion(const Scene& scene) {
  Lines text;
  for (const std::string& part : moving_parts(film_of(scene)))
    text += fmt::format("  {:<12} {}\n", text.empty() ? "moves" : "", part);
  return text;
}

/// A valid scene, and the needs of its frame.
struct Checked {
  const Scene& scene;
  std::int64_t frame;
  FrameStatistics statistics;
  FrameMemory memory;
  /// A value of --memory. Absent with CUDA, whose option limits device memory.
  std::optional<std::string> enough_memory;
  Lines warnings;
};

/// Generates the circles, which checks the values of data files, and computes the frame's needs.
/// `at_start`: memory of the process before any work.
Checked check(const Scene& scene, const ValidateOptions& options, std::uint64_t at_start) {
  const ImageFormat format = picture_format(scene, options.output, options.format);
  const std::int64_t frame = frame_of(scene, options.scene);
  const RasterOptions& raster = options.machine.raster;
  check_feasible(scene, frame, format, raster.memory_budget);
  const Backend backend = choose_backend(options.machine, drawing_cost(scene)).backend;

  RasterOptions measured = raster;
  measured.total_memory = raster.memory_budget;
  // With CUDA --memory is device memory, and the host holds the circles of a chunk.
  if (backend == Backend::kCuda)
    measured = {.threads = raster.threads, .chunk_backend = Backend::kCuda};
  WorkCount progress;
  std::optional<WorkProgress> shown;
  if (options.verbosity != Verbosity::kQuiet) shown.emplace(scene.path, progress);
  FrameStatistics statistics;
  draw_within(scene, frame, format, [&] {
    statistics = measure_frame(scene, frame, picture_bytes(scene.image, format),
                               rows_of_band(scene.image, format), measured, progress);
  });
  shown.reset();
  const Scene film = film_of(scene);
  const auto frames = static_cast<std::size_t>(scene.animation ? scene.animation->frames : 0);
  const Lines warnings =
      SceneWarnings().about({film, frame, format, statistics.sample, statistics.overlaps, frames});
  print_warnings(with_path(scene, warnings));
  std::optional<std::string> enough;
  if (backend == Backend::kCpu)
    enough = fmt::format("{}M", enough_memory(scene, format, statistics.overlaps) >> 20);
  return {scene,      frame,
          statistics, frame_memory(scene, format, backend, statistics.drawing, at_start),
          enough,     warnings};
}

std::string bytes_text(std::uint64_t bytes) {
  return memory_text(static_cast<double>(bytes));
}

Lines text_of(const Checked& checked) {
  const Scene& scene = checked.scene;
  const FrameMemory& memory = checked.memory;
  return Lines(fmt::format("{}: valid\n", scene.path)) +
         fmt::format("  size         {}x{} pixels\n", scene.image.width, scene.image.height) +
         fmt::format("  circles      {}{}\n", with_commas(count_circles(scene)),
                     has_parts(scene) ? ", drawn as " + drawn_text(scene) : "") +
         fmt::format("  overlaps     {} with tiles of {} pixels\n",
                     with_commas(checked.statistics.overlaps), kCpuTileSize) +
         describe_data(scene, checked.statistics) + describe_view(scene) + describe_motion(scene) +
         fmt::format("  memory       at most {} ({} bytes)\n", bytes_text(memory.total()),
                     memory.total()) +
         fmt::format("    program {}, data {}, circles {}, lists {}, picture {}\n",
                     bytes_text(memory.program), bytes_text(memory.data),
                     bytes_text(memory.circles), bytes_text(memory.lists),
                     bytes_text(memory.picture)) +
         (checked.enough_memory
              ? fmt::format("  --memory     {} is enough\n", *checked.enough_memory)
              : "") +
         fmt::format("  fingerprint  {}\n", fingerprint(scene));
}

Json json_of(const Checked& checked) {
  const Scene& scene = checked.scene;
  const FrameMemory& memory = checked.memory;
  Json json = {{"scene", scene.path}, {"valid", true}, {"frame", checked.frame}};
  json.update(description_json(scene));
  json["overlaps"] = checked.statistics.overlaps;
  json["seen"] = {{"circles", checked.statistics.touching},
                  {"of", count_parts(scene)},
                  {"under_a_pixel", checked.statistics.under_a_pixel}};
  json["moves"] = moving_parts(film_of(scene));
  json["memory"] = {{"bytes", memory.total()},
                    {"program_bytes", memory.program},
                    {"data_bytes", memory.data},
                    {"circles_bytes", memory.circles},
                    {"lists_bytes", memory.lists},
                    {"picture_bytes", memory.picture},
                    {"option", checked.enough_memory ? Json(*checked.enough_memory) : Json()}};
  json["warnings"] = checked.warnings.all();
  json["problems"] = Json::array();
  return json;
}

Json json_of(const std::string& path, const Error& error) {
  Json problems = Json::array();
  const auto add = [&](Json file, Json line, Json column, const std::string& key,
                       const std::string& message) {
    problems.push_back({{"file", std::move(file)},
                        {"line", std::move(line)},
                        {"column", std::move(column)},
                        {"key", key},
                        {"message", message}});
  };
  if (const auto* const invalid = dynamic_cast<const InvalidScene*>(&error))
    for (const FormatProblem& problem : invalid->problems())
      add(invalid->file(), problem.place.line, problem.place.column, problem.key_path,
          problem.message);
  else
    for (const std::string& line : lines_of(error.what())) add({}, {}, {}, "", line);
  return {{"scene", path},
          {"valid", false},
          {"warnings", Json::array()},
          {"problems", std::move(problems)}};
}

/// A scene of the command line, and its JSON.
struct Entry {
  std::string path;
  std::optional<Scene> scene = {};
  Json json = {};

  /// Stores errors in the JSON, and throws them.
  template <typename Work>
  void note_errors(const Work& work) {
    try {
      work();
    } catch (const Error& error) {
      json = json_of(path, error);
      throw;
    }
  }
};

/// Refuses a JSON file that is an input, and removes the previous run's result.
void prepare_json(const std::string& path, const std::vector<Entry>& entries) {
  std::vector<std::string> inputs;
  for (const Entry& entry : entries) {
    inputs.push_back(entry.path);
    if (!entry.scene) continue;
    for (std::string& file : input_paths({*entry.scene})) inputs.push_back(std::move(file));
  }
  check_output_is_no_input(path, inputs, ExitCode::kUsage);
  remove_old_result(path);
}

}  // namespace

int run_validate(const Arguments& arguments) {
  ValidateOptions options;
  if (!parse(arguments, options)) return 0;
  set_verbosity(options.verbosity);
  const std::uint64_t at_start = resident_memory();
  const ThreadLimit thread_limit(options.machine.raster.threads);
  const bool has_json_file = options.json && *options.json != "-";
  Problems problems;
  std::vector<Entry> entries;
  for (const std::string& path : options.scenes) {
    Entry& entry = entries.emplace_back(Entry{path});
    problems.attempt([&] {
      entry.note_errors([&] { entry.scene = load_scene(path, options.scene.overrides); });
    });
  }
  if (has_json_file) prepare_json(*options.json, entries);
  const bool prints = options.verbosity != Verbosity::kQuiet && (!options.json || has_json_file);
  Json scenes = Json::array();
  for (Entry& entry : entries) {
    if (entry.scene)
      problems.attempt([&] {
        entry.note_errors([&] {
          const Checked checked = check(*entry.scene, options, at_start);
          if (prints) print_out(text_of(checked));
          if (options.json) entry.json = json_of(checked);
        });
      });
    entry.scene.reset();
    if (options.json) scenes.push_back(std::move(entry.json));
  }
  if (options.json)
    problems.attempt([&] {
      write_text(*options.json, json_text({{"version", 1}, {"scenes", std::move(scenes)}}, 2));
    });
  return static_cast<int>(problems.exit_code());
}

}  // namespace roundel
