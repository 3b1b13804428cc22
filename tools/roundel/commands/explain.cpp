#include <fmt/format.h>

#include <map>
#include <nlohmann/json.hpp>

#include "renderer/base/error.h"
#include "renderer/base/text.h"
#include "renderer/circles/view.h"
#include "renderer/data/table.h"
#include "renderer/explain/circle_numbering.h"
#include "renderer/explain/explain_pixel.h"
#include "renderer/explain/heat_map.h"
#include "renderer/explain/pixel_report.h"
#include "renderer/format/json_text.h"
#include "renderer/frame_encoder.h"
#include "renderer/frame_memory.h"
#include "renderer/image/files.h"
#include "renderer/raster/shaders.h"
#include "renderer/raster/tile_grid.h"
#include "renderer/render.h"
#include "renderer/scene/fingerprint.h"
#include "renderer/scene/frame_samples.h"
#include "renderer/scene/load_scene.h"
#include "tools/roundel/cli/common_options.h"
#include "tools/roundel/cli/machine.h"
#include "tools/roundel/cli/output_path.h"
#include "tools/roundel/cli/terminal.h"
#include "tools/roundel/commands/commands.h"

namespace roundel {
namespace {

using OrderedJson = nlohmann::ordered_json;

struct ExplainOptions {
  struct PixelPlace {
    int x = 0, y = 0;  ///< y is counted from the top
  };

  std::string scene_path;
  std::optional<PixelPlace> pixel;      ///< either a pixel
  std::optional<std::size_t> limit;     ///< maximal number of circles to list, by default 1000
  std::optional<HeatMapKind> heat_map;  ///< or a heat map
  std::string output;
  bool json = false;
  SceneOptions scene;
  int threads = 0;
  std::uint64_t memory_budget = 0;  ///< bytes for lists; 0: the renderer's choice
  Verbosity verbosity = Verbosity::kNormal;
};

constexpr std::int64_t kMaxListed = 1'000'000;

ExplainOptions::PixelPlace parse_pixel(const std::string& text) {
  const std::size_t comma = text.find(',');
  try {
    if (comma != std::string::npos) {
      return {static_cast<int>(parse_whole(text.substr(0, comma), 0, kMaxImageSide - 1)),
              static_cast<int>(parse_whole(text.substr(comma + 1), 0, kMaxImageSide - 1))};
    }
  } catch (const Expected&) {  // one message for all problems
  }
  throw Expected{"X,Y in pixels, 0,0 being the top left one"};
}

void check_task(const ExplainOptions& options, CommandLine::Problems& problems) {
  if (options.pixel.has_value() == options.heat_map.has_value()) {
    problems.emplace_back("expected either --pixel X,Y or --heatmap KIND -o FILE");
  }
  if (options.limit && !options.pixel) problems.emplace_back("--limit: works only with --pixel");
  if (options.output.empty()) {
    if (options.heat_map) problems.emplace_back("--heatmap: needs -o FILE");
    return;
  }
  if (!options.heat_map) problems.emplace_back("--output: works only with --heatmap");
  try {
    format_of(options.output);
  } catch (const Error& error) {
    problems.push_back(fmt::format("--output: {}", error.what()));
  }
}

bool parse(const Arguments& arguments, ExplainOptions& options) {
  CommandLine line(
      "explain", "SCENE (--pixel X,Y | --heatmap KIND -o FILE) [OPTION...]",
      "Lists the circles that made a pixel, or draws a heat map of the work. The list is front to "
      "back, on stdout. A heat map is a picture of the work that each pixel takes.");
  std::vector<std::string> scenes;
  line.add_arguments("SCENE", 1, 1, scenes, "scene file (YAML)");
  line.add_value("pixel", "X,Y",
                 [&options](const std::string& value) { options.pixel = parse_pixel(value); },
                 {Group::kTask,
                  "the pixel: column X from the left, row Y from the top; both from 0, as image "
                  "viewers count"});
  line.add_value(
      "limit", "N", whole(options.limit, 0, kMaxListed),
      {Group::kTask,
       fmt::format("list at most the N front circles; 0 to {}, default: 1000", kMaxListed)});
  line.add_value(
      "heatmap", "KIND",
      one_of(options.heat_map, {{"layers", HeatMapKind::kLayers},
                                {"overlaps", HeatMapKind::kOverlaps},
                                {"stop", HeatMapKind::kStop}}),
      {Group::kTask,
       fmt::format(
           "layers, overlaps or stop; what to count for each pixel. layers: circles that cover it. "
           "overlaps: circles in the list of its tile of {} x {} pixels, before any is finished. "
           "stop: circles composited until it stopped, or all that cover it",
           kCpuTileSize, kCpuTileSize)});
  line.add_value("output,o", "FILE",
                 text(options.output, "a file name ending in .png, .exr or .pfm"),
                 {Group::kResults,
                  "picture of the heat map; .png (the colour map magma, from nearly black for 0 to "
                  "pale yellow for the largest, linear), .exr or .pfm (the counts themselves). An "
                  "existing file is replaced"});
  line.add_switch("json", options.json,
                  {Group::kResults,
                   "print one JSON object; transmittances, colours and alphas are binary32 "
                   "numbers, written in full"});
  add_picture(line, options.scene);
  add_seed_and_frame(line, options.scene);
  add_threads(line, options.threads);
  add_memory(
      line, options.memory_budget,
      "limit of the memory for lists: 512M, 8G; bytes, or with K, M, G, T, at least 1M. Longer "
      "lists are counted in chunks, with the same result. Default: a quarter of the memory");
  add_quiet(line, options.verbosity, "print no summary of a heat map");
  line.add_note("A failed or interrupted run leaves no partial file.");
  line.set_usual({"pixel", "limit", "heatmap", "output", "json", "size", "frame", "set"});
  line.set_examples({"roundel explain scenes/rgb.yaml --pixel 512,400",
                     "roundel explain scenes/winter.yaml --heatmap layers -o layers.png",
                     "roundel explain scenes/rgb.yaml --pixel 512,400 --json"});
  line.set_exit_codes(exit_codes(ExitCode::kOutputRefused));
  line.set_guide("docs/explain.md");
  line.add_check([&](CommandLine::Problems& problems) { check_task(options, problems); });
  if (!line.parse(arguments)) return false;
  options.scene_path = scenes.front();
  return true;
}

/// Returns "  row 17", or "  line 19" of a text or of the scene file; empty for a circle from
/// neither.
std::string row_text(const PixelReport& report, std::uint64_t circle, std::size_t layer) {
  if (const auto line = report.lines.find(circle); line != report.lines.end())
    return fmt::format("  line {}", line->second);
  const auto row = report.rows.find(circle);
  if (row == report.rows.end()) return "";
  const auto& data = std::get<DataSource>(report.scene.layers[layer].source);
  const std::string place = data.table->place_of(row->second, 0);
  return "  " + place.substr(0, place.find(':'));
}

struct HeatMapReport {
  const Scene& scene;
  std::int64_t frame;
  HeatMapKind kind;
  const std::string& output;
  HeatMapSummary summary;
  bool in_colours;  ///< by the colour map, else the values themselves
};

/// Returns one number if all channels have it, as in all scenes without multiply and screen.
std::string transmittance_text(const BlendColor& by_channel) {
  const auto [red, green, blue] = by_channel;
  if (red == green && green == blue) return fmt::format("{:.6g}", red);
  return fmt::format("{:.6g} {:.6g} {:.6g}", red, green, blue);
}

/// Returns the number in a column, or three in scenes with these modes.
std::string transmittance_columns(const ImageSettings& image, const BlendColor& by_channel) {
  const auto [red, green, blue] = by_channel;
  return image.styles.filters ? fmt::format("{:>12.6g}{:>12.6g}{:>12.6g}", red, green, blue)
                              : fmt::format("{:>12.6g}", red);
}

std::string color_columns(const BlendColor& color) {
  return fmt::format("{:>10.6f}{:>10.6f}{:>10.6f}", color.red, color.green, color.blue);
}

std::string mode_column(const PixelReport& report, BlendMode mode) {
  return has_modes(report.scene) ? fmt::format("{:>10}", name_of(mode)) : "";
}

std::string step_row(const PixelStep& step, const PixelReport& report,
                     const CircleNumbering& places) {
  const LayerCircle place = places.find(step.circle);
  const bool has_shares = report.scene.image.antialias;
  const bool has_parts = report.scene.image.styles.rings;
  return fmt::format("{:>10}  {:<26}{:>10}{}{}{:>10.6f}{}{}{}  {}  {}{}\n", places.number_of(place),
                     places.text(place.layer), place.index,
                     has_parts ? fmt::format("{:>8}", places.part_text(place)) : "",
                     has_shares ? fmt::format("{:>10.6f}", step.share) : "", step.alpha,
                     mode_column(report, step.mode),
                     transmittance_columns(report.scene.image, step.transmittance_before),
                     transmittance_columns(report.scene.image, step.transmittance_after),
                     color_columns(step.contribution), color_columns(step.running),
                     row_text(report, step.circle, place.layer));
}

std::string end_of_walk(const PixelExplanation& explanation) {
  if (explanation.has_stopped) {
    return fmt::format(
        "stopped after {}: transmittance {} is at most 2^-20; {} below {} not seen\n",
        counted(explanation.composited, "circle"), transmittance_text(explanation.transmittance),
        counted(explanation.unseen, "circle"), explanation.unseen == 1 ? "is" : "are");
  }
  return fmt::format("not stopped: {} in all, transmittance {} is left\n",
                     counted(explanation.composited, "circle"),
                     transmittance_text(explanation.transmittance));
}

Lines pixel_table(const PixelReport& report) {
  const PixelExplanation& explanation = report.explanation;
  const ImageSettings& image = report.scene.image;
  const CircleNumbering places(report.scene);
  Lines text =
      fmt::format("{}, frame {}, pixel {},{} of {}x{} (y from the top): covered by {} of {}\n",
                  report.scene.path, report.frame, report.x, report.y, image.width, image.height,
                  with_commas(explanation.composited + explanation.unseen),
                  counted(report.circles.count(), "circle"));
  if (!explanation.steps.empty()) {
    const int width = image.styles.filters ? 36 : 12;
    text += fmt::format("{:>10}  {:<26}{:>10}{}{}{:>10}{}{:>{}}{:>{}}  {:>30}  {:>30}\n", "circle",
                        "layer", "in layer", image.styles.rings ? "    part" : "",
                        image.antialias ? "     share" : "", "alpha",
                        has_modes(report.scene) ? "     blend" : "", "T before", width, "T after",
                        width, "contribution: red, green, blue", "colour so far: red, green, blue");
  }
  for (const PixelStep& step : explanation.steps) text += step_row(step, report, places);
  if (explanation.steps.size() < explanation.composited) {
    text += fmt::format("... and {} more (--limit)\n",
                        counted(explanation.composited - explanation.steps.size(), "circle"));
  }
  text += end_of_walk(explanation);
  if (!image.alpha) {
    text += fmt::format("{:<12}{}  of{}\n", "background",
                        color_columns(explanation.background_contribution),
                        color_columns(explanation.background));
  }
  const Pixel& value = explanation.value;
  text +=
      fmt::format("{:<12}{}{}{}\n", "value", color_columns({value.red, value.green, value.blue}),
                  image.alpha ? fmt::format("  alpha {:.6f}, premultiplied", value.alpha) : "",
                  image.blend_space == BlendSpace::kLinear ? "  (linear light)" : "");
  const auto& samples = explanation.samples;
  text += fmt::format("{:<12}{:>10}{:>10}{:>10}{}{}\n", fmt::format("{} bits", image.bits),
                      samples[0], samples[1], samples[2],
                      image.alpha ? fmt::format("  alpha {}, straight", samples[3]) : "",
                      image.dither && image.bits == 8 ? "  (dithered)" : "");
  return text;
}

const char* name_of(HeatMapKind kind) {
  return kind == HeatMapKind::kLayers ? "layers" : kind == HeatMapKind::kStop ? "stop" : "overlaps";
}

std::string heat_map_line(const HeatMapReport& report) {
  const HeatMapSummary& summary = report.summary;
  const ImageSettings& image = report.scene.image;
  const auto pixels = static_cast<double>(image.pixels());
  return fmt::format(
      "{}  {}x{}  {}: {} to {}, the largest at {},{}; mean {:.1f}{}\n", report.output, image.width,
      image.height, name_of(report.kind), report.in_colours ? "0 (black)" : "0",
      report.in_colours ? fmt::format("{} (brightest)", with_commas(summary.largest))
                        : with_commas(summary.largest),
      summary.x, image.height - 1 - summary.row, static_cast<double>(summary.sum) / pixels,
      report.in_colours ? "; magma, linear" : "");
}

std::string heat_map_json(const HeatMapReport& report) {
  const HeatMapSummary& summary = report.summary;
  const ImageSettings& image = report.scene.image;
  OrderedJson json = scene_json(report.scene, report.frame);
  json["heatmap"] = name_of(report.kind);
  json["output"] = report.output;
  json["largest"] = summary.largest;
  json["largest_at"] = {{"x", summary.x}, {"y", image.height - 1 - summary.row}};
  json["sum"] = summary.sum;
  json["mean"] = static_cast<double>(summary.sum) / static_cast<double>(image.pixels());
  return json_text(json);
}

/// `text`: contents of the scene's file.
void explain_one_pixel(const Scene& scene, const std::string& text, std::int64_t frame,
                       CircleSource& source, const Circles& circles,
                       const ExplainOptions& options) {
  const PixelExplanation explanation =
      explain_pixel(circles, scene.image, options.pixel->x,
                    scene.image.height - 1 - options.pixel->y, options.limit.value_or(1000));
  const PixelReport report{
      scene,
      frame,
      options.pixel->x,
      options.pixel->y,
      circles,
      explanation,
      rows_of(scene, source, explanation),
      lines_of(scene, {text, scene.path, options.scene.overrides}, explanation)};
  if (options.json)
    print_data(json_text(pixel_json(report)));
  else
    print_out(pixel_table(report));
}

void write_heat_map(const HeatMap& map, const HeatMapReport& report) {
  // Its fingerprint must differ from the frame's, so that this file is never taken for the frame.
  const ImageMetadata metadata{
      kSoftware, fmt::format("{} heat map of {}", name_of(report.kind), fingerprint(report.scene)),
      report.scene.seed, report.frame};
  if (report.in_colours) {
    write_png(report.output, heat_map_image(map, report.summary.largest), metadata);
    return;
  }
  const Framebuffer values = heat_map_framebuffer(map);
  write_file_atomically(report.output, format_of(report.output) == ImageFormat::kExr
                                           ? encode_exr(values, false, ExrValues::kData, metadata)
                                           : encode_pfm(values));
}

void draw_heat_map(const Scene& scene, std::int64_t frame, const Circles& circles,
                   const ExplainOptions& options) {
  const HeatMap map = make_heat_map(circles, scene.image, *options.heat_map, options.memory_budget);
  const HeatMapReport report{
      scene,          frame,          *options.heat_map,
      options.output, summarize(map), format_of(options.output) == ImageFormat::kPng};
  write_heat_map(map, report);
  if (options.json) {
    print_data(heat_map_json(report));
  } else if (options.verbosity != Verbosity::kQuiet) {
    print_err(heat_map_line(report));
  }
}

void check_explain(const Scene& scene, const ExplainOptions& options) {
  ImageSettings image = scene.image;
  const std::uint64_t count = count_parts(scene);
  if (options.pixel) {
    if (options.pixel->x >= image.width || options.pixel->y >= image.height) {
      throw Error(ExitCode::kUsage, fmt::format("--pixel: expected X from 0 to {} and Y from 0 to "
                                                "{} in an image of {}x{} pixels, got \"{},{}\"",
                                                image.width - 1, image.height - 1, image.width,
                                                image.height, options.pixel->x, options.pixel->y));
    }
    image.width = image.height = 1;  // no picture is made
    check_memory(scene, memory_needed(image, ImageFormat::kPng, count, 0, 0));
    return;
  }
  image.alpha = false;
  const std::uint64_t counts = 2 * sizeof(std::uint32_t) * image.pixels();
  check_memory(scene, counts + memory_needed(image, format_of(options.output), count, count,
                                             options.memory_budget));
  check_writable(options.output, true);
  check_output_is_no_input(options.output, input_paths({scene}), ExitCode::kOutputRefused);
}

}  // namespace

int run_explain(const Arguments& arguments) {
  ExplainOptions options;
  if (!parse(arguments, options)) return 0;
  const ThreadLimit thread_limit(options.threads);
  const std::string text = read_scene_text(options.scene_path);
  const Scene scene = parse_scene(text, options.scene_path, options.scene.overrides);
  check_explain(scene, options);
  const std::int64_t frame = frame_of(scene, options.scene);
  if (is_blurred(scene))
    print_note(
        "the frame has motion blur; this explains the circles at its own time, without blur");
  CircleSource source(scene, CircleUse::kExplain);
  Circles circles;
  source.generate(frame, circles);
  if (options.pixel) {
    explain_one_pixel(scene, text, frame, source, circles, options);
  } else {
    const NewFolders folders = make_folders_of({options.output});
    draw_heat_map(scene, frame, circles, options);
  }
  return 0;
}

}  // namespace roundel
