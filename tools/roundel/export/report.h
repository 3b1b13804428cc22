#pragma once
#include <cstddef>
#include <string>

#include "renderer/scene/scene.h"
#include "renderer/sequence/export_pipeline.h"

namespace roundel {

/// An export that has ended.
struct ExportReport {
  const Scene& scene;
  std::string output;       ///< as on the command line
  std::string backend;      ///< cpu or cuda
  std::size_t rasterizers;  ///< devices, or 1
  std::size_t kept;         ///< frames that were there already
  std::size_t replaced;     ///< of those made, the ones whose names were taken
  const ExportResult& result;
};

/// "out/snow_####.png  1024x1024  300 frames  12.3 s  24.4 fps  370.1 MB  cpu"
std::string export_summary(const ExportReport& report);
/// The stages, summed over all frames and threads, and how busy the encoders were.
std::string export_stats_table(const ExportReport& report);
/// The same as one JSON object on one line.
std::string export_stats_json(const ExportReport& report);

}  // namespace roundel
