#pragma once
#include <sys/types.h>

#include <map>
#include <string>
#include <utility>
#include <vector>

#include "renderer/base/error.h"
#include "renderer/scene/scene.h"

namespace roundel {

/// The scene files and their data.
std::vector<std::string> input_paths(const std::vector<Scene>& scenes);

/// Existing files, under any name or link.
class InputFiles {
 public:
  explicit InputFiles(const std::vector<std::string>& paths);
  /// Throws Error(`refusal`) if `output` would replace one of them.
  void check_output(const std::string& output, ExitCode refusal) const;

 private:
  std::map<std::pair<dev_t, ino_t>, std::string> paths_;
};

/// Throws Error(`refusal`) if `output` would replace an existing file of `inputs`, under any name
/// or link.
void check_output_is_no_input(const std::string& output, const std::vector<std::string>& inputs,
                              ExitCode refusal);

}  // namespace roundel
