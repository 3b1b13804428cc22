#include <fmt/format.h>

#include "renderer/base/error.h"
#include "renderer/image/files.h"
#include "renderer/render.h"
#include "renderer/scene/fingerprint.h"
#include "renderer/scene/load_scene.h"
#include "tools/roundel/cli/machine.h"
#include "tools/roundel/cli/options.h"
#include "tools/roundel/cli/output_path.h"
#include "tools/roundel/cli/requirements.h"
#include "tools/roundel/cli/terminal.h"
#include "tools/roundel/commands/commands.h"
#include "tools/roundel/commands/explain_report.h"

namespace roundel {
namespace {

void explain_one_pixel(const Scene& scene, std::int64_t frame, const Circles& circles,
                       const ExplainOptions& options) {
  const PixelExplanation explanation =
      explain_pixel(circles, scene.image, options.pixel->x,
                    scene.image.height - 1 - options.pixel->y, options.limit);
  const PixelReport report{scene, frame, options.pixel->x, options.pixel->y, circles, explanation};
  print_out(options.json ? pixel_json(report) : pixel_table(report));
}

void write_heat_map(const HeatMap& map, const HeatMapReport& report) {
  // Another fingerprint than the frame's, which this file must never be taken for.
  const ImageMetadata metadata{
      "roundel " ROUNDEL_VERSION,
      fmt::format("{} heat map of {}", name_of(report.kind), fingerprint(report.scene)),
      report.scene.seed, report.frame};
  if (report.in_colours) {
    write_png(report.output, heat_map_image(map, report.summary.largest), metadata);
    return;
  }
  const Framebuffer values = heat_map_framebuffer(map);
  write_file_atomically(report.output, format_of(report.output) == ImageFormat::kExr
                                           ? encode_exr(values, false, metadata)
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
    print_out(heat_map_json(report));
  } else if (options.verbosity != Verbosity::kQuiet) {
    print_err(heat_map_line(report));
  }
}

/// Before any work is done.
void check_explain(const Scene& scene, const ExplainOptions& options) {
  ImageSettings image = scene.image;
  const std::uint64_t count = count_circles(scene);
  if (options.pixel) {
    if (options.pixel->x >= image.width || options.pixel->y >= image.height) {
      throw Error(ExitCode::kUsage,
                  fmt::format("--pixel: expected X from 0 to {} and Y from 0 to {} in an image of "
                              "{}x{} pixels, got \"{},{}\"",
                              image.width - 1, image.height - 1, image.width, image.height,
                              options.pixel->x, options.pixel->y));
    }
    image.width = image.height = 1;  // no picture is made
    check_memory(scene, memory_needed(image, ImageFormat::kPng, count, 0, 0));
    return;
  }
  image.alpha = false;
  const std::uint64_t counts = 2 * sizeof(std::uint32_t) * static_cast<std::uint64_t>(image.width) *
                               static_cast<std::uint64_t>(image.height);
  check_memory(scene, counts + memory_needed(image, format_of(options.output), count, count,
                                             options.memory_budget));
  check_writable(options.output, true);
  check_replaces_no_input(options.output, files_read({scene}), ExitCode::kOutputRefused);
}

}  // namespace

int run_explain(const Arguments& arguments) {
  ExplainOptions options;
  if (!parse(arguments, options)) return 0;
  const ThreadLimit thread_limit(options.threads);
  const Scene scene = load_scene(options.scene_path, options.scene.overrides);
  check_explain(scene, options);
  const std::int64_t frame = options.scene.frame.value_or(scene.default_frame());
  CircleSource source(scene);
  Circles circles;
  generate_in_frame_space(source, frame, circles, CircleSource::Depths::kAll);
  if (options.pixel) {
    explain_one_pixel(scene, frame, circles, options);
  } else {
    const std::vector<NewFolder> folders = make_folders_of({options.output});
    draw_heat_map(scene, frame, circles, options);
  }
  return 0;
}

}  // namespace roundel
