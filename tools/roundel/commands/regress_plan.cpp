#include <fmt/format.h>
#include <tbb/parallel_for.h>
#include <tbb/task_arena.h>

#include <algorithm>
#include <filesystem>
#include <iterator>
#include <map>
#include <utility>
#include <variant>

#include "renderer/base/error.h"
#include "renderer/base/text.h"
#include "renderer/compare/golden_names.h"
#include "renderer/compare/pending_goldens.h"
#include "renderer/frame_memory.h"
#include "renderer/scene/load_scene.h"
#include "tools/roundel/commands/regress_run.h"

namespace roundel {
namespace {

namespace fs = std::filesystem;

std::vector<GoldenScene> scenes_in(const std::string& folder,
                                   const std::vector<std::string>& apart) {
  const FolderListing listing = list_files(folder, [](const fs::path& path) {
    return path.extension() == ".yaml" && path.filename() != kManifestName;
  });
  if (!listing.unreadable.empty()) {
    const auto& [below, reason] = listing.unreadable.front();
    throw Error(ExitCode::kUsage,
                fmt::format("{}: {}", (fs::path(folder) / below).string(), reason));
  }
  std::vector<std::string> inside;
  std::copy_if(apart.begin(), apart.end(), std::back_inserter(inside),
               [&](const std::string& other) { return is_within(other, folder); });
  std::vector<GoldenScene> scenes;
  for (const std::string& name : listing.files) {
    const std::string path = (fs::path(folder) / name).string();
    if (std::none_of(inside.begin(), inside.end(),
                     [&](const std::string& other) { return is_within(path, other); }))
      scenes.push_back({path, fs::path(name).replace_extension().string()});
  }
  if (scenes.empty())
    throw Error(ExitCode::kUsage,
                fmt::format("{}: no scenes (*.yaml) in this folder or below", folder));
  return scenes;
}

void check_name(const GoldenScene& scene) {
  if (find_non_text(scene.name)) {
    throw Error(
        ExitCode::kUsage,
        fmt::format(
            "{}: expected a name in UTF-8 without control characters; its golden has the same name",
            scene.path));
  }
  if (fs::path(scene.name).filename().string().find_first_not_of('.') == std::string::npos) {
    throw Error(ExitCode::kUsage,
                fmt::format("{}: expected a name of more than dots; its golden has the same name",
                            scene.path));
  }
}

void check_collisions(const std::vector<GoldenScene>& scenes, bool are_films) {
  const char* const ending = are_films ? "/" : ".png";
  std::map<std::string, const GoldenScene*> owners;  // by their names in lower case
  for (const GoldenScene& scene : scenes) {
    const auto [found, is_new] = owners.emplace(lower_case(scene.name), &scene);
    if (is_new) continue;
    const GoldenScene& owner = *found->second;
    std::string problem = fmt::format("{} and {} would both have the golden{} {}{}", owner.path,
                                      scene.path, are_films ? "s" : "", scene.name, ending);
    if (owner.name != scene.name)
      problem += fmt::format(" where file systems do not tell case apart: {} and {}", owner.name,
                             scene.name);
    throw Error(ExitCode::kUsage, problem);
  }
  for (const GoldenScene& scene : scenes) {
    const std::string picture = picture_of_alternative(scene.name + ".png");
    const auto owner = owners.find(lower_case(picture.substr(0, picture.rfind('.'))));
    if (owner == owners.end()) continue;
    throw Error(ExitCode::kUsage, fmt::format("{}: its golden {}.png would be another golden of {}",
                                              scene.path, scene.name, owner->second->path));
  }
}

/// Returns the given files, and all `*.yaml` in the given folders and below, sorted by path,
/// without those in the folders `apart`. Links to folders are not followed. Throws Error(kUsage)
/// for an unreadable folder or one without scenes, and for goldens with invalid or colliding names,
/// also on file systems that ignore case. `are_films`: goldens are folders.
std::vector<GoldenScene> find_scene_files(const std::vector<std::string>& given,
                                          const std::vector<std::string>& apart, bool are_films) {
  std::vector<GoldenScene> scenes;
  for (const std::string& path : given) {
    std::error_code ignored;
    if (fs::is_directory(path, ignored)) {
      for (GoldenScene& scene : scenes_in(path, apart)) scenes.push_back(std::move(scene));
    } else {
      scenes.push_back({path, fs::path(path).stem().string()});
    }
  }
  for (const GoldenScene& scene : scenes) check_name(scene);
  check_collisions(scenes, are_films);
  return scenes;
}

/// Frames of a film have a folder for each scene, which no picture of another scene can be named
/// after.
std::string golden_name(const GoldenScene& scene, std::optional<std::int64_t> frame_of_film,
                        const RegressOptions& options, const GoldenLock& lock) {
  const std::string name =
      frame_of_film ? fmt::format("{}/{:04}", scene.name, *frame_of_film) : scene.name;
  if (options.format) return name + (*options.format == ImageFormat::kExr ? ".exr" : ".png");
  const auto is_stored = [&](const char* ending) {
    std::error_code ignored;
    return lock.count(name + ending) > 0 ||
           fs::exists(fs::path(options.goldens) / (name + ending), ignored);
  };
  return name + (!is_stored(".png") && is_stored(".exr") ? ".exr" : ".png");
}

PairResult broken_scene(const GoldenScene& file, const RegressOptions& options,
                        const GoldenLock& lock, const Error& error) {
  if (prints_lines(options.files, options.verbosity)) print_error(error);
  PairResult result;
  result.name =
      options.frames.is_given() ? file.name + "/" : golden_name(file, std::nullopt, options, lock);
  result.state = PairState::kNotCompared;
  result.scene_path = file.path;
  result.reasons = error.lines().all();
  return result;
}

/// Plans one scene's pictures: all of them, or an error.
void plan_subjects(const Scene& scene, const GoldenScene& file, const RegressOptions& options,
                   const GoldenLock& lock, RegressPlan& plan) {
  check_feasible(scene, scene.default_frame(), options.format.value_or(ImageFormat::kPng),
                 options.machine.raster.memory_budget);
  for (const std::int64_t frame : frames_of(scene, options.frames, scene.default_frame())) {
    const auto frame_of_film = options.frames.is_given() ? std::optional(frame) : std::nullopt;
    plan.subjects.push_back({&scene, frame, golden_name(file, frame_of_film, options, lock)});
  }
}

using LoadedScene = std::variant<std::monostate, Scene, Error>;

/// Loads one scene a thread. A thread that waits within its scene does not start another one.
std::vector<LoadedScene> load_in_parallel(const std::vector<GoldenScene>& files,
                                          const SceneOverrides& overrides) {
  std::vector<LoadedScene> loaded(files.size());
  tbb::parallel_for(std::size_t{0}, loaded.size(), [&](std::size_t i) {
    tbb::this_task_arena::isolate([&] {
      try {
        loaded[i] = load_scene(files[i].path, overrides);
      } catch (const Error& error) {
        loaded[i] = error;
      }
    });
  });
  return loaded;
}

}  // namespace

RegressPlan make_regress_plan(const RegressOptions& options) {
  GoldenLock lock;
  try {
    lock = read_golden_lock(options.goldens);
  } catch (const Error&) {  // reported when the goldens are read
  }
  RegressPlan plan;
  plan.files = find_scene_files(options.scenes, {options.goldens, options.output},
                                options.frames.is_given());
  std::vector<LoadedScene> loaded = load_in_parallel(plan.files, options.scene.overrides);
  plan.scenes.reserve(loaded.size());  // subjects point to them
  for (std::size_t i = 0; i < loaded.size(); ++i) {
    try {
      if (const auto* const error = std::get_if<Error>(&loaded[i])) throw Error(*error);
      plan.scenes.push_back(std::get<Scene>(std::move(loaded[i])));
      plan_subjects(plan.scenes.back(), plan.files[i], options, lock, plan);
    } catch (const Error& error) {
      plan.broken.push_back(broken_scene(plan.files[i], options, lock, error));
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
