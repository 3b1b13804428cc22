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

/// Writes a file under a temporary name, which commit() renames to `path`: a failure or a crash
/// leaves `path` as it was. With OverwriteRule::kRefuse the file is nameless until commit(), if the
/// file system supports that: a crash leaves nothing, and threads in one folder wait for each
/// other once a file instead of twice. A replaced file passes on its mode and, if permitted, owner
/// and group.
///
/// Throws Error(kOutputRefused) if the folder is missing or not writable, or `path` is a folder or
/// a read-only file; Error(kRuntimeFailure) if writing fails (disk full).
class AtomicFile {
 public:
  explicit AtomicFile(const std::string& path, OverwriteRule rule = OverwriteRule::kFollow);
  /// Begins a file with OverwriteRule::kReplace that other processes, also on other machines, may
  /// write. Null while another writes it; the file may be complete already. Without locks of the
  /// file system every process gets it.
  static std::unique_ptr<AtomicFile> claim(const std::string& path);
  ~AtomicFile();
  AtomicFile(const AtomicFile&) = delete;
  AtomicFile& operator=(const AtomicFile&) = delete;

  void write(std::span<const std::uint8_t> bytes);
  /// The temporary file, for a process that writes instead; -1 after commit().
  int descriptor() const { return file_; }
  void commit(Sync sync = Sync::kNow);

 private:
  struct Unopened {};
  AtomicFile(Unopened, const std::string& path, OverwriteRule rule);
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
  std::string target_;  // after following links
  OverwriteRule rule_;
  std::optional<struct stat> replaced_;
  std::unique_ptr<ListedPath> temporary_;  // null for pipes, devices and nameless files
  int file_ = -1;
  bool is_nameless_ = false;  // until commit()
};

/// Makes missing folders, as `mkdir -p` does. The destructor, or a signal, removes empty ones.
/// Meanwhile, with locks of the file system, NewFolders of other processes keep existing folders.
class NewFolders {
 public:
  NewFolders();
  explicit NewFolders(const std::string& path);
  ~NewFolders();
  NewFolders(NewFolders&&) noexcept;
  NewFolders& operator=(NewFolders&&) noexcept;

  /// Throws Error(kOutputRefused). `sync`: for the folder's name.
  void add(const std::string& path, Sync sync = Sync::kNow);

 private:
  void remove_empty();

  std::vector<std::unique_ptr<ListedPath>> made_;  ///< parents first
  std::vector<std::unique_ptr<FolderLock>> kept_;  ///< for existing folders
};

/// Makes the folder of an output file; follows links.
NewFolders folder_of_file(const std::string& path);

}  // namespace roundel
