#include "tools/roundel/commands/export.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <iterator>
#include <optional>
#include <set>

#include "renderer/base/error.h"
#include "renderer/base/memory.h"
#include "renderer/base/text.h"
#include "renderer/circles/generate.h"
#include "renderer/frame_memory.h"
#include "renderer/frame_statistics.h"
#include "renderer/image/files.h"
#include "tools/roundel/cli/output_path.h"
#include "tools/roundel/cli/progress.h"
#include "tools/roundel/cli/scene_film.h"

namespace roundel {
namespace {

namespace fs = std::filesystem;

/// Returns "out/a_####.png" for "out/a.png".
std::string with_frame_number(const std::string& name) {
  const fs::path path(name);
  const std::string file = path.stem().string() + "_####" + path.extension().string();
  return (path.parent_path() / file).string();
}

/// Returns the name of every frame; in a folder SCENE.png for a still, SCENE_0001.png for a film.
/// Stores a film's pattern in `pattern`.
FrameName name_of(const Scene& scene, const RenderOptions& options, ImageFormat format,
                  std::string& pattern) {
  if (!options.output && !scene.output) {
    throw Error(ExitCode::kUsage,
                fmt::format("{}: expected -o FILE; the scene has no \"output\"", scene.path));
  }
  pattern = options.output ? *options.output : *scene.output;
  if (options.output && names_folder(pattern)) {
    const fs::path picture =
        picture_in_folder(pattern, scene.film ? options.scenes.front() : scene.path, format);
    if (!options.is_film()) return FrameName::literal(picture.string());
    if (FrameName name(picture.string()); scene.film && name.has_number()) {
      pattern = picture.string();
      return name;
    }
    pattern =
        (picture.parent_path() / picture.stem()).string() + "_####" + picture.extension().string();
  }
  if (scene.film && scene.film->name) return *scene.film->name;
  FrameName name(pattern);
  const FrameList frames = frames_of(scene, options.frames, 0);
  if (options.frames.renumbers) name.renumber(frames);
  if (frames.size() > 1 && !name.has_number()) {
    throw Error(
        ExitCode::kUsage,
        fmt::format("--output: {} frames need a name with the frame number, got {}; type -o {}",
                    frames.size(), roundel::quoted(pattern),
                    shell_word(with_frame_number(pattern))));
  }
  return name;
}

void refuse_existing(const ExportPlan& plan, const FrameList& taken) {
  constexpr std::size_t kListed = 3;
  if (taken.empty()) return;
  std::string names;
  for (std::size_t i = 0; i < std::min(kListed, taken.size()); ++i)
    names += (i == 0 ? "" : ", ") + plan.name.path(taken[i]);
  if (taken.size() > kListed) names += fmt::format(" and {} more", taken.size() - kListed);
  throw Error(
      ExitCode::kOutputRefused,
      fmt::format(
          "{} of {} frames exist: {} (--resume keeps what is sound, --overwrite replaces all)",
          taken.size(), plan.frames.size(), names));
}

/// Returns true for a file that --resume must not replace: it may be a user's work.
bool is_of_others(const FrameFile& file) {
  return file.state == FrameState::kForeign || file.state == FrameState::kUnreadable;
}

/// Keeps valid frames. Missing and damaged files, and links, are made; other files only with
/// --overwrite.
FramesToMake frames_to_resume(const ExportPlan& plan, const Scene& scene,
                              const RenderOptions& options) {
  WorkCount read;
  std::optional<WorkProgress> progress;
  const bool is_for_people = options.progress == ProgressFormat::kAuto ||
                             options.progress == ProgressFormat::kBar ||
                             options.progress == ProgressFormat::kPlain;
  if (options.verbosity != Verbosity::kQuiet && is_for_people)
    progress.emplace(kReadingFrames, read, options.progress);
  ExistingFrames existing(plan.name, plan.frames, plan.format.picture, FrameReading::kChecksums,
                          read);
  existing.check_origins(origin_of(scene), "asked", false);
  progress.reset();
  FramesToMake work;
  FrameList free;
  for (std::size_t i = 0; i < plan.frames.size(); ++i) {
    const FrameFile& file = existing.files()[i];
    if (file.state == FrameState::kSound) {
      ++work.kept;
      continue;
    }
    work.frames.push_back(plan.frames[i]);
    if (file.state != FrameState::kMissing) work.taken.push_back(plan.frames[i]);
    if (!is_of_others(file)) free.push_back(plan.frames[i]);
  }
  if (options.overwrite || free.size() == work.frames.size()) return work;
  std::string advice = "--resume does not replace these; --resume --overwrite draws them again";
  constexpr std::size_t kReadable = 300;
  const std::string list = frames_text(free);
  if (!free.empty() && list.size() < kReadable) {
    advice += "; to draw only the others: --frames " + list;
  }
  throw Error(ExitCode::kOutputRefused, Lines(existing.fault_lines(is_of_others)) + advice);
}

/// Returns the path of the first of these frames in each folder: the folder's name may have the
/// frame number, too.
std::vector<std::string> first_frames(const FrameName& name, const FrameList& frames) {
  std::set<fs::path> folders;
  std::vector<std::string> first;
  for (const std::int64_t frame : frames) {
    const std::string path = name.path(frame);
    if (folders.insert(fs::path(path).parent_path()).second) first.push_back(path);
    if (!name.has_number_in_folder()) break;
  }
  return first;
}

/// Returns all inputs; if each frame has its own scene, also checks these.
std::vector<std::string> inputs_of(const Scene& scene, const FrameList& frames,
                                   const RenderOptions& options) {
  std::vector<std::string> inputs = scene.film ? check_scenes(scene, frames) : input_paths({scene});
  if (!options.each.empty()) inputs.push_back(options.each);
  if (!options.frames.list_file.empty()) inputs.push_back(options.frames.list_file);
  return inputs;
}

}  // namespace

ExportPlan plan_export(const Scene& scene, const RenderOptions& options) {
  ExportPlan plan;
  plan.frames = frames_of(scene, options.frames, frame_of(scene, options.scene));
  plan.step = step_of(plan.frames);
  if (options.shard) {
    plan.frames = shard_frames(plan.frames, *options.shard, CircleSource(scene).is_simulated());
  }
  if (options.is_stream()) {
    plan.format = *options.format;
  } else {
    plan.format.picture = picture_format(scene, options.output, options.picture_format());
    plan.name = name_of(scene, options, plan.format.picture, plan.pattern);
  }
  const std::uint64_t budget = options.machine.raster.memory_budget;
  if (options.is_film()) {
    const bool holds_circles = options.split_frame || !CircleSource(scene).is_streamed();
    check_memory(scene,
                 memory_needed(scene.image, plan.format.picture,
                               holds_circles ? count_parts(scene) : 0, 0, 0),
                 budget);
  } else {
    check_feasible(scene, plan.frames.front(), plan.format.picture, budget);
  }
  return plan;
}

std::string leftovers_of(const ExportPlan& plan, const Scene& scene, const RenderOptions& options) {
  if (options.shard || !options.each.empty() || plan.pattern.empty()) return "";
  const FrameList film = film_numbers(plan.frames, &scene, options.frames.renumbers);
  return has_neighbor(plan.pattern, film) ? leftovers_line(plan.pattern, film) : "";
}

int frames_at_once(const Scene& scene, const ExportPlan& plan, Backend backend, std::size_t frames,
                   int threads, std::uint64_t budget) {
  constexpr std::uint64_t kStateBytes = 16;  // a pixel that the next chunk continues
  // Keeps a device busy while threads that have waited for their frame wake up and start the next
  // one.
  constexpr std::uint64_t kPerDevice = 6;
  constexpr std::uint64_t kDeviceBytes = std::uint64_t{1} << 30;
  const std::uint64_t circles = count_parts(scene);
  const std::uint64_t pixels = scene.image.pixels();
  const std::uint64_t bytes =
      memory_needed(scene.image, plan.format.picture, circles, 4 * circles, 0) +
      kStateBytes * pixels;
  if (backend != Backend::kCpu)
    return static_cast<int>(
        std::clamp<std::uint64_t>(std::min(kDeviceBytes / bytes, frames / 2), 1, kPerDevice));
  const std::uint64_t host = budget > 0 ? budget : physical_memory() / 2;
  const auto count = static_cast<std::uint64_t>(threads);
  return count * bytes <= host && frames >= 2 * count ? threads : 1;
}

bool is_made(const ExportPlan& plan, const ExpectedOrigin& origin, const RenderOptions& options,
             std::int64_t frame) {
  WorkCount read;
  const FrameList frames = {frame};
  ExistingFrames existing(plan.name, frames, plan.format.picture, FrameReading::kChecksums, read);
  existing.check_origins(origin, "asked", false);
  const FrameFile& file = existing.files().front();
  if (is_of_others(file) && !options.overwrite) {
    throw Error(ExitCode::kOutputRefused, existing.fault_lines(is_of_others).front() +
                                              " (the file appeared after this run began)");
  }
  return file.state == FrameState::kSound;
}

void remove_leftovers(const ExportPlan& plan) {
  constexpr std::size_t kMinReadNames = 1000;  // names, cheap to read for one frame of a large film
  for (const std::string& frame : first_frames(plan.name, plan.frames))
    remove_leftover_files(fs::path(frame).parent_path().string(),
                          std::max(kMinReadNames, plan.frames.size()));
}

FramesToMake frames_to_make(const ExportPlan& plan, const Scene& scene,
                            const RenderOptions& options) {
  const InputFiles inputs(inputs_of(scene, plan.frames, options));
  FramesToMake work;
  if (options.resume) {
    work = frames_to_resume(plan, scene, options);
  } else {
    work = {plan.frames, 0, taken_names(plan.name, plan.frames), {}};
  }
  const std::vector<std::string> first = first_frames(plan.name, work.frames);
  for (const std::string& frame : first) check_folder_of(frame);
  for (const std::int64_t frame : work.taken)
    inputs.check_output(plan.name.path(frame), ExitCode::kOutputRefused);
  if (!options.resume && !options.overwrite) refuse_existing(plan, work.taken);
  remove_leftovers(plan);
  const bool may_replace = options.resume || options.overwrite;
  work.folders =
      make_folders_of(first, may_replace ? OverwriteRule::kReplace : OverwriteRule::kRefuse);
  return work;
}

}  // namespace roundel
