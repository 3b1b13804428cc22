#pragma once
#include <cstdint>
#include <memory>
#include <span>
#include <string>

namespace roundel {

/// A file being written: under a temporary name next to `path` until commit() renames it, so that
/// after a failure or a crash `path` is as it was before. A symbolic link stays one; a pipe or a
/// device gets the bytes directly.
///
/// Throws Error(kOutputRefused) where the folder is missing or not writable, or `path` is a folder
/// or a file that may not be written; Error(kRuntimeFailure) where writing failed (disk full); both
/// name path and reason.
class AtomicFile {
 public:
  explicit AtomicFile(const std::string& path);
  /// Removes the temporary file, unless committed.
  ~AtomicFile();
  AtomicFile(const AtomicFile&) = delete;
  AtomicFile& operator=(const AtomicFile&) = delete;

  /// Appends.
  void write(std::span<const std::uint8_t> bytes);
  void commit();

 private:
  class ListedTemporary;
  bool open_temporary();
  [[noreturn]] void fail(int error) const;

  std::string path_;                            // as given, for messages
  std::string target_;                          // behind links
  std::unique_ptr<ListedTemporary> temporary_;  // null for pipes and devices
  int file_ = -1;
};

}  // namespace roundel
