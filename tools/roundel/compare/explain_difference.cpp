#include "tools/roundel/compare/explain_difference.h"

#include <fmt/format.h>

#include "renderer/base/error.h"
#include "tools/roundel/cli/common_options.h"
#include "tools/roundel/cli/output_path.h"
#include "tools/roundel/cli/problems.h"
#include "tools/roundel/cli/terminal.h"
#include "tools/roundel/compare/comparing.h"
#include "tools/roundel/compare/scene_difference.h"

namespace roundel {

void add_explain(CommandLine& line, ExplainDifferenceOptions& options) {
  line.add_switch("explain", options.is_wanted,
                  "take A and B for scenes (YAML), render both, and say which values of "
                  "the scenes changed, and which circles are responsible for the largest clusters "
                  "of differing pixels");
  line.add_value("clusters", "N", whole(options.clusters, 1, 1000),
                 fmt::format("explain the N largest clusters of pixels, 1 to 1000 (default: {})",
                             kClustersExplained));
  line.add_value("limit", "N", whole(options.limit, 0, 1'000'000),
                 fmt::format("list at most N circles of each cluster, 0 to 1000000 (default: {})",
                             kCirclesExplained));
  add_size(line, options.scene);
  add_seed_and_frame(line, options.scene);
  line.add_check([&options](CommandLine::Problems& problems) {
    const SceneOverrides& overrides = options.scene.overrides;
    const bool has_others = options.limit || options.clusters || overrides.width ||
                            overrides.seed || options.scene.frame || !overrides.vars.empty();
    if (has_others && !options.is_wanted) {
      problems.emplace_back(
          "--clusters, --limit, --size, --set, --seed and --frame: expected with --explain only");
    }
  });
}

int run_explain_difference(const std::string& scene_a, const std::string& scene_b,
                           const ExplainDifferenceOptions& options,
                           const std::optional<std::string>& json, Verbosity verbosity) {
  Problems problems;
  std::vector<SceneFile> files;
  for (const std::string& path : {scene_a, scene_b})
    problems.attempt(
        [&] { files.emplace_back(read_scene_text(path), path, options.scene.overrides); });
  if (json && *json != "-") {
    std::vector<std::string> inputs = {scene_a, scene_b};
    for (const SceneFile& file : files)
      for (std::string& path : files_read({file.scene})) inputs.push_back(std::move(path));
    check_replaces_no_input(*json, inputs, ExitCode::kUsage);
    remove_old_result(*json);
  }
  if (!problems.empty()) return 2;
  const Scene &a = files[0].scene, &b = files[1].scene;
  const auto frame = [&options](const Scene& scene) {
    return options.scene.frame.value_or(scene.default_frame());
  };
  const SceneDifference difference(files[0], files[1], options.scene.overrides,
                                   options.clusters.value_or(kClustersExplained));
  const std::size_t limit = options.limit.value_or(kCirclesExplained);
  if (json) {
    nlohmann::ordered_json object = {{"a", {{"scene", a.path}, {"frame", frame(a)}}},
                                     {"b", {{"scene", b.path}, {"frame", frame(b)}}}};
    object.update(difference.json(limit));
    write_text(*json, json_text(object));
  }
  if (verbosity != Verbosity::kQuiet && json != "-")
    print_out(
        fmt::format("A: {}, frame {}\nB: {}, frame {}\n", a.path, frame(a), b.path, frame(b)) +
        difference.text(limit));
  return difference.differs() ? 1 : 0;
}

}  // namespace roundel
