#include "tools/roundel/cli/output_path.h"

#include <fmt/format.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <filesystem>
#include <map>
#include <set>

#include "renderer/base/error.h"
#include "renderer/base/text.h"
#include "renderer/film/video_sink.h"

namespace roundel {

namespace fs = std::filesystem;

namespace {

const char* ending_of(ImageFormat format) {
  return format == ImageFormat::kExr ? ".exr" : format == ImageFormat::kPfm ? ".pfm" : ".png";
}

/// Throws Error(kUsage) for a name with the extension of another format. Unknown extensions take
/// any format.
void check_ending(const std::string& name, ImageFormat format) {
  std::optional<ImageFormat> known;
  try {
    known = format_of(name);
  } catch (const Error&) {  // unknown extension
    return;
  }
  if (known == format) return;
  throw Error(ExitCode::kUsage, fmt::format("{} does not match --format {}", roundel::quoted(name),
                                            ending_of(format) + 1));
}

/// Returns the format of the scene's key `output`; PNG by default. Throws Error(kInvalidScene) for
/// an unknown extension.
ImageFormat output_format(const Scene& scene) {
  if (!scene.output) return ImageFormat::kPng;
  try {
    return format_of(*scene.output);
  } catch (const Error& e) {
    throw Error(ExitCode::kInvalidScene,
                fmt::format("{}: output: {}{}", scene.path, e.what(), video_hint(*scene.output)));
  }
}

/// Returns the folder of a path; "." for a bare file name.
fs::path folder_of(const fs::path& path) {
  const fs::path folder = path.parent_path();
  return folder.empty() ? "." : folder;
}

[[noreturn]] void refuse_output(const std::string& path, const std::string& reason) {
  throw Error(ExitCode::kOutputRefused, fmt::format("{}: {}", path, reason));
}

/// `path`: name of the file in messages.
void check_folder(const std::string& path, fs::path folder) {
  std::error_code error;
  while (!fs::exists(fs::symlink_status(folder, error)) && folder != folder_of(folder))
    folder = folder_of(folder);  // missing folders are made in it
  if (!fs::is_directory(folder, error)) {
    refuse_output(path,
                  (fs::exists(folder, error) ? "cannot write, expected a folder, got the file "
                                             : "cannot write, no such folder: ") +
                      roundel::quoted(folder.string()));
  }
  if (access(folder.c_str(), W_OK | X_OK) != 0) {
    refuse_output(path, fmt::format("cannot write to the folder {}: {}",
                                    roundel::quoted(folder.string()), std::strerror(errno)));
  }
}

}  // namespace

void check_output_option(const std::optional<std::string>& output, std::size_t scenes,
                         std::vector<std::string>& problems, std::optional<ImageFormat> format) {
  if (!output || *output == "-" || names_folder(*output)) return;
  if (scenes > 1) {
    problems.push_back(
        fmt::format("--output: expected a folder for {} scenes, which exists or ends in /, got {}",
                    scenes, roundel::quoted(*output)));
    return;
  }
  try {
    if (format) return check_ending(*output, *format);
    format_of(*output);
  } catch (const Error& e) {
    problems.push_back(fmt::format("--output: {}{}", e.what(), video_hint(*output)));
  }
}

std::string video_hint(const std::string& name) {
  const std::string ending = lower_case(fs::path(name).extension().string());
  if (ending == ".y4m") return "; for a stream, type: -o - --format y4m > " + shell_word(name);
  if (ending == ".mkv" || ending == ".m4v" || ending == ".avi") return "; for a video, .mp4";
  return video_kind(name) ? "; for a video, type: roundel render SCENE -o " + shell_word(name) : "";
}

ImageFormat picture_format(const Scene& scene, const std::optional<std::string>& output,
                           std::optional<ImageFormat> requested) {
  if (output)
    return requested ? *requested : names_folder(*output) ? ImageFormat::kPng : format_of(*output);
  if (!requested) return output_format(scene);
  try {
    check_ending(scene.output.value_or(""), *requested);
  } catch (const Error& e) {
    throw Error(ExitCode::kUsage, fmt::format("{}: output: {}", scene.path, e.what()));
  }
  return *requested;
}

bool names_folder(const std::string& path) {
  std::error_code ignored;
  return path.ends_with('/') || fs::is_directory(path, ignored);
}

std::string picture_in_folder(const std::string& folder, const std::string& scene_path,
                              ImageFormat format) {
  return (fs::path(folder) / fs::path(scene_path).stem()).string() + ending_of(format);
}

void check_writable(const std::string& path, bool may_replace) {
  check_folder(path, folder_of(link_target(path)));
  std::error_code error;
  const fs::file_status status = fs::status(path, error);
  if (!fs::exists(fs::symlink_status(path, error))) return;
  if (fs::is_directory(status)) refuse_output(path, "cannot write, it is a folder");
  if (!may_replace) refuse_output(path, "exists (--overwrite replaces it)");
  if (fs::exists(status) && access(path.c_str(), W_OK) != 0) {
    refuse_output(path, fmt::format("exists and is not writable: {}", std::strerror(errno)));
  }
}

void check_folder_of(const std::string& path) {
  check_folder(path, folder_of(path));
}

NewFolders make_folders_of(const std::vector<std::string>& paths, OverwriteRule rule) {
  std::map<fs::path, std::string> first;  // file of each folder, however that is written
  for (const std::string& path : paths) {
    const fs::path file = rule == OverwriteRule::kFollow ? link_target(path) : path;
    std::error_code ignored;
    first.emplace(fs::weakly_canonical(fs::absolute(folder_of(file), ignored), ignored), path);
  }
  NewFolders folders;
  for (const auto& [canonical, path] : first) {
    const fs::path file = rule == OverwriteRule::kFollow ? link_target(path) : path;
    folders.add(folder_of(file).string(),
                rule == OverwriteRule::kFollow ? Sync::kNow : Sync::kLater);
    check_renames(path, rule);
  }
  return folders;
}

}  // namespace roundel
