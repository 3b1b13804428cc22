#include "tools/roundel/export_plan.h"

#include <fmt/format.h>

#include <filesystem>
#include <set>

#include "renderer/base/error.h"
#include "renderer/base/memory.h"
#include "renderer/generate/generate.h"
#include "renderer/image/files.h"
#include "renderer/scene/text.h"
#include "renderer/sequence/existing_frames.h"
#include "tools/roundel/output_path.h"
#include "tools/roundel/requirements.h"

namespace roundel {
namespace {

namespace fs = std::filesystem;

/// With the default width of file names in a folder: SCENE_0001.png.
std::string pattern_in_folder(const std::string& folder, const std::string& scene_path) {
  const fs::path picture = picture_in_folder(folder, scene_path);
  return (picture.parent_path() / picture.stem()).string() + "_####.png";
}

std::string pattern_of(const Scene& scene, const RenderOptions& options) {
  if (!options.output && !scene.output) {
    throw Error(ExitCode::kUsage,
                fmt::format("{}: expected -o FILE, as the scene has no \"output\"", scene.path));
  }
  if (!options.output) return *scene.output;
  if (names_folder(*options.output)) return pattern_in_folder(*options.output, scene.path);
  return *options.output;
}

FrameFormat format_for(const Scene& scene, const RenderOptions& options,
                       const std::string& pattern) {
  if (options.sequence.format) return *options.sequence.format;
  if (!options.output) output_format(scene);  // its message names the scene's key
  return frame_format_of(pattern);
}

bool is_there(const std::string& path) {
  std::error_code ignored;
  return fs::exists(fs::symlink_status(path, ignored));
}

/// "a.png, b.png, c.png and 12 more"
std::string first_few(const std::vector<std::string>& names, std::size_t count) {
  std::string text;
  for (const std::string& name : names) text += (text.empty() ? "" : ", ") + name;
  if (count > names.size()) text += fmt::format(" and {} more", count - names.size());
  return text;
}

void refuse_existing(const ExportPlan& plan) {
  constexpr std::size_t kListed = 3;
  std::vector<std::string> existing;
  std::size_t count = 0;
  for (const std::int64_t frame : plan.frames) {
    const std::string path = plan.name.path(frame);
    if (!is_there(path)) continue;
    ++count;
    if (existing.size() < kListed) existing.push_back(path);
  }
  if (count == 0) return;
  throw Error(ExitCode::kOutputRefused,
              fmt::format("{} of {} frames exist: {} (--resume keeps what is sound, --overwrite "
                          "replaces all)",
                          count, plan.frames.size(), first_few(existing, count)));
}

/// The frame number may be in the folder's name too.
std::set<std::string> folders_of(const ExportPlan& plan) {
  std::set<std::string> folders;
  for (const std::int64_t frame : plan.frames) {
    folders.insert(fs::path(plan.name.path(frame)).parent_path().string());
  }
  return folders;
}

}  // namespace

FrameList frames_of(const Scene& scene, const std::optional<FrameList>& frames, bool all_frames,
                    std::int64_t otherwise) {
  if (frames) return *frames;
  if (!all_frames) return {otherwise};
  if (!scene.animation) {
    throw Error(ExitCode::kUsage,
                fmt::format("--frames all: expected an \"animation\" in {}", scene.path));
  }
  FrameList all;
  for (std::int64_t i = 0; i < scene.animation->frames; ++i) {
    all.push_back(scene.animation->start + i);
  }
  return all;
}

ExportPlan plan_export(const Scene& scene, const RenderOptions& options) {
  const SequenceOptions& sequence = options.sequence;
  ExportPlan plan;
  const FrameList all = frames_of(scene, sequence.frames, sequence.all_frames,
                                  options.scene.frame.value_or(scene.default_frame()));
  plan.frames =
      sequence.shard ? shard_frames(all, *sequence.shard, CircleSource(scene).is_simulated()) : all;
  if (is_stream(options)) {
    plan.format = *sequence.format;
  } else {
    const std::string pattern = pattern_of(scene, options);
    plan.format = format_for(scene, options, pattern);
    plan.name = FrameName(pattern);
    if (all.size() > 1 && !plan.name.has_number()) {
      throw Error(ExitCode::kUsage,
                  fmt::format("--output: expected a name with the frame number as ####, %04d or "
                              "{{frame:04}} for {} frames, got {}",
                              all.size(), roundel::quoted(pattern)));
    }
  }
  const std::uint64_t least =
      memory_needed(scene.image, image_format(plan.format), count_circles(scene), 0, 0);
  check_memory(scene, least, options.machine.raster.memory_budget);
  return plan;
}

int frames_at_once(const Scene& scene, const ExportPlan& plan, Backend backend, std::size_t frames,
                   int threads, std::uint64_t budget) {
  constexpr std::uint64_t kStateBytes = 16;  // of a pixel that goes on in the next chunk
  constexpr int kPerDevice = 3;              // one on its way in, one drawn, one on its way out
  constexpr std::uint64_t kDeviceBytes = std::uint64_t{1} << 30;
  const int wanted = backend == Backend::kCpu ? threads : kPerDevice;
  const auto count = static_cast<std::uint64_t>(wanted);
  const std::uint64_t circles = count_circles(scene);
  const std::uint64_t pixels = static_cast<std::uint64_t>(scene.image.width) *
                               static_cast<std::uint64_t>(scene.image.height);
  const std::uint64_t bytes =
      memory_needed(scene.image, image_format(plan.format), circles, 4 * circles, 0) +
      kStateBytes * pixels;
  const std::uint64_t host = budget > 0 ? budget : physical_memory() / 2;
  const bool fit = count * bytes <= (backend == Backend::kCpu ? host : kDeviceBytes);
  return fit && frames >= 2 * count ? wanted : 1;
}

FramesToMake frames_to_make(const ExportPlan& plan, const std::string& fingerprint, bool resume,
                            bool overwrite) {
  for (const std::string& folder : folders_of(plan)) {
    check_writable((fs::path(folder) / "frame").string(), true);
    remove_leftover_files(folder);
  }
  if (!resume && !overwrite) refuse_existing(plan);
  if (!resume) return {plan.frames, 0};
  FramesToMake result;
  const std::vector<FrameFile> files = examine_frames(plan.name, plan.frames);
  for (std::size_t i = 0; i < files.size(); ++i) {
    if (files[i].state == FrameState::kSound && files[i].fingerprint == fingerprint) {
      ++result.kept;
    } else {
      result.frames.push_back(plan.frames[i]);
    }
  }
  return result;
}

}  // namespace roundel
