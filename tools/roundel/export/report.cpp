#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "tools/roundel/cli/terminal.h"
#include "tools/roundel/export/export.h"

namespace roundel {
namespace {

using Json = nlohmann::ordered_json;

/// 0 where there is nothing to divide by.
double ratio(double part, double whole) {
  return whole > 0 ? part / whole : 0;
}

/// Of the steady time, with a picture being encoded.
double encoding_share(const ExportResult& result) {
  return ratio(result.encoding_seconds, result.steady_seconds);
}

/// Processor time taken, of what as many processors as there are encoders had in the steady time:
/// on the CPU backend they draw, too.
double processors_share(const ExportResult& result) {
  return ratio(result.processor_seconds, result.steady_seconds * result.encoders);
}

double frames_per_second(const ExportResult& result) {
  return ratio(static_cast<double>(result.written.size()), result.seconds);
}

std::string still_table(const ExportResult& result) {
  const StageStats& stats = result.stages;
  const double milliseconds = 1e3 * result.seconds;
  std::string table = fmt::format("{:<10}{:>12}{:>8}{:>18}\n", "stage", "ms", "share", "bytes");
  for (const Stage& stage : stats.stages) {
    table += fmt::format("{:<10}{:>12.3f}{:>7.1f}%{:>18}\n", stage.name, stage.milliseconds,
                         100 * ratio(stage.milliseconds, milliseconds), with_commas(stage.bytes));
  }
  table += fmt::format("{:<10}{:>12.3f}{:>7.1f}%\n", "total", milliseconds, 100.0);
  table += fmt::format("{}, {}, {}\n", counted(stats.circles, "circle"),
                       counted(stats.overlaps, "overlap"), counted(stats.chunks, "chunk"));
  return table;
}

std::string film_table(const ExportResult& result) {
  const auto frames = static_cast<double>(result.written.size());
  std::string table =
      fmt::format("{:<10}{:>14}{:>14}{:>20}\n", "stage", "ms a frame", "ms in all", "bytes");
  for (const Stage& stage : result.stages.stages) {
    table += fmt::format("{:<10}{:>14.3f}{:>14.1f}{:>20}\n", stage.name,
                         ratio(stage.milliseconds, frames), stage.milliseconds,
                         with_commas(stage.bytes));
  }
  table += fmt::format("{:<10}{:>14.3f}{:>14.1f}\n", "wall time",
                       ratio(1e3 * result.seconds, frames), 1e3 * result.seconds);
  table += fmt::format(
      "steady: {:.2f} s; a picture being encoded {:.1f}% of it, {:.2f} of {} at once on average; "
      "processors busy {:.1f}%\n",
      result.steady_seconds, 100 * encoding_share(result), result.mean_encoders, result.encoders,
      100 * processors_share(result));
  table += fmt::format("frames on their way at once: at most {}\n", result.max_pictures);
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

std::string stats_table(const ExportReport& report) {
  return report.still ? still_table(report.result) : film_table(report.result);
}

std::string stats_json(const ExportReport& report) {
  const ExportResult& result = report.result;
  const double milliseconds = 1e3 * result.seconds;
  Json stages = Json::array();
  for (const Stage& stage : result.stages.stages) {
    Json json = {{"name", stage.name}, {"milliseconds", stage.milliseconds}};
    if (report.still) json["share"] = ratio(stage.milliseconds, milliseconds);
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
                     {"steady_seconds", result.steady_seconds},
                     {"encoding_share", encoding_share(result)},
                     {"mean_encoders", result.mean_encoders},
                     {"encoders", result.encoders},
                     {"processors_share", processors_share(result)},
                     {"max_in_flight", result.max_pictures}});
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
  if (options.stats == StatsFormat::kJson) print_out(stats_json(report));
}

}  // namespace roundel
