#pragma once
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "renderer/compare/comparison_run.h"
#include "renderer/machine.h"
#include "renderer/raster/rasterizer.h"
#include "tools/roundel/cli/problems.h"
#include "tools/roundel/compare/regress_plan.h"
#include "tools/roundel/compare/unused_goldens.h"

namespace roundel {

/// What draws each picture: one backend, or two, both of which must draw the golden.
struct RegressMachine {
  std::vector<Backend> backends;
  std::function<std::unique_ptr<Rasterizer>(Backend, const RasterOptions&)> make = make_rasterizer;
};

/// Draws the subjects and compares each with its golden: small pictures side by side, a thread
/// each, large ones one after the other on all threads. Keeps what differs for accept, with the
/// names of goldens that are unused; where the list of it cannot be written, that goes to
/// `problems`. The results have the order of the subjects.
ComparisonRun draw_and_compare(const std::vector<Subject>& subjects, const RegressOptions& options,
                               const GoldenRules& rules, const StoredGoldens& stored,
                               const RegressMachine& machine, Problems& problems);

}  // namespace roundel
