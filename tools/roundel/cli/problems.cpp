#include "tools/roundel/cli/problems.h"

#include <fmt/format.h>

#include <algorithm>

#include "renderer/base/text.h"
#include "renderer/scene/load_scene.h"
#include "tools/roundel/cli/terminal.h"

namespace roundel {

void print_error(const Error& error) {
  print_error(error.lines());
}

Lines with_path(const Scene& scene, const Lines& warnings) {
  Lines lines;
  for (const std::string& warning : warnings) lines += fmt::format("{}: {}", scene.path, warning);
  return lines;
}

void print_warnings(const Lines& warnings) {
  constexpr std::size_t kMaxPrinted = 10;
  const std::vector<std::string>& all = warnings.all();
  for (std::size_t i = 0; i < std::min(kMaxPrinted, all.size()); ++i) print_warning(all[i]);
  if (all.size() > kMaxPrinted)
    print_warning(fmt::format("and {}", counted(all.size() - kMaxPrinted, "more warning")));
}

void Problems::add(const Error& error) {
  print_error(error);
  codes_.push_back(error.exit_code());
}

ExitCode Problems::exit_code() const {
  if (codes_.empty()) return ExitCode::kDone;
  const bool any_invalid =
      std::find(codes_.begin(), codes_.end(), ExitCode::kInvalidScene) != codes_.end();
  return any_invalid ? ExitCode::kInvalidScene : codes_.front();
}

std::vector<Scene> load_scenes(const std::vector<std::string>& paths,
                               const SceneOverrides& overrides, Problems& problems) {
  std::vector<Scene> scenes;
  for (const std::string& path : paths) {
    problems.attempt([&] { scenes.push_back(load_scene(path, overrides)); });
  }
  return scenes;
}

}  // namespace roundel
