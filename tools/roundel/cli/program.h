#pragma once
#include <string>
#include <vector>

namespace roundel {

/// An empty folder, removed with all that is in it.
class ScratchFolder {
 public:
  /// Throws Error(kRuntimeFailure) where none can be made.
  ScratchFolder();
  ~ScratchFolder();
  ScratchFolder(const ScratchFolder&) = delete;
  ScratchFolder& operator=(const ScratchFolder&) = delete;
  const std::string& path() const { return path_; }

 private:
  std::string path_;
};

/// Runs a program, found as a shell finds it, with nothing on its standard input and its output in
/// these files, and returns its exit code (-1 where a signal ended it). Throws
/// Error(kRuntimeFailure) "NAME: …" where it cannot be started.
int run_program(const std::vector<std::string>& words, const std::string& stdout_path,
                const std::string& stderr_path);

}  // namespace roundel
