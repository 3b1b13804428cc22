#pragma once
#include <filesystem>
#include <string>
#include <vector>

namespace roundel {

/// Exclusive claim on a folder among processes of Roundel, until the object or the process ends. No
/// effect without file locks, or if the folder cannot be made or opened: writing to it then reports
/// why.
class FolderClaim {
 public:
  enum class Kind {
    /// A folder for pictures to accept. Made if missing, and removed again if it stays empty. The
    /// constructor throws Error(kUsage) if another process has it.
    kOutput,
    /// An existing folder of goldens. The constructor waits for other processes, and throws
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
  std::vector<std::filesystem::path> made_;  ///< deepest first
};

}  // namespace roundel
