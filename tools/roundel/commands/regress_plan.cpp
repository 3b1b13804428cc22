#include "tools/roundel/commands/regress_plan.h"

#include <fmt/format.h>
#include <tbb/parallel_for.h>
#include <tbb/task_arena.h>

#include <filesystem>
#include <map>
#include <sstream>
#include <utility>
#include <variant>

#include "renderer/base/error.h"
#include "renderer/base/text.h"
#include "renderer/compare/golden_names.h"
#include "renderer/scene/load_scene.h"
#include "tools/roundel/cli/problems.h"
#include "tools/roundel/cli/requirements.h"

namespace roundel {
namespace {

namespace fs = std::filesystem;

std::string stem_of(const std::string& scene_path) {
  return fs::path(scene_path).stem().string();
}

/// Frames of a film have a folder for each scene: none has the name of another scene's picture.
std::string golden_name(const std::string& scene_path, std::optional<std::int64_t> frame_of_film) {
  const std::string stem = stem_of(scene_path);
  return frame_of_film ? fmt::format("{}/{:04}.png", stem, *frame_of_film) : stem + ".png";
}

/// Throws Error(kUsage) for scenes whose goldens could not have their names.
void check_names(const RegressOptions& options) {
  std::map<std::string, std::string> owners;  // scene by stem
  for (const std::string& path : options.scenes) {
    const std::string stem = stem_of(path);
    if (find_non_text(stem)) {
      throw Error(ExitCode::kUsage, fmt::format("{}: expected a name in UTF-8 without control "
                                                "characters, which its golden will have too",
                                                printable(path)));
    }
    if (stem.find_first_not_of('.') == std::string::npos) {
      throw Error(ExitCode::kUsage,
                  fmt::format("{}: expected a name of more than dots before its ending, which its "
                              "golden will have too",
                              path));
    }
    const auto [owner, is_new] = owners.emplace(stem, path);
    if (!is_new) {
      throw Error(ExitCode::kUsage,
                  fmt::format("{} and {} would both have the golden{} {}", owner->second, path,
                              options.frames.is_given() ? "s" : "",
                              options.frames.is_given() ? stem + "/" : stem + ".png"));
    }
  }
  for (const auto& [stem, path] : owners) {
    const std::string picture = picture_of_other_golden(stem + ".png");
    const auto owner = owners.find(picture.substr(0, picture.rfind('.')));
    if (owner == owners.end()) continue;
    throw Error(ExitCode::kUsage, fmt::format("{}: its golden {}.png would be another golden of {}",
                                              path, stem, owner->second));
  }
}

PairResult broken_scene(const std::string& path, const RegressOptions& options,
                        const Error& error) {
  if (prints_lines(options.files, options.verbosity)) print_error(error);
  PairResult result;
  result.name = options.frames.is_given() ? stem_of(path) + "/" : golden_name(path, std::nullopt);
  result.state = PairState::kNotCompared;
  result.scene_path = path;
  std::istringstream lines(error.what());
  for (std::string line; std::getline(lines, line);) result.reasons.push_back(line);
  return result;
}

/// One scene's pictures: all of them, or an error.
void plan_subjects(const Scene& scene, const RegressOptions& options, RegressPlan& plan) {
  check_feasible(scene, ImageFormat::kPng, options.machine.raster.memory_budget);
  for (const std::int64_t frame : frames_of(scene, options.frames, scene.default_frame())) {
    const auto frame_of_film = options.frames.is_given() ? std::optional(frame) : std::nullopt;
    plan.subjects.push_back({&scene, frame, golden_name(scene.path, frame_of_film)});
  }
}

using LoadedScene = std::variant<std::monostate, Scene, Error>;

/// A thread each. One that waits for others' help with its scene does not begin with the next.
std::vector<LoadedScene> load_side_by_side(const RegressOptions& options) {
  std::vector<LoadedScene> loaded(options.scenes.size());
  tbb::parallel_for(std::size_t{0}, loaded.size(), [&](std::size_t i) {
    tbb::this_task_arena::isolate([&] {
      try {
        loaded[i] = load_scene(options.scenes[i], options.scene.overrides);
      } catch (const Error& error) {
        loaded[i] = error;
      }
    });
  });
  return loaded;
}

}  // namespace

RegressPlan make_regress_plan(const RegressOptions& options) {
  check_names(options);
  RegressPlan plan;
  std::vector<LoadedScene> loaded = load_side_by_side(options);
  for (std::size_t i = 0; i < loaded.size(); ++i) {
    if (const auto* const error = std::get_if<Error>(&loaded[i])) {
      plan.broken.push_back(broken_scene(options.scenes[i], options, *error));
    } else {
      plan.scenes.push_back(std::get<Scene>(std::move(loaded[i])));
    }
  }
  for (const Scene& scene : plan.scenes) {
    try {
      plan_subjects(scene, options, plan);
    } catch (const Error& error) {
      plan.broken.push_back(broken_scene(scene.path, options, error));
    }
  }
  return plan;
}

std::set<std::string> names_of(const RegressPlan& plan) {
  std::set<std::string> names;
  for (const Subject& subject : plan.subjects) names.insert(subject.name);
  for (const PairResult& result : plan.broken) names.insert(result.name);
  return names;
}

void keep_share(const Shard& shard, RegressPlan& plan, std::vector<std::string>& unused) {
  const auto count = static_cast<std::int64_t>(plan.subjects.size());
  std::vector<Subject> subjects;
  for (const std::int64_t index : shard_frames(run_of_frames(0, count), shard, true))
    subjects.push_back(plan.subjects[static_cast<std::size_t>(index)]);
  plan.subjects = std::move(subjects);
  if (shard.index == 1) return;
  plan.broken.clear();
  unused.clear();
}

}  // namespace roundel
