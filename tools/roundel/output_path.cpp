#include "tools/roundel/output_path.h"

#include <fmt/format.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <filesystem>

#include "renderer/base/error.h"
#include "renderer/scene/text.h"

namespace roundel {

namespace fs = std::filesystem;

void check_output_option(const std::optional<std::string>& output, std::size_t scenes,
                         std::vector<std::string>& problems) {
  if (!output || *output == "-" || names_folder(*output)) return;
  if (scenes > 1) {
    problems.push_back(fmt::format(
        "--output: expected a folder for {} scenes (an existing one, or ending in /), got {}",
        scenes, roundel::quoted(*output)));
    return;
  }
  try {
    format_of(*output);
  } catch (const Error& e) {
    problems.push_back(fmt::format("--output: {}", e.what()));
  }
}

ImageFormat output_format(const Scene& scene) {
  if (!scene.output) return ImageFormat::kPng;
  try {
    return format_of(*scene.output);
  } catch (const Error& e) {
    throw Error(ExitCode::kInvalidScene, fmt::format("{}: output: {}", scene.path, e.what()));
  }
}

bool names_folder(const std::string& path) {
  std::error_code ignored;
  return path.ends_with('/') || fs::is_directory(path, ignored);
}

std::string picture_in_folder(const std::string& folder, const std::string& scene_path) {
  return (fs::path(folder) / fs::path(scene_path).stem()).string() + ".png";
}

void check_writable(const std::string& path, bool may_replace) {
  const auto refuse = [&path](const std::string& reason) {
    throw Error(ExitCode::kOutputRefused, fmt::format("{}: {}", path, reason));
  };
  fs::path folder = fs::path(behind_links(path)).parent_path();
  if (folder.empty()) folder = ".";
  std::error_code error;
  if (!fs::is_directory(folder, error)) {
    refuse(fmt::format("cannot write, there is no folder {}", roundel::quoted(folder.string())));
  }
  if (access(folder.c_str(), W_OK | X_OK) != 0) {
    refuse(fmt::format("cannot write to the folder {}: {}", roundel::quoted(folder.string()),
                       std::strerror(errno)));
  }
  const fs::file_status status = fs::status(path, error);
  if (!fs::exists(fs::symlink_status(path, error))) return;
  if (fs::is_directory(status)) refuse("cannot write, it is a folder");
  if (!may_replace) refuse("exists (--overwrite replaces it)");
  if (fs::exists(status) && access(path.c_str(), W_OK) != 0) {
    refuse(fmt::format("exists and is not writable: {}", std::strerror(errno)));
  }
}

std::vector<std::string> files_read(const std::vector<Scene>& scenes) {
  std::vector<std::string> files;
  for (const Scene& scene : scenes) {
    files.push_back(scene.path);
    for (const Layer& layer : scene.layers) {
      if (const auto* data = std::get_if<DataSource>(&layer.source)) files.push_back(data->path);
    }
  }
  return files;
}

void check_replaces_no_input(const std::string& output, const std::vector<std::string>& inputs,
                             ExitCode refusal) {
  for (const std::string& input : inputs) {
    std::error_code error;  // also for a file that is not there
    if (!fs::equivalent(output, input, error) || error) continue;
    throw Error(refusal, fmt::format("{}: would replace {}, which this command reads", output,
                                     output == input ? "a file" : roundel::quoted(input)));
  }
}

}  // namespace roundel
