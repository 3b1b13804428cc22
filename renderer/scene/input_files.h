#pragma once
#include <sys/types.h>

#include <map>
#include <string>
#include <utility>
#include <vector>

#include "renderer/base/error.h"
#include "renderer/scene/scene.h"

namespace roundel {

/// The files that drawing the scenes reads: the scene files and their data.
std::vector<std::string> files_read(const std::vector<Scene>& scenes);

/// Files that a command reads, found again under any name or link. Files that do not exist do not
/// count.
class InputFiles {
 public:
  explicit InputFiles(const std::vector<std::string>& paths);
  /// Throws Error(`refusal`) where writing to `output` would replace one of them.
  void check_keeps(const std::string& output, ExitCode refusal) const;

 private:
  std::map<std::pair<dev_t, ino_t>, std::string> paths_;
};

/// Throws Error(`refusal`) if writing to `output` would replace one of the files in `inputs`, under
/// any name or link. Files that do not exist do not count.
void check_replaces_no_input(const std::string& output, const std::vector<std::string>& inputs,
                             ExitCode refusal);

}  // namespace roundel
