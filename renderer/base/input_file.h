#pragma once
#include <cstddef>
#include <cstdint>
#include <limits>
#include <optional>
#include <span>
#include <string>

#include "renderer/base/buffer.h"

namespace roundel {

struct FileStamp {
  std::uint64_t size = 0;
  std::int64_t seconds = 0, nanoseconds = 0;  ///< time of last change
  bool operator==(const FileStamp&) const = default;
};

/// Reads the stamp of a file; nothing if the file does not exist.
std::optional<FileStamp> stamp_of(const std::string& path);

/// A regular file that stays open, so that all reads see one file even if its name is reused. Never
/// mapped: truncating a mapped file would end the program. Throws Error(kInvalidScene) "PATH: …"
/// for other paths, Error(kRuntimeFailure) if the system refuses to open or read it or if it
/// changes.
class InputFile {
 public:
  explicit InputFile(const std::string& path);
  ~InputFile();
  InputFile(const InputFile&) = delete;
  InputFile& operator=(const InputFile&) = delete;

  const std::string& path() const { return path_; }
  /// For libraries that read files themselves.
  int descriptor() const { return descriptor_; }
  /// Bytes at opening.
  std::uint64_t size() const { return stamp_.size; }
  /// State at opening.
  const FileStamp& stamp() const { return stamp_; }
  /// Reads from `offset`; offset + bytes.size() <= size(). Thread-safe. Throws "PATH: has changed
  /// while it was read" if the file is shorter now.
  void read_at(std::uint64_t offset, std::span<std::byte> bytes) const;
  std::string read(std::size_t limit = std::numeric_limits<std::size_t>::max()) const;
  /// Throws Error(kRuntimeFailure) if the file exceeds half of the machine's memory.
  void check_fits_memory() const;
  /// Throws as check_fits_memory() and check_unchanged() do.
  Buffer<std::byte> read_all() const;
  /// Throws Error(kRuntimeFailure) "PATH: has changed while it was read" if size or time of change
  /// differ from stamp().
  void check_unchanged() const;

 private:
  [[noreturn]] void fail_with_errno(const char* what) const;
  [[noreturn]] void fail_as_changed() const;

  std::string path_;
  int descriptor_ = -1;
  FileStamp stamp_;
};

}  // namespace roundel
