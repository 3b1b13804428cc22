#include "tools/roundel/export/stats_report.h"

#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "tools/roundel/cli/terminal.h"

namespace roundel {
namespace {

double share(double part, double whole) {
  return whole > 0 ? part / whole : 0;
}

}  // namespace

std::string summary_line(const FrameReport& report) {
  return fmt::format("{}  {}x{}  {}  {:.{}f} ms  {}\n", report.path, report.scene.image.width,
                     report.scene.image.height, counted(report.stats.circles, "circle"),
                     report.milliseconds, report.milliseconds < 10 ? 1 : 0, report.backend);
}

std::string stats_table(const FrameReport& report) {
  const StageStats& stats = report.stats;
  std::string table = fmt::format("{:<10}{:>12}{:>8}{:>18}\n", "stage", "ms", "share", "bytes");
  for (const Stage& stage : stats.stages) {
    table +=
        fmt::format("{:<10}{:>12.3f}{:>7.1f}%{:>18}\n", stage.name, stage.milliseconds,
                    100 * share(stage.milliseconds, report.milliseconds), with_commas(stage.bytes));
  }
  table += fmt::format("{:<10}{:>12.3f}{:>7.1f}%\n", "total", report.milliseconds, 100.0);
  table += fmt::format("{}, {}, {}\n", counted(stats.circles, "circle"),
                       counted(stats.overlaps, "overlap"), counted(stats.chunks, "chunk"));
  return table;
}

std::string stats_json(const FrameReport& report) {
  const StageStats& stats = report.stats;
  nlohmann::ordered_json stages = nlohmann::ordered_json::array();
  for (const Stage& stage : stats.stages) {
    stages.push_back({{"name", stage.name},
                      {"milliseconds", stage.milliseconds},
                      {"share", share(stage.milliseconds, report.milliseconds)},
                      {"bytes", stage.bytes}});
  }
  const nlohmann::ordered_json object = {{"scene", report.scene.path},
                                         {"output", report.path},
                                         {"frame", report.frame},
                                         {"seed", report.scene.seed},
                                         {"width", report.scene.image.width},
                                         {"height", report.scene.image.height},
                                         {"backend", report.backend},
                                         {"circles", stats.circles},
                                         {"overlaps", stats.overlaps},
                                         {"chunks", stats.chunks},
                                         {"milliseconds", report.milliseconds},
                                         {"stages", stages}};
  return object.dump(-1, ' ', false, nlohmann::json::error_handler_t::replace) + "\n";
}

}  // namespace roundel
