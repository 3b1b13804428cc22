#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "renderer/base/text.h"
#include "renderer/format/json_text.h"
#include "tools/roundel/cli/terminal.h"
#include "tools/roundel/commands/export.h"

namespace roundel {
namespace {

using Json = nlohmann::ordered_json;

/// Returns part / whole; 0 if `whole` is 0.
double ratio(double part, double whole) {
  return whole > 0 ? part / whole : 0;
}

/// Returns the used share of processor time, if each encoder had a processor.
double processors_share(const ExportResult& result) {
  return ratio(result.processor_seconds,
               result.seconds * static_cast<double>(result.limits.encode));
}

const char* place_name(const Stage& stage) {
  switch (stage.resource) {
    case StageResource::kCpu:
      return "cpu";
    case StageResource::kCuda:
      return "cuda";
    case StageResource::kBus:
      return "bus";
    case StageResource::kOutput:
      break;
  }
  return "output";
}

/// Returns the mean number of threads, or of frames on devices, in which a film's stage was at
/// work.
double at_once(const Stage& stage, const ExportResult& result) {
  return ratio(1e-3 * stage.milliseconds, result.seconds);
}

double frames_per_second(const ExportResult& result) {
  return ratio(static_cast<double>(result.written.size()), result.seconds);
}

Lines still_table(const ExportResult& result) {
  const StageStats& stats = result.stages;
  const double milliseconds = 1e3 * result.seconds;
  Lines table =
      fmt::format("{:<10}{:<8}{:>12}{:>8}{:>18}\n", "stage", "where", "ms", "share", "bytes");
  for (const Stage& stage : stats.stages) {
    table += fmt::format("{:<10}{:<8}{:>12.3f}{:>7.1f}%{:>18}\n", stage.name, place_name(stage),
                         stage.milliseconds, 100 * ratio(stage.milliseconds, milliseconds),
                         with_commas(stage.bytes));
  }
  table += fmt::format("{:<18}{:>12.3f}{:>7.1f}%\n", "total", milliseconds, 100.0);
  table += fmt::format("{}, {}, {}\n", counted(stats.circles, "circle"),
                       counted(stats.overlaps, "overlap"), counted(stats.chunks, "chunk"));
  return table;
}

Lines film_table(const ExportResult& result) {
  const auto frames = static_cast<double>(result.written.size());
  Lines table = fmt::format("{:<10}{:<8}{:>12}{:>10}{:>20}{:>10}\n", "stage", "where", "ms a frame",
                            "at once", "bytes", "MB/s");
  for (const Stage& stage : result.stages.stages) {
    table += fmt::format("{:<10}{:<8}{:>12.3f}{:>10.2f}{:>20}{:>10.0f}\n", stage.name,
                         place_name(stage), ratio(stage.milliseconds, frames),
                         at_once(stage, result), with_commas(stage.bytes),
                         ratio(1e-6 * static_cast<double>(stage.bytes), result.seconds));
  }
  const ExportLimits& limits = result.limits;
  table += fmt::format("{:<18}{:>12.3f}\n", "wall time", ratio(1e3 * result.seconds, frames));
  table += fmt::format(
      "at once at most: 1 thread generates, {} draw, {} encode, {} write; {} frames on their way\n",
      limits.draw, limits.encode, limits.write, limits.frames);
  table += fmt::format("processors busy: {:.1f}% of {}\n", 100 * processors_share(result),
                       limits.encode);
  return table;
}

}  // namespace

std::string summary_line(const ExportReport& report) {
  const ExportResult& result = report.result;
  const ImageSettings& image = report.scene.image;
  const std::string head = fmt::format("{}  {}x{}  ", report.output, image.width, image.height);
  if (report.still) {
    const double milliseconds = 1e3 * result.seconds;
    return head + fmt::format("{}  {:.{}f} ms  {}\n", counted(result.stages.circles, "circle"),
                              milliseconds, milliseconds < 10 ? 1 : 0, report.backend);
  }
  std::string counts;
  if (report.kept > 0) counts = fmt::format("{} kept", report.kept);
  if (report.replaced > 0) {
    counts += fmt::format("{}{} replaced", counts.empty() ? "" : ", ", report.replaced);
  }
  if (!counts.empty()) counts = " (" + counts + ")";
  return head + fmt::format("{}{}  {:.2f} s  {:.1f} fps  {:.1f} MB  {}{}\n",
                            counted(result.written.size(), "frame"), counts, result.seconds,
                            frames_per_second(result), static_cast<double>(result.bytes) / 1e6,
                            report.backend,
                            report.rasterizers > 1 ? fmt::format(" x{}", report.rasterizers) : "");
}

Lines stats_table(const ExportReport& report) {
  return report.still ? still_table(report.result) : film_table(report.result);
}

std::string stats_json(const ExportReport& report) {
  const ExportResult& result = report.result;
  const double milliseconds = 1e3 * result.seconds;
  Json stages = Json::array();
  for (const Stage& stage : result.stages.stages) {
    Json json = {
        {"name", stage.name}, {"where", place_name(stage)}, {"milliseconds", stage.milliseconds}};
    if (report.still)
      json["share"] = ratio(stage.milliseconds, milliseconds);
    else
      json["at_once"] = at_once(stage, result);
    json["bytes"] = stage.bytes;
    stages.push_back(std::move(json));
  }
  Json json = {{"scene", report.scene.path}, {"output", report.output}};
  if (report.still) json["frame"] = *report.still;
  json.update(Json{{"seed", report.scene.seed},
                   {"width", report.scene.image.width},
                   {"height", report.scene.image.height},
                   {"backend", report.backend}});
  if (report.still) {
    json.update(Json{{"circles", result.stages.circles},
                     {"overlaps", result.stages.overlaps},
                     {"chunks", result.stages.chunks},
                     {"milliseconds", milliseconds}});
  } else {
    json.update(Json{{"rasterizers", report.rasterizers},
                     {"frames", result.written.size()},
                     {"kept", report.kept},
                     {"replaced", report.replaced},
                     {"failed", result.failed.size()},
                     {"bytes", result.bytes},
                     {"seconds", result.seconds},
                     {"fps", frames_per_second(result)},
                     {"threads", Json{{"draw", result.limits.draw},
                                      {"encode", result.limits.encode},
                                      {"write", result.limits.write}}},
                     {"processors_share", processors_share(result)},
                     {"max_in_flight", result.limits.frames}});
  }
  json["stages"] = std::move(stages);
  return json_text(json);
}

void print_report(const ExportReport& report, const RenderOptions& options,
                  const std::function<void()>& warn) {
  if (options.verbosity != Verbosity::kQuiet) {
    print_err(summary_line(report));
    warn();
  }
  if (options.stats == StatsFormat::kTable) print_err(stats_table(report));
  if (options.stats == StatsFormat::kJson) print_data(stats_json(report));
}

}  // namespace roundel
