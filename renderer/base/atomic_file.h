#pragma once
#include <sys/stat.h>

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "renderer/base/write_file.h"

namespace roundel {

class ListedPath;
class FolderLock;

/// A file being written: under a temporary name next to `path` until commit() renames it, so that
/// after a failure or a crash `path` is as it was before. With TakenName::kRefuse it has no name at
/// all until then, where the file system can do that: nothing can leave it behind, and threads that
/// write to one folder wait for each other once a file instead of twice. It takes over the mode of
/// a file that it replaces and, where the system permits it, owner and group.
///
/// Throws Error(kOutputRefused) where the folder is missing or not writable, or `path` is a folder
/// or a file that may not be written; Error(kRuntimeFailure) where writing failed (disk full); both
/// name path and reason.
class AtomicFile {
 public:
  explicit AtomicFile(const std::string& path, TakenName rule = TakenName::kFollow);
  /// The same, TakenName::kReplace, for a file that other processes, on whatever machines, may want
  /// to write too: one of them has it at a time. Null while another has; it may have written it
  /// before. Where the file system has no locks all have it.
  static std::unique_ptr<AtomicFile> claim(const std::string& path);
  /// Removes the temporary file, unless committed.
  ~AtomicFile();
  AtomicFile(const AtomicFile&) = delete;
  AtomicFile& operator=(const AtomicFile&) = delete;

  /// Appends.
  void write(std::span<const std::uint8_t> bytes);
  void commit(Sync sync = Sync::kNow);

 private:
  struct Unopened {};
  AtomicFile(Unopened, const std::string& path, TakenName rule);
  bool open_nameless();
  void open_unique();
  bool open_temporary(const std::string& temporary);
  [[noreturn]] void fail(int error, const char* call = nullptr) const;
  [[noreturn]] void refuse_taken() const;
  void check_written() const;
  void sync_bytes() const;
  void give_name();
  void rename_temporary() const;

  std::string path_;    // as given, for messages
  std::string target_;  // behind links
  TakenName rule_;
  std::optional<struct stat> replaced_;    // the file that is there already
  std::unique_ptr<ListedPath> temporary_;  // null for pipes, devices and what has no name yet
  int file_ = -1;
  bool is_nameless_ = false;  // before commit()
};

/// Folders that are made where they are missing, with those above them, as `mkdir -p` does. The
/// destructor, or a signal, removes those of them that are empty. While this exists, no other
/// process's NewFolders removes a folder that was there already, as far as the file system has
/// locks.
class NewFolders {
 public:
  NewFolders();
  explicit NewFolders(const std::string& path);
  ~NewFolders();
  NewFolders(NewFolders&&) noexcept;
  NewFolders& operator=(NewFolders&&) noexcept;

  /// Throws Error(kOutputRefused) for a folder that cannot be made. `sync`: of the folder's name.
  void add(const std::string& path, Sync sync = Sync::kNow);

 private:
  void remove_empty();

  std::vector<std::unique_ptr<ListedPath>> made_;  ///< a folder comes after the one it is in
  std::vector<std::unique_ptr<FolderLock>> kept_;  ///< of folders that were there already
};

/// The folder of a file that is to be written, behind links.
NewFolders folder_of_file(const std::string& path);

}  // namespace roundel
