#include <fmt/format.h>

#include "renderer/base/error.h"
#include "renderer/image/files.h"
#include "renderer/raster/tile_grid.h"
#include "tools/roundel/cli/common_options.h"
#include "tools/roundel/cli/values.h"

namespace roundel {
namespace {

constexpr std::int64_t kMostListed = 1'000'000;

ExplainOptions::PixelPlace parse_pixel(const std::string& text) {
  const std::size_t comma = text.find(',');
  try {
    if (comma != std::string::npos) {
      return {static_cast<int>(parse_whole(text.substr(0, comma), 0, kMaxImageSide - 1)),
              static_cast<int>(parse_whole(text.substr(comma + 1), 0, kMaxImageSide - 1))};
    }
  } catch (const Expected&) {  // one message for all that is wrong
  }
  throw Expected{"X,Y in pixels, 0,0 being the top left one"};
}

HeatMapKind parse_heat_map(const std::string& text) {
  if (text == "layers") return HeatMapKind::kLayers;
  if (text == "overlaps") return HeatMapKind::kOverlaps;
  if (text == "stop") return HeatMapKind::kStop;
  throw Expected{"layers, overlaps or stop"};
}

void check_task(const ExplainOptions& options, bool has_limit, CommandLine::Problems& problems) {
  if (options.pixel.has_value() == options.heat_map.has_value()) {
    problems.emplace_back("expected either --pixel X,Y or --heatmap KIND");
  }
  if (has_limit && !options.pixel) problems.emplace_back("--limit: expected with --pixel only");
  if (options.output.empty()) {
    if (options.heat_map) problems.emplace_back("--output: expected -o FILE with --heatmap");
    return;
  }
  if (!options.heat_map) problems.emplace_back("--output: expected with --heatmap only");
  try {
    format_of(options.output);
  } catch (const Error& error) {
    problems.push_back(fmt::format("--output: {}", error.what()));
  }
}

}  // namespace

bool parse(const Arguments& arguments, ExplainOptions& options) {
  CommandLine line("explain", "SCENE (--pixel X,Y | --heatmap KIND -o FILE) [OPTION...]",
                   "Says how a pixel came about: the circles that made it, front to back, on "
                   "stdout. Or writes a picture of the work that every pixel takes.");
  std::vector<std::string> scenes;
  bool has_limit = false;
  line.add_arguments("SCENE", 1, 1, scenes, "scene file (YAML)");
  line.add_value(
      "pixel", "X,Y", [&options](const std::string& value) { options.pixel = parse_pixel(value); },
      "the pixel: column X from the left and row Y from the top, both from 0, as image viewers "
      "count them");
  line.add_value(
      "limit", "N",
      [&](const std::string& value) {
        options.limit = static_cast<std::size_t>(parse_whole(value, 0, kMostListed));
        has_limit = true;
      },
      fmt::format("list at most the N front circles, 0 to {} (default: 1000)", kMostListed));
  line.add_value(
      "heatmap", "KIND",
      [&options](const std::string& value) { options.heat_map = parse_heat_map(value); },
      fmt::format("what to count for each pixel: layers (circles that cover it), overlaps (circles "
                  "in the list of its bin of {} x {} pixels, before any is finished), or stop "
                  "(circles composited until it stopped, or all that cover it)",
                  kCpuBinSize, kCpuBinSize));
  line.add_value(
      "output,o", "FILE",
      [&options](const std::string& value) {
        if (value.empty()) throw Expected{"a file name ending in .png, .exr or .pfm"};
        options.output = value;
      },
      "picture of the heat map: .png (the colour map magma, from nearly black for 0 to pale yellow "
      "for the largest, linear), .exr or .pfm (the counts themselves); an existing file is "
      "replaced");
  line.add_switch(
      "json", [&options] { options.json = true; },
      "print one JSON object on stdout; transmittances, colours and alphas are binary32 numbers, "
      "written in full");
  add_size(line, options.scene);
  add_seed_and_frame(line, options.scene);
  add_threads(line, options.threads,
              fmt::format("number of CPU threads, 1 to {} (default: one a core)", kMaxThreads));
  add_memory(line, options.memory_budget,
             "budget for lists in bytes, or with K, M, G, T as in 512M, 8G; at least 1M; what does "
             "not fit is counted in chunks, with the same result (default: a quarter of the "
             "memory)");
  add_quiet(line, options.verbosity, "print no summary of a heat map");
  line.add_note(kExitCodes);
  line.add_check(
      [&](CommandLine::Problems& problems) { check_task(options, has_limit, problems); });
  if (!line.parse(arguments)) return false;
  options.scene_path = scenes.front();
  return true;
}

}  // namespace roundel
