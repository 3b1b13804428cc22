#include "renderer/scene/input_files.h"

#include <fmt/format.h>
#include <sys/stat.h>

#include "renderer/base/text.h"

namespace roundel {

std::vector<std::string> input_paths(const std::vector<Scene>& scenes) {
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

void InputFiles::check_output(const std::string& output, ExitCode refusal) const {
  struct stat status {};
  if (::stat(output.c_str(), &status) != 0) return;
  const auto input = paths_.find({status.st_dev, status.st_ino});
  if (input == paths_.end()) return;
  throw Error(refusal,
              fmt::format("{}: would replace {}, which this command reads", output,
                          output == input->second ? "a file" : roundel::quoted(input->second)));
}

void check_output_is_no_input(const std::string& output, const std::vector<std::string>& inputs,
                              ExitCode refusal) {
  InputFiles(inputs).check_output(output, refusal);
}

}  // namespace roundel
