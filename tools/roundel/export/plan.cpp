#include "tools/roundel/export/export.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <iterator>
#include <map>
#include <optional>

#include "renderer/base/error.h"
#include "renderer/base/memory.h"
#include "renderer/base/text.h"
#include "renderer/generate/generate.h"
#include "renderer/image/files.h"
#include "renderer/survey.h"
#include "tools/roundel/cli/output_path.h"
#include "tools/roundel/cli/progress.h"
#include "tools/roundel/cli/requirements.h"
#include "tools/roundel/cli/scene_film.h"

namespace roundel {
namespace {

namespace fs = std::filesystem;

/// The name of every frame; in a folder SCENE.png for a still, SCENE_0001.png for a film.
FrameName name_of(const Scene& scene, const RenderOptions& options, ImageFormat format) {
  if (!options.output && !scene.output) {
    throw Error(ExitCode::kUsage,
                fmt::format("{}: expected -o FILE, as the scene has no \"output\"", scene.path));
  }
  std::string pattern = options.output ? *options.output : *scene.output;
  if (options.output && names_folder(pattern)) {
    const fs::path picture =
        picture_in_folder(pattern, scene.film ? options.scenes.front() : scene.path, format);
    if (!options.is_film()) return FrameName::literal(picture.string());
    if (scene.film && scene.film->rows == 0) return FrameName(picture.string());
    pattern =
        (picture.parent_path() / picture.stem()).string() + "_####" + picture.extension().string();
  }
  if (scene.film && scene.film->name) return *scene.film->name;
  FrameName name(pattern);
  const FrameList frames = frames_of(scene, options.frames, 0);
  if (options.frames.renumbers) name.renumber(frames);
  if (frames.size() > 1 && !name.has_number()) {
    throw Error(ExitCode::kUsage,
                fmt::format("--output: expected a name with the frame number as ####, %04d or "
                            "{{frame:04}} for {} frames, got {}",
                            frames.size(), roundel::quoted(pattern)));
  }
  return name;
}

/// "a.png, b.png, c.png and 12 more"
std::string first_few(const std::vector<std::string>& names, std::size_t count) {
  std::string text;
  for (const std::string& name : names) text += (text.empty() ? "" : ", ") + name;
  if (count > names.size()) text += fmt::format(" and {} more", count - names.size());
  return text;
}

void refuse_existing(const ExportPlan& plan, const FrameList& taken) {
  constexpr std::size_t kListed = 3;
  if (taken.empty()) return;
  std::vector<std::string> names;
  for (std::size_t i = 0; i < std::min(kListed, taken.size()); ++i) {
    names.push_back(plan.name.path(taken[i]));
  }
  throw Error(ExitCode::kOutputRefused,
              fmt::format("{} of {} frames exist: {} (--resume keeps what is sound, --overwrite "
                          "replaces all)",
                          taken.size(), plan.frames.size(), first_few(names, taken.size())));
}

/// What --resume must not replace: it may be somebody's work.
bool is_of_others(const FrameFile& file) {
  return file.state == FrameState::kForeign || file.state == FrameState::kUnreadable;
}

/// Keeps what is right. Missing and damaged files, and links, are to be made; all else only with
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
  existing.judge(origin_of(scene), "asked");
  existing.judge_silent_files();
  progress.reset();
  FramesToMake work;
  FrameList free;  // frames that may be made
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
  std::string advice =
      "--resume does not replace these (with --overwrite it makes them again, too)";
  constexpr std::size_t kReadable = 300;
  const std::string list = frames_text(free);
  if (!free.empty() && list.size() < kReadable) {
    advice += "; to make only the others: --frames " + list;
  }
  throw Error(ExitCode::kOutputRefused, Lines(existing.fault_lines(is_of_others)) + advice);
}

/// The first frame of each folder: the frame number may be in the folder's name too.
std::map<std::string, std::string> first_frames(const ExportPlan& plan) {
  std::map<std::string, std::string> frames;
  for (const std::int64_t frame : plan.frames) {
    const std::string path = plan.name.path(frame);
    frames.emplace(fs::path(path).parent_path().string(), path);
    if (!plan.name.has_number_in_folder()) break;
  }
  return frames;
}

/// All that is read; where each frame has a scene of its own, these are checked on the way.
std::vector<std::string> inputs_of(const Scene& scene, const FrameList& frames,
                                   const RenderOptions& options) {
  std::vector<std::string> inputs = scene.film ? check_scenes(scene, frames) : files_read({scene});
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
    plan.name = name_of(scene, options, plan.format.picture);
  }
  const std::uint64_t budget = options.machine.raster.memory_budget;
  if (options.is_film()) {
    const bool holds_circles = options.split_frame || !makes_circles_on_the_way(scene);
    check_memory(scene,
                 memory_needed(scene.image, plan.format.picture,
                               holds_circles ? count_parts(scene) : 0, 0, 0),
                 budget);
  } else {
    check_feasible(scene, plan.format.picture, budget);
  }
  return plan;
}

int frames_at_once(const Scene& scene, const ExportPlan& plan, Backend backend, std::size_t frames,
                   int threads, std::uint64_t budget) {
  constexpr std::uint64_t kStateBytes = 16;  // of a pixel that goes on in the next chunk
  // Enough for a device to be at work while threads that have slept until their frame was drawn
  // wake up and start the next one.
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
  existing.judge(origin, "asked");
  existing.judge_silent_files();
  const FrameFile& file = existing.files().front();
  if (is_of_others(file) && !options.overwrite) {
    throw Error(ExitCode::kOutputRefused, existing.fault_lines(is_of_others).front() +
                                              " (it has come since this export began)");
  }
  return file.state == FrameState::kSound;
}

void remove_leftovers(const ExportPlan& plan) {
  for (const auto& [folder, frame] : first_frames(plan)) remove_leftover_files(folder);
}

FramesToMake frames_to_make(const ExportPlan& plan, const Scene& scene,
                            const RenderOptions& options) {
  const InputFiles inputs(inputs_of(scene, plan.frames, options));
  const std::map<std::string, std::string> folders = first_frames(plan);
  for (const auto& [folder, frame] : folders) check_folder_of(frame);
  FramesToMake work;
  if (options.resume) {
    work = frames_to_resume(plan, scene, options);
  } else {
    work = {plan.frames, 0, taken_names(plan.name, plan.frames), {}};
  }
  for (const std::int64_t frame : work.taken)
    inputs.check_keeps(plan.name.path(frame), ExitCode::kOutputRefused);
  if (!options.resume && !options.overwrite) refuse_existing(plan, work.taken);
  remove_leftovers(plan);
  std::vector<std::string> frames;
  frames.reserve(folders.size());
  for (const auto& [folder, frame] : folders) frames.push_back(frame);
  if (!work.frames.empty()) work.folders = make_folders_of(frames, TakenName::kReplace);
  return work;
}

}  // namespace roundel
