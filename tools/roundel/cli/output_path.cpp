#include "tools/roundel/cli/output_path.h"

#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <filesystem>
#include <map>

#include "renderer/base/error.h"
#include "renderer/base/text.h"

namespace roundel {

namespace fs = std::filesystem;

namespace {

const char* ending_of(ImageFormat format) {
  return format == ImageFormat::kExr ? ".exr" : format == ImageFormat::kPfm ? ".pfm" : ".png";
}

/// Throws Error(kUsage) for a name that ends as another format's do. Other endings take any format.
void check_ending(const std::string& name, ImageFormat format) {
  std::optional<ImageFormat> known;
  try {
    known = format_of(name);
  } catch (const Error&) {  // no picture's ending
    return;
  }
  if (known == format) return;
  throw Error(ExitCode::kUsage, fmt::format("expected a name that ends in {}, or as no picture's, "
                                            "for this --format, got {}",
                                            ending_of(format), roundel::quoted(name)));
}

/// Format of the picture that a scene asks for with its key `output`, or of a PNG. Throws
/// Error(kInvalidScene) for an ending that is no picture's.
ImageFormat output_format(const Scene& scene) {
  if (!scene.output) return ImageFormat::kPng;
  try {
    return format_of(*scene.output);
  } catch (const Error& e) {
    throw Error(ExitCode::kInvalidScene, fmt::format("{}: output: {}", scene.path, e.what()));
  }
}

/// What a file name without a folder is in.
fs::path folder_of(const fs::path& path) {
  const fs::path folder = path.parent_path();
  return folder.empty() ? "." : folder;
}

[[noreturn]] void refuse_output(const std::string& path, const std::string& reason) {
  throw Error(ExitCode::kOutputRefused, fmt::format("{}: {}", path, reason));
}

/// `path`: what to call the file in messages.
void check_folder(const std::string& path, fs::path folder) {
  std::error_code error;
  while (!fs::exists(fs::symlink_status(folder, error)) && folder != folder_of(folder))
    folder = folder_of(folder);  // the missing ones are made in it
  if (!fs::is_directory(folder, error)) {
    refuse_output(
        path, fmt::format("cannot write, there is no folder {}", roundel::quoted(folder.string())));
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
    problems.push_back(fmt::format(
        "--output: expected a folder for {} scenes (an existing one, or ending in /), got {}",
        scenes, roundel::quoted(*output)));
    return;
  }
  try {
    if (format) return check_ending(*output, *format);
    format_of(*output);
  } catch (const Error& e) {
    problems.push_back(fmt::format("--output: {}", e.what()));
  }
}

ImageFormat picture_format(const Scene& scene, const std::optional<std::string>& output,
                           std::optional<ImageFormat> asked) {
  if (output)
    return asked ? *asked : names_folder(*output) ? ImageFormat::kPng : format_of(*output);
  if (!asked) return output_format(scene);
  try {
    check_ending(scene.output.value_or(""), *asked);
  } catch (const Error& e) {
    throw Error(ExitCode::kUsage, fmt::format("{}: output: {}", scene.path, e.what()));
  }
  return *asked;
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
  check_folder(path, folder_of(behind_links(path)));
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

NewFolders make_folders_of(const std::vector<std::string>& paths, TakenName rule) {
  std::map<fs::path, std::string> first;  // file of each folder, however that is written
  for (const std::string& path : paths) {
    const fs::path file = rule == TakenName::kFollow ? behind_links(path) : path;
    std::error_code ignored;
    first.emplace(fs::weakly_canonical(fs::absolute(folder_of(file), ignored), ignored), path);
  }
  NewFolders folders;
  for (const auto& [canonical, path] : first) {
    const fs::path file = rule == TakenName::kFollow ? behind_links(path) : path;
    folders.add(folder_of(file).string(), rule == TakenName::kFollow ? Sync::kNow : Sync::kLater);
    check_takes_names(path, rule);
  }
  return folders;
}

std::vector<std::string> files_read(const std::vector<Scene>& scenes) {
  std::vector<std::string> files;
  for (const Scene& scene : scenes) {
    files.push_back(scene.path);
    for (const Layer& layer : scene.layers) {
      const auto* const data = std::get_if<DataSource>(&layer.source);
      if (data == nullptr) continue;
      files.push_back(data->path);
      for (std::int64_t i = 0; data->film && i < data->film->frames; ++i)
        files.push_back(data->film->path(data->film->start + i));
    }
  }
  return files;
}

InputFiles::InputFiles(const std::vector<std::string>& paths) {
  for (const std::string& path : paths) {
    struct stat status {};
    if (::stat(path.c_str(), &status) == 0)
      paths_.emplace(std::pair(status.st_dev, status.st_ino), path);
  }
}

void InputFiles::check_keeps(const std::string& output, ExitCode refusal) const {
  struct stat status {};
  if (::stat(output.c_str(), &status) != 0) return;
  const auto input = paths_.find({status.st_dev, status.st_ino});
  if (input == paths_.end()) return;
  throw Error(refusal,
              fmt::format("{}: would replace {}, which this command reads", output,
                          output == input->second ? "a file" : roundel::quoted(input->second)));
}

void check_replaces_no_input(const std::string& output, const std::vector<std::string>& inputs,
                             ExitCode refusal) {
  InputFiles(inputs).check_keeps(output, refusal);
}

}  // namespace roundel
