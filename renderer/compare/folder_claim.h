#pragma once
#include <filesystem>
#include <string>
#include <vector>

namespace roundel {

/// A folder that this process has for itself among all processes of Roundel, until the object or
/// the process ends. It has no effect where the file system has no locks, or where the folder
/// cannot be made or opened: writing to it then says why.
class FolderClaim {
 public:
  enum class Kind {
    /// A folder for pictures to accept. A missing one is made, and removed again if nothing was
    /// written to it. The constructor throws Error(kUsage) where another process has the folder.
    kOutput,
    /// An existing folder of goldens: the constructor waits for its turn, and throws
    /// Error(kRuntimeFailure) after a minute.
    kGoldens,
  };
  FolderClaim(const std::string& folder, Kind kind);
  ~FolderClaim();
  FolderClaim(const FolderClaim&) = delete;
  FolderClaim& operator=(const FolderClaim&) = delete;

 private:
  void make(const std::filesystem::path& folder);

  int descriptor_ = -1;
  std::vector<std::filesystem::path> made_;  ///< the deepest first
};

}  // namespace roundel
