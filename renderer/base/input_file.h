#pragma once
#include <cstddef>
#include <cstdint>
#include <limits>
#include <optional>
#include <span>
#include <string>

#include "renderer/base/buffer.h"

namespace roundel {

/// What tells two states of a file apart.
struct FileStamp {
  std::uint64_t size = 0;
  std::int64_t seconds = 0, nanoseconds = 0;  ///< of its last change
  bool operator==(const FileStamp&) const = default;
};

/// Of the file of this name, or nothing where there is none.
std::optional<FileStamp> stamp_of(const std::string& path);

/// A regular file, open for reading for the life of the object, so that all that is read comes from
/// one file, whatever takes its name in the meantime. Nothing is mapped into memory: a mapped file
/// that becomes shorter would end the program. Errors are Error(kInvalidScene) "PATH: …" where the
/// path does not name a regular file, Error(kRuntimeFailure) where the system refuses to open or
/// read it or where it changes meanwhile.
class InputFile {
 public:
  explicit InputFile(const std::string& path);
  ~InputFile();
  InputFile(const InputFile&) = delete;
  InputFile& operator=(const InputFile&) = delete;

  const std::string& path() const { return path_; }
  /// For libraries that read files themselves.
  int descriptor() const { return descriptor_; }
  /// Bytes, when it was opened.
  std::uint64_t size() const { return stamp_.size; }
  /// As it was when it was opened.
  const FileStamp& stamp() const { return stamp_; }
  /// Fills `bytes` with the file's from `offset` on, offset + bytes.size() <= size(). From many
  /// threads at once. Throws "PATH: has changed while it was read" where it has become shorter.
  void read_at(std::uint64_t offset, std::span<std::byte> bytes) const;
  /// The file's bytes, but at most `limit`.
  std::string read(std::size_t limit = std::numeric_limits<std::size_t>::max()) const;
  /// Throws Error(kRuntimeFailure) where the file's bytes are more than half of the machine's
  /// memory.
  void check_fits_memory() const;
  /// All of the file's bytes. Throws as check_fits_memory() and check_unchanged().
  Buffer<std::byte> read_all() const;
  /// Throws Error(kRuntimeFailure) "PATH: has changed while it was read" where its size or the time
  /// of its last change is no longer as when it was opened.
  void check_unchanged() const;

 private:
  [[noreturn]] void fail_with_errno(const char* what) const;
  [[noreturn]] void fail_as_changed() const;

  std::string path_;
  int descriptor_ = -1;
  FileStamp stamp_;
};

}  // namespace roundel
