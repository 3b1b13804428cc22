#include "tools/roundel/export/report.h"

#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "tools/roundel/cli/terminal.h"

namespace roundel {
namespace {

double per_second(double amount, double seconds) {
  return seconds > 0 ? amount / seconds : 0;
}

/// Part of the steady time in which a picture was being encoded.
double encoding_share(const ExportResult& result) {
  return per_second(result.encoding_seconds, result.steady_seconds);
}

/// Processor time taken, of what as many processors as there are encoders had in the steady time:
/// on the CPU backend they draw, too.
double processors_share(const ExportResult& result) {
  return per_second(result.processor_seconds, result.steady_seconds * result.encoders);
}

double frames_per_second(const ExportResult& result) {
  return per_second(static_cast<double>(result.written.size()), result.seconds);
}

}  // namespace

std::string export_summary(const ExportReport& report) {
  const ExportResult& result = report.result;
  const std::string devices =
      report.rasterizers > 1 ? fmt::format(" x{}", report.rasterizers) : std::string();
  std::string counts;
  if (report.kept > 0) counts = fmt::format("{} kept", report.kept);
  if (report.replaced > 0) {
    counts += fmt::format("{}{} replaced", counts.empty() ? "" : ", ", report.replaced);
  }
  if (!counts.empty()) counts = " (" + counts + ")";
  return fmt::format("{}  {}x{}  {}{}  {:.2f} s  {:.1f} fps  {:.1f} MB  {}{}\n", report.output,
                     report.scene.image.width, report.scene.image.height,
                     counted(result.written.size(), "frame"), counts, result.seconds,
                     frames_per_second(result), static_cast<double>(result.bytes) / 1e6,
                     report.backend, devices);
}

std::string export_stats_table(const ExportReport& report) {
  const ExportResult& result = report.result;
  const auto frames = static_cast<double>(result.written.size());
  std::string table =
      fmt::format("{:<10}{:>14}{:>14}{:>20}\n", "stage", "ms a frame", "ms in all", "bytes");
  for (const Stage& stage : result.stages.stages) {
    table += fmt::format("{:<10}{:>14.3f}{:>14.1f}{:>20}\n", stage.name,
                         per_second(stage.milliseconds, frames), stage.milliseconds,
                         with_commas(stage.bytes));
  }
  table += fmt::format("{:<10}{:>14.3f}{:>14.1f}\n", "wall time",
                       per_second(1e3 * result.seconds, frames), 1e3 * result.seconds);
  table += fmt::format(
      "steady: {:.2f} s; a picture being encoded {:.1f}% of it, {:.2f} of {} at once on average; "
      "processors busy {:.1f}%\n",
      result.steady_seconds, 100 * encoding_share(result), result.mean_encoders, result.encoders,
      100 * processors_share(result));
  table += fmt::format("frames on their way at once: at most {}\n", result.max_pictures);
  return table;
}

std::string export_stats_json(const ExportReport& report) {
  const ExportResult& result = report.result;
  nlohmann::ordered_json stages = nlohmann::ordered_json::array();
  for (const Stage& stage : result.stages.stages) {
    stages.push_back(
        {{"name", stage.name}, {"milliseconds", stage.milliseconds}, {"bytes", stage.bytes}});
  }
  const nlohmann::ordered_json object = {{"scene", report.scene.path},
                                         {"output", report.output},
                                         {"seed", report.scene.seed},
                                         {"width", report.scene.image.width},
                                         {"height", report.scene.image.height},
                                         {"backend", report.backend},
                                         {"rasterizers", report.rasterizers},
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
                                         {"max_in_flight", result.max_pictures},
                                         {"stages", stages}};
  return object.dump(-1, ' ', false, nlohmann::json::error_handler_t::replace) + "\n";
}

}  // namespace roundel
