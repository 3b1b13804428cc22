#pragma once
#include <filesystem>
#include <string>
#include <vector>

namespace roundel {

/// Exclusive claim on a folder of goldens among processes of Roundel, until the object or the
/// process ends. The constructor waits for other processes, and throws Error(kRuntimeFailure) after
/// a minute. No effect without file locks, or if the folder cannot be opened: writing to it then
/// reports why.
class FolderClaim {
 public:
  explicit FolderClaim(const std::string& folder);
  ~FolderClaim();
  FolderClaim(const FolderClaim&) = delete;
  FolderClaim& operator=(const FolderClaim&) = delete;

 private:
  int descriptor_ = -1;
};

/// Exclusive claims on names of files that a run writes, among the runs of Roundel with the same
/// output folder, until the object or the process ends. They lock bytes of FOLDER/.claims, which
/// exists as long as a run. No effect without file locks, or if the folder is read-only.
class NameClaims {
 public:
  /// Makes the folder if it is missing, and removes it again if it stays empty. Throws
  /// Error(kUsage) if another run writes one of the names. Does nothing without names.
  NameClaims(const std::string& folder, const std::vector<std::string>& names);
  ~NameClaims();
  NameClaims(const NameClaims&) = delete;
  NameClaims& operator=(const NameClaims&) = delete;

  /// Returns false if another run writes this name.
  bool try_claim(const std::string& name) const;

 private:
  explicit NameClaims(const std::string& folder);
  void make_folder();
  /// Returns false if the claims' file cannot be made.
  bool open_file();

  std::filesystem::path folder_, file_;
  int descriptor_ = -1;
  std::vector<std::filesystem::path> made_;  ///< deepest first
};

}  // namespace roundel
